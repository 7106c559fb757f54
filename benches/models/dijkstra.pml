/*
 * The first mutual exclusion for N processes. E. W. Dijkstra, Solution of a problem in concurrent
 * programming control, 1965.
 *
 * safety: holds
 */
#ifndef N
#define N 2
#endif
#ifndef V
#define V 1
#endif
bool wants[N];
bool tries[N];
byte turn;
byte inside;
byte entries; /* modulo V */

active [N] proctype process() {
	byte k, t;
	do
	:: wants[_pid] = true;
again:	   t = turn;
	   if
	   :: t != _pid ->
		tries[_pid] = false;
		if
		:: !wants[t] -> turn = _pid
		:: wants[t]
		fi;
		goto again
	   :: t == _pid
	   fi;
	   tries[_pid] = true;
	   for (k : 0 .. N - 1) {
		if
		:: k != _pid && tries[k] -> goto again
		:: k == _pid || !tries[k]
		fi
	   }
	   inside++;
	   assert(inside == 1);
	   entries = (entries + 1) % V;
	   inside--;
	   tries[_pid] = false;
	   wants[_pid] = false
	od
}
