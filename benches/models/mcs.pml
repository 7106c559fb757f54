/*
 * The MCS lock: a linked list of those who wait, each of whom spins on its own node.
 * J. M. Mellor-Crummey and M. L. Scott, Algorithms for scalable synchronization on shared-memory
 * multiprocessors, 1991.
 *
 * safety: holds
 */
#ifndef N
#define N 3
#endif
#ifndef V
#define V 1
#endif
#define NONE 255
byte tail = NONE;
byte next[N] = NONE;
bool locked[N];
byte inside;
byte entries; /* modulo V */

active [N] proctype process() {
	byte before;
	do
	:: next[_pid] = NONE;
	   d_step { /* swap */
		before = tail;
		tail = _pid
	   };
	   if
	   :: before != NONE ->
		locked[_pid] = true;
		next[before] = _pid;
		!locked[_pid]
	   :: before == NONE
	   fi;
	   inside++;
	   assert(inside == 1);
	   entries = (entries + 1) % V;
	   inside--;
	   if
	   :: next[_pid] == NONE ->
		if
		:: d_step { tail == _pid -> tail = NONE } /* compare and swap */
		:: tail != _pid ->
			next[_pid] != NONE;
			locked[next[_pid]] = false
		fi
	   :: next[_pid] != NONE ->
		locked[next[_pid]] = false
	   fi
	od
}

ltl served { [] <> (inside == 1) } /* somebody enters again and again: holds */
