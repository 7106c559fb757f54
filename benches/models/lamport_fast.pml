/*
 * Lamport's fast mutual exclusion: seven accesses to shared variables if nobody else wants to
 * enter. L. Lamport, A fast mutual exclusion algorithm, 1987.
 *
 * safety: holds
 */
#ifndef N
#define N 2
#endif
#ifndef V
#define V 1
#endif
#define NOBODY 255
byte x = NOBODY, y = NOBODY;
bool wants[N];
byte inside;
byte entries; /* modulo V */

active [N] proctype process() {
	byte k;
start:	do
	:: wants[_pid] = true;
	   x = _pid;
	   if
	   :: y != NOBODY ->
		wants[_pid] = false;
		y == NOBODY;
		goto start
	   :: y == NOBODY
	   fi;
	   y = _pid;
	   if
	   :: x != _pid ->
		wants[_pid] = false;
		for (k : 0 .. N - 1) {
			!wants[k]
		}
		k = 0;
		if
		:: y != _pid ->
			y == NOBODY;
			goto start
		:: y == _pid
		fi
	   :: x == _pid
	   fi;
	   inside++;
	   assert(inside == 1);
	   entries = (entries + 1) % V;
	   inside--;
	   y = NOBODY;
	   wants[_pid] = false
	od
}
