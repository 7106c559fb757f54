/*
 * Odd-even transposition sort by N neighbours who exchange numbers over channels, for all inputs
 * with numbers below V. N. Haberman, Parallel neighbor-sort, 1972.
 *
 * safety: holds
 */
#ifndef N
#define N 3
#endif
#ifndef V
#define V 3
#endif
chan right[N] = [1] of { byte }; /* to the neighbour on the right */
chan left[N] = [1] of { byte }; /* and on the left */
byte result[N];
byte ended;

proctype cell(byte here, mine) {
	byte round, other;
	for (round : 1 .. N) {
		if
		:: (here + round) % 2 == 0 && here + 1 < N ->
			right[here]!mine;
			left[here + 1]?other;
			mine = (other < mine -> other : mine)
		:: (here + round) % 2 == 1 && here > 0 ->
			left[here]!mine;
			right[here - 1]?other;
			mine = (other > mine -> other : mine)
		:: (here + round) % 2 == 0 && here + 1 == N
		:: (here + round) % 2 == 1 && here == 0
		fi
	}
	result[here] = mine;
	ended++
}

init {
	byte k, v;
	atomic {
		for (k : 0 .. N - 1) {
			select (v : 0 .. V - 1);
			run cell(k, v)
		}
		v = 0
	}
	ended == N;
	for (k : 1 .. N - 1) {
		assert(result[k - 1] <= result[k])
	}
}

ltl ends { <> (ended == N) } /* everyone comes to an end: holds */
