/*
 * Szymanski's mutual exclusion for N processes, with a waiting room whose door closes behind the
 * last who comes in. B. K. Szymanski, A simple solution to Lamport's concurrent programming
 * problem with linear wait, 1988.
 *
 * safety: holds
 */
#ifndef N
#define N 2
#endif
#ifndef V
#define V 1
#endif
byte flag[N];
byte inside;
byte entries; /* modulo V */

active [N] proctype process() {
	byte k;
	do
	:: flag[_pid] = 1; /* wants to come in */
	   for (k : 0 .. N - 1) {
		flag[k] < 3 /* the door is open */
	   }
	   flag[_pid] = 3; /* in the doorway */
	   k = 0;
	   do
	   :: k == N -> break
	   :: k < N && flag[k] == 1 -> /* somebody else is still coming */
		flag[_pid] = 2;
		k = 0;
		do
		:: flag[k] == 4 -> break
		:: flag[k] != 4 -> k = (k + 1) % N
		od;
		break
	   :: k < N && flag[k] != 1 -> k++
	   od;
	   flag[_pid] = 4; /* the door is closed */
	   k = 0;
	   do
	   :: k < _pid && flag[k] < 2 -> k++
	   :: k == _pid -> break
	   od;
	   inside++;
	   assert(inside == 1);
	   entries = (entries + 1) % V;
	   inside--;
	   k = _pid + 1;
	   do
	   :: k < N && (flag[k] < 2 || flag[k] > 3) -> k++
	   :: k == N -> break
	   od;
	   flag[_pid] = 0
	od
}

ltl comes_out { [] ((flag[0] == 4) -> <> (flag[0] == 0)) } /* who closes the door leaves: holds */
