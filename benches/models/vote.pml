/*
 * Election of a leader by terms: a server that hears nothing asks all others for their votes in a
 * new term, and each gives one vote in a term. At most one leader in each of TERMS terms.
 * D. Ongaro and J. Ousterhout, In search of an understandable consensus algorithm, 2014.
 *
 * safety: holds
 */
#ifndef N
#define N 3
#endif
#ifndef TERMS
#define TERMS 1
#endif
mtype = { request, vote };
chan to[N] = [N * TERMS] of { mtype, byte, byte }; /* term, from */
byte leaders[TERMS + 1];

active [N] proctype server() {
	byte term, votes, k, other, from;
	bool candidate;
	byte voted = 255;
end:	do
	:: term < TERMS -> /* hears nothing */
		term++;
		voted = _pid;
		votes = 1;
		candidate = true;
		for (k : 0 .. N - 1) {
			if
			:: k != _pid -> to[k]!request,term,_pid
			:: k == _pid
			fi
		}
		k = 0
	:: to[_pid]?request,other,from ->
		if
		:: other > term ->
			term = other;
			candidate = false;
			votes = 0;
			voted = 255
		:: other <= term
		fi;
		if
		:: other == term && voted == 255 ->
			voted = from;
			to[from]!vote,term,_pid
		:: other < term || voted != 255
		fi;
		other = 0;
		from = 0
	:: to[_pid]?vote,other,from ->
		if
		:: candidate && other == term ->
			votes++;
			if
			:: votes == N / 2 + 1 ->
				leaders[term]++;
				assert(leaders[term] == 1);
				candidate = false
			:: votes != N / 2 + 1
			fi
		:: !candidate || other != term
		fi;
		other = 0;
		from = 0
	od
}
