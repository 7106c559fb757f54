/*
 * Szymanski's mutual exclusion with a waiting room, for two processes: each has one variable
 * with five values that only it writes. SPIN's reduction saves nothing.
 *
 * safety: holds
 * states: 99
 */
#define N 2
byte flag[N];
byte inside;

active [N] proctype process() {
	byte other = 1 - _pid;
	do
	:: flag[_pid] = 1; /* wants to enter */
	   flag[other] < 3; /* the door is open */
	   flag[_pid] = 3; /* in the doorway */
	   if
	   :: flag[other] == 1 ->
		flag[_pid] = 2; /* waits for the other one to come in */
		flag[other] == 4
	   :: else
	   fi;
	   flag[_pid] = 4; /* closes the door */
	   _pid == 0 || flag[other] < 2; /* the lower number goes first */
	   inside++;
	   assert(inside == 1);
	   inside--;
	   _pid == 1 || flag[other] < 2 || flag[other] > 3; /* nobody is left in the doorway */
	   flag[_pid] = 0
	od
}
