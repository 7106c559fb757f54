/*
 * Election of a root in a tree, of every shape with N nodes: a node that all neighbours but one
 * have asked to be their parent asks that one, and two who ask each other let the lower number win. After the
 * tree identification of IEEE 1394; M. Devillers, D. Griffioen, J. Romijn and F. Vaandrager,
 * Verification of a leader election protocol, 2000.
 *
 * safety: holds
 */
#ifndef N
#define N 3
#endif
mtype = { ask };
chan to[N] = [2 * N] of { mtype, byte };
byte above[N]; /* the neighbour of a node with a lower number; not for node 0 */
byte degree[N];
bool is_child[N * N]; /* has k asked n to be its parent: is_child[n * N + k] */
byte roots;

proctype node(byte here) {
	byte k, children, other, parent;
	do
	:: children + 1 < degree[here] ->
		to[here]?ask,other;
		is_child[here * N + other] = true;
		children++
	:: children + 1 >= degree[here] -> break
	od;
	if
	:: degree[here] == children + 1 -> /* the neighbour that has not asked */
		if
		:: here > 0 && !is_child[here * N + above[here]] -> parent = above[here]
		:: here == 0 || is_child[here * N + above[here]] ->
			k = here + 1;
			do
			:: above[k] == here && !is_child[here * N + k] -> break
			:: above[k] != here || is_child[here * N + k] -> k++
			od;
			parent = k;
			k = 0
		fi
	:: degree[here] == children
	fi;
	if
	:: to[parent]!ask,here ->
end_child:	to[here]?ask,other;
		assert(other == parent);
		if
		:: here < parent -> roots++
		:: here > parent
		fi
	:: to[here]?ask,other -> roots++
	fi;
	assert(roots <= 1)
}

init {
	byte k, v;
	atomic {
		for (k : 1 .. N - 1) {
			select (v : 0 .. k - 1);
			above[k] = v;
			degree[k]++;
			degree[v]++
		}
		v = 0;
		for (k : 0 .. N - 1) {
			run node(k)
		}
		k = 0
	}
}
