/*
 * Dining philosophers who take the fork with the lower number first. A fork is a channel with
 * one slot. SPIN's reduction saves nothing.
 *
 * safety: holds
 * states: 79
 */
#ifndef N
#define N 4
#endif
chan fork[N] = [1] of { bit };

active [N] proctype philosopher() {
	byte first = (_pid + 1 < N -> _pid : 0);
	byte second = (_pid + 1 < N -> _pid + 1 : _pid);
	do
	:: fork[first]!1;
	   fork[second]!1;
	   fork[second]?_;
	   fork[first]?_
	od
}
