/*
 * Dining philosophers who all take the fork on the left first, and starve. E. W. Dijkstra,
 * Hierarchical ordering of sequential processes, 1971.
 *
 * safety: violated
 */
#ifndef N
#define N 3
#endif
bool taken[N];

active [N] proctype philosopher() {
	do
	:: d_step { !taken[_pid] -> taken[_pid] = true };
	   d_step { !taken[(_pid + 1) % N] -> taken[(_pid + 1) % N] = true };
	   taken[_pid] = false;
	   taken[(_pid + 1) % N] = false
	od
}
