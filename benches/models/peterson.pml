/*
 * Peterson's mutual exclusion for N processes: N - 1 doors one after the other, and at each the
 * last to arrive waits. G. L. Peterson, Myths about the mutual exclusion problem, 1981.
 *
 * safety: holds
 */
#ifndef N
#define N 3
#endif
#ifndef V
#define V 1
#endif
byte door[N]; /* the door that a process stands at, 0 if none */
byte last[N]; /* who arrived last at a door */
byte inside;
byte entries; /* modulo V */

active [N] proctype process() {
	byte d, k;
	do
	:: d = 1;
	   do
	   :: d < N ->
		door[_pid] = d;
		last[d] = _pid;
		k = 0;
		do
		:: k == N || last[d] != _pid -> break
		:: k < N && (k == _pid || door[k] < d) -> k++
		od;
		d++
	   :: d == N -> break
	   od;
	   inside++;
	   assert(inside == 1);
	   entries = (entries + 1) % V;
	   inside--;
	   door[_pid] = 0
	od
}

ltl served { [] <> (inside == 1) } /* somebody enters again and again: holds */
