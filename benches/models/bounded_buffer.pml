/*
 * Producers and consumers around a bounded buffer, which is a monitor with one lock and two
 * condition variables whose waiters are woken one by one, and look again. C. A. R. Hoare,
 * Monitors: an operating system structuring concept, 1974; signals as in B. W. Lampson and
 * D. D. Redell, Experience with processes and monitors in Mesa, 1980.
 *
 * safety: holds
 */
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef SIZE
#define SIZE 2
#endif
chan mutex = [1] of { bit };
byte length;
byte full_waiters, empty_waiters; /* how many wait for room, for an item */
byte full_signals, empty_signals; /* how many of them may go on */

inline wait(waiters, signals) {
	d_step {
		waiters++;
		mutex?_
	};
	d_step {
		signals > 0 ->
		signals--
	};
	mutex!1
}

inline signal(waiters, signals) {
	if
	:: d_step {
		waiters > 0 ->
		waiters--;
		signals++
	   }
	:: waiters == 0
	fi
}

active [PRODUCERS] proctype producer() {
	do
	:: mutex!1;
	   do
	   :: length == SIZE -> wait(full_waiters, full_signals)
	   :: length < SIZE -> break
	   od;
	   length++;
	   assert(length <= SIZE);
	   signal(empty_waiters, empty_signals);
	   mutex?_
	od
}

active [CONSUMERS] proctype consumer() {
	do
	:: mutex!1;
	   do
	   :: length == 0 -> wait(empty_waiters, empty_signals)
	   :: length > 0 -> break
	   od;
	   length--;
	   assert(length < SIZE);
	   signal(full_waiters, full_signals);
	   mutex?_
	od
}
