/*
 * Milner's scheduler: N cyclers pass a turn round a ring, start jobs in that order, and each waits
 * for the end of its own job before it starts it again. R. Milner, A Calculus of Communicating
 * Systems, 1980.
 *
 * safety: holds
 */
#ifndef N
#define N 4
#endif
chan turn[N] = [0] of { bit };
bool running[N];

proctype cycler(byte here) {
	do
	:: turn[here]?1;
	   assert(!running[here]);
	   running[here] = true;
	   if
	   :: turn[(here + 1) % N]!1;
		!running[here]
	   :: !running[here] ->
		turn[(here + 1) % N]!1
	   fi
	od
}

proctype job(byte here) {
	do
	:: running[here] -> running[here] = false
	od
}

init {
	byte k;
	atomic {
		for (k : 0 .. N - 1) {
			run cycler(k);
			run job(k)
		}
		k = 0
	}
	turn[0]!1
}
