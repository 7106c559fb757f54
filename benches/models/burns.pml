/*
 * Mutual exclusion with one bit for each of N processes, which is the least that is possible.
 * J. E. Burns and N. A. Lynch, Bounds on shared memory for mutual exclusion, 1993.
 *
 * safety: holds
 */
#ifndef N
#define N 3
#endif
#ifndef V
#define V 1
#endif
bool flag[N];
byte inside;
byte entries; /* modulo V */

active [N] proctype process() {
	byte k;
	do
	:: skip;
again:	   flag[_pid] = false;
	   for (k : 0 .. N - 1) {
		if
		:: k < _pid && flag[k] -> goto again
		:: k >= _pid || !flag[k]
		fi
	   }
	   flag[_pid] = true;
	   for (k : 0 .. N - 1) {
		if
		:: k < _pid && flag[k] -> goto again
		:: k >= _pid || !flag[k]
		fi
	   }
	   k = _pid + 1;
	   do
	   :: k < N && !flag[k] -> k++
	   :: k >= N -> break
	   od;
	   inside++;
	   assert(inside == 1);
	   entries = (entries + 1) % V;
	   inside--;
	   flag[_pid] = false
	od
}
