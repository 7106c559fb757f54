/*
 * A consistent snapshot of N banks that send each other money round a ring, taken while they do.
 * The money in the snapshot is the money that there is. K. M. Chandy and L. Lamport, Distributed
 * snapshots: determining global states of distributed systems, 1985.
 *
 * safety: holds
 */
#ifndef N
#define N 2
#endif
#ifndef MONEY
#define MONEY 2
#endif
mtype = { money, marker };
chan to[N] = [MONEY * N + 1] of { mtype };
byte recorded; /* the sum of what has been recorded */
byte ended;

active [N] proctype bank() {
	byte balance = MONEY;
	bool recording, done;
	byte next = (_pid + 1) % N;
end:	do
	:: balance > 0 ->
		balance--;
		to[next]!money
	:: _pid == 0 && !recording -> /* begins */
		recording = true;
		recorded = recorded + balance;
		to[next]!marker
	:: to[_pid]?money ->
		balance++;
		if
		:: recording && !done -> recorded++ /* it was on its way */
		:: !recording || done
		fi
	:: to[_pid]?marker ->
		if
		:: !recording ->
			recording = true;
			recorded = recorded + balance;
			to[next]!marker
		:: recording
		fi;
		done = true;
		ended++;
		assert(ended < N || recorded == N * MONEY)
	od
}
