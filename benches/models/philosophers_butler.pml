/*
 * Dining philosophers with a butler, who lets all but one of them sit down. E. W. Dijkstra,
 * Hierarchical ordering of sequential processes, 1971; the butler is from C. A. R. Hoare,
 * Communicating Sequential Processes, 1985.
 *
 * safety: holds
 */
#ifndef N
#define N 3
#endif
bool taken[N];
byte seated;

active [N] proctype philosopher() {
	do
	:: d_step { seated < N - 1 -> seated++ };
	   d_step { !taken[_pid] -> taken[_pid] = true };
	   d_step { !taken[(_pid + 1) % N] -> taken[(_pid + 1) % N] = true };
	   assert(taken[_pid] && taken[(_pid + 1) % N]);
	   taken[_pid] = false;
	   taken[(_pid + 1) % N] = false;
	   seated--
	od
}
