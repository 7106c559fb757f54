/*
 * Fischer's mutual exclusion by time: write your name, wait for longer than anybody takes to
 * write theirs, and enter if yours is still there. Time passes in ticks. M. J. Fischer, in
 * L. Lamport, A fast mutual exclusion algorithm, 1987. With WAIT <= WRITE it would be wrong.
 *
 * safety: holds
 */
#ifndef N
#define N 3
#endif
#ifndef WRITE
#define WRITE 1
#endif
#ifndef WAIT
#define WAIT 2
#endif
#define NEVER 255
byte name; /* 0: nobody's */
byte deadline[N] = NEVER; /* ticks until a process must write */
byte pause[N]; /* ticks until it may read */
byte due; /* how many processes must write before the next tick */
byte inside;

active [N] proctype process() {
	do
	:: d_step {
		name == 0 -> deadline[_pid] = WRITE
	   };
	   d_step {
		due = due - (deadline[_pid] == 0 -> 1 : 0);
		deadline[_pid] = NEVER;
		name = _pid + 1;
		pause[_pid] = WAIT
	   };
	   pause[_pid] == 0;
	   if
	   :: name == _pid + 1 ->
		inside++;
		assert(inside == 1);
		inside--;
		name = 0
	   :: name != _pid + 1
	   fi
	od
}

active proctype time() {
	byte k;
	do
	:: d_step {
		due == 0 ->
		for (k : 0 .. N - 1) {
			pause[k] = (pause[k] > 0 -> pause[k] - 1 : 0);
			if
			:: deadline[k] != NEVER ->
				deadline[k] = deadline[k] - 1;
				due = due + (deadline[k] == 0 -> 1 : 0)
			:: else
			fi
		}
		k = 0
	   }
	od
}

ltl served { [] <> (inside == 1) } /* somebody enters again and again: violated, time alone can pass */
