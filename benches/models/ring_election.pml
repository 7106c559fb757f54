/*
 * Election of a leader in a ring that messages go round in one direction, for all orders of the
 * numbers of the processes: a number that meets a higher one is dropped. E. Chang and R. Roberts,
 * An improved algorithm for decentralized extrema-finding, 1979.
 *
 * safety: holds
 */
#ifndef N
#define N 3
#endif
mtype = { candidate, elected };
chan to[N] = [N] of { mtype, byte };
byte leaders;

proctype process(byte here, number) {
	byte other, next;
	next = (here + 1) % N;
	if
	:: to[next]!candidate,number
	:: skip /* takes part only when asked */
	fi;
	do
	:: to[here]?candidate,other ->
		if
		:: other > number -> to[next]!candidate,other
		:: other < number
		:: other == number ->
			assert(number == N);
			leaders++;
			assert(leaders == 1);
			to[next]!elected,number
		fi
	:: to[here]?elected,other ->
		assert(other == N);
		if
		:: other != number -> to[next]!elected,other
		:: other == number
		fi;
		break
	:: empty(to[here]) && timeout -> break
	od
}

init {
	bool used[N];
	byte k, pick;
	atomic {
		for (k : 0 .. N - 1) {
			select (pick : 1 .. N);
			do
			:: used[pick - 1] -> pick = pick % N + 1
			:: !used[pick - 1] -> break
			od;
			used[pick - 1] = true;
			run process(k, pick)
		}
	}
}
