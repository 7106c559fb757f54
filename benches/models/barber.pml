/*
 * The sleeping barber: he sleeps if nobody waits, and customers leave if all CHAIRS chairs are
 * taken. Semaphores are counters. E. W. Dijkstra, Cooperating sequential processes, 1965.
 *
 * safety: holds
 */
#ifndef N
#define N 3
#endif
#ifndef CHAIRS
#define CHAIRS 2
#endif
byte mutex = 1, customers, barbers, finished;
byte waiting;
byte in_chair;

inline down(semaphore) {
	d_step { semaphore > 0 -> semaphore-- }
}

active [N] proctype customer() {
	do
	:: down(mutex);
	   if
	   :: waiting < CHAIRS ->
		waiting++;
		assert(waiting <= CHAIRS);
		customers++;
		mutex++;
		down(barbers);
		in_chair++;
		assert(in_chair == 1);
		down(finished);
		in_chair--
	   :: waiting == CHAIRS -> mutex++
	   fi
	od
}

active proctype barber() {
	do
	:: down(customers);
	   down(mutex);
	   waiting--;
	   barbers++;
	   mutex++;
	   in_chair == 1;
	   finished++;
	   in_chair == 0
	od
}
