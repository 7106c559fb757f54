/*
 * Election of a leader in a ring, with O(n log n) messages, for all orders of the numbers: in each
 * round a process stays active if the number before it is a local maximum. D. Dolev, M. Klawe and
 * M. Rodeh, An O(n log n) unidirectional distributed algorithm for extrema finding in a circle, 1982.
 *
 * safety: holds
 */
#ifndef N
#define N 3
#endif
#ifndef SIZE
#define SIZE (2 * N)
#endif
mtype = { one, two, winner };
chan to[N] = [SIZE] of { mtype, byte };
byte leaders;

proctype process(byte here, number) {
	byte best, before, other, next;
	next = (here + 1) % N;
	best = number;
	to[next]!one,best;
	do
	:: to[here]?one,before ->
		if
		:: before == best -> /* it came all the way round */
			to[next]!winner,best;
			break
		:: before != best -> to[next]!two,before
		fi
	:: to[here]?two,other ->
		if
		:: before > other && before > best ->
			best = before;
			to[next]!one,best
		:: before <= other || before <= best ->
			goto relay
		fi
	:: to[here]?winner,other ->
		to[next]!winner,other;
		goto done
	od;
	to[here]?winner,other;
	assert(other == N);
	leaders++;
	assert(leaders == 1);
	goto done;
relay:	do
	:: to[here]?one,other -> to[next]!one,other
	:: to[here]?two,other -> to[next]!two,other
	:: to[here]?winner,other ->
		assert(other == N);
		to[next]!winner,other;
		break
	od;
done:	skip
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

ltl elected { <> [] (leaders == 1) } /* in the end there is a leader: holds */
