/*
 * A stack without locks whose nodes are used again at once, ROUNDS times by each thread: a compare
 * and swap can mistake a node that came back for one that never left, and two threads get the same
 * node. R. K. Treiber, Systems programming: coping with parallelism, 1986, who gives the remedy too.
 *
 * safety: violated
 */
#ifndef N
#define N 3
#endif
#ifndef NODES
#define NODES 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
byte top = NODES; /* 0: the stack is empty */
byte next[NODES + 1];
byte owners[NODES + 1]; /* how many hold the node */

inline pop(mine) {
	do
	:: t = top;
	   if
	   :: t == 0 -> break
	   :: t != 0 -> n = next[t]
	   fi;
	   if
	   :: d_step { top == t -> top = n };
		mine = t;
		break
	   :: top != t
	   fi
	od;
	t = 0;
	n = 0
}

inline push(mine) {
	do
	:: t = top;
	   next[mine] = t;
	   if
	   :: d_step { top == t -> top = mine };
		break
	   :: top != t
	   fi
	od;
	mine = 0;
	t = 0
}

proctype thread() {
	byte a, t, n, rounds;
	for (rounds : 1 .. ROUNDS) {
		pop(a);
		if
		:: a != 0 ->
			owners[a]++;
			assert(owners[a] == 1);
			owners[a]--;
			push(a)
		:: a == 0
		fi
	}
}

init {
	byte k;
	atomic {
		for (k : 1 .. NODES) {
			next[k] = k - 1
		}
		for (k : 1 .. N) {
			run thread()
		}
		k = 0
	}
}
