/*
 * Anderson's queue lock: an array of flags, each process spins on its own. T. E. Anderson, The
 * performance of spin lock alternatives for shared-memory multiprocessors, 1990.
 *
 * safety: holds
 */
#ifndef N
#define N 3
#endif
#ifndef V
#define V 1
#endif
bool may_enter[N];
byte next;
byte inside;
byte entries; /* modulo V */

init {
	byte k;
	atomic {
		may_enter[0] = true;
		for (k : 1 .. N) {
			run process()
		}
	}
}

proctype process() {
	byte mine;
	do
	:: d_step {
		mine = next;
		next = (next + 1) % N
	   };
	   may_enter[mine];
	   may_enter[mine] = false;
	   inside++;
	   assert(inside == 1);
	   entries = (entries + 1) % V;
	   inside--;
	   may_enter[(mine + 1) % N] = true
	od
}

ltl served { [] <> (inside == 1) } /* somebody enters again and again: holds */
