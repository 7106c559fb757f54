/*
 * Agreement on one value by the majority of A acceptors, with P proposers who try with one ballot
 * each. L. Lamport, The part-time parliament, 1998.
 *
 * safety: holds
 */
#ifndef P
#define P 2
#endif
#ifndef A
#define A 3
#endif
#define MAJORITY (A / 2 + 1)
mtype = { prepare, accept };
chan to[A] = [P] of { mtype, byte, byte }; /* ballot, value */
chan promises[P] = [A] of { byte, byte }; /* the last vote: ballot, value */
byte votes[P]; /* for each ballot */
byte chosen; /* 0: none yet */

active [P] proctype proposer() {
	byte k, count, best, value, ballot, other;
	for (k : 0 .. A - 1) {
		to[k]!prepare,_pid + 1,0
	}
end_waits:
	do
	:: count < MAJORITY ->
end_promise:	promises[_pid]?ballot,other;
		count++;
		if
		:: ballot > best ->
			best = ballot;
			value = other
		:: ballot <= best
		fi
	:: count == MAJORITY -> break
	od;
	if
	:: best == 0 -> value = _pid + 1
	:: best > 0
	fi;
	for (k : 0 .. A - 1) {
		to[k]!accept,_pid + 1,value
	}
end:	do
	:: promises[_pid]?_,_
	od
}

active [A] proctype acceptor() {
	byte promised, voted, value, ballot, other, here;
	here = _pid - P;
end:	do
	:: to[here]?prepare,ballot,_ ->
		if
		:: ballot > promised ->
			promised = ballot;
			promises[ballot - 1]!voted,value
		:: ballot <= promised
		fi
	:: to[here]?accept,ballot,other ->
		if
		:: ballot >= promised ->
			promised = ballot;
			voted = ballot;
			value = other;
			d_step {
				votes[ballot - 1]++;
				if
				:: votes[ballot - 1] == MAJORITY ->
					assert(chosen == 0 || chosen == other);
					chosen = other
				:: else
				fi
			}
		:: ballot < promised
		fi
	od
}

ltl stable { [] ((chosen == 1) -> [] (chosen == 1)) } /* what is chosen stays so: holds */
