/*
 * A ring that stabilises itself: from any numbers whatever, only one process has the privilege in
 * the end. Reading the neighbour and writing one's own number are two steps. E. W. Dijkstra,
 * Self-stabilizing systems in spite of distributed control, 1974.
 *
 * safety: holds
 */
#ifndef N
#define N 3
#endif
#ifndef K
#define K (2 * N)
#endif
byte x[N];

proctype root() {
	byte seen;
	do
	:: seen = x[N - 1];
	   if
	   :: seen == x[0] -> x[0] = (x[0] + 1) % K
	   :: seen != x[0]
	   fi;
	   assert(x[0] < K)
	od
}

proctype other(byte here) {
	byte seen;
	do
	:: seen = x[here - 1];
	   if
	   :: seen != x[here] -> x[here] = seen
	   :: seen == x[here]
	   fi;
	   assert(x[here] < K)
	od
}

init {
	byte k, v;
	atomic {
		for (k : 0 .. N - 1) {
			select (v : 0 .. K - 1);
			x[k] = v
		}
		v = 0;
		run root();
		for (k : 1 .. N - 1) {
			run other(k)
		}
		k = 0
	}
}

ltl agrees { <> [] (x[0] == x[1]) } /* violated: the numbers go on changing */
