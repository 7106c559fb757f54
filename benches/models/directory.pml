/*
 * Cache coherence with a directory: the home node grants shared or exclusive access to a line and
 * takes it back from those who have it. S. M. German's protocol, in A. Pnueli, S. Ruah and
 * L. Zuck, Automatic deductive verification with invisible invariants, 2001.
 *
 * safety: holds
 */
#ifndef N
#define N 2
#endif
mtype = { ask_shared, ask_exclusive, grant_shared, grant_exclusive, invalidate, done };
chan requests[N] = [1] of { mtype };
chan orders[N] = [1] of { mtype }; /* grants and invalidations */
chan replies[N] = [1] of { mtype };
byte readers, writers; /* who has the line now */

active [N] proctype client() {
	mtype state = invalidate; /* what was granted last */
	bool waiting;
end:	do
	:: state == invalidate && !waiting ->
		waiting = true;
		requests[_pid]!ask_shared
	:: state != grant_exclusive && !waiting ->
		waiting = true;
		requests[_pid]!ask_exclusive
	:: orders[_pid]?grant_shared ->
		state = grant_shared;
		waiting = false;
		readers++;
		assert(writers == 0)
	:: orders[_pid]?grant_exclusive ->
		state = grant_exclusive;
		waiting = false;
		writers++;
		assert(writers == 1 && readers == 0)
	:: orders[_pid]?invalidate ->
		if
		:: state == grant_shared -> readers--
		:: state == grant_exclusive -> writers--
		:: state == invalidate
		fi;
		state = invalidate;
		replies[_pid]!done
	od
}

active proctype home() {
	byte k, who;
	mtype what;
	bool has[N];
	bool exclusive;
end:	do
	:: who = 0;
end_ask:   do
	   :: requests[who]?what -> break
	   :: empty(requests[who]) && who < N - 1 -> who++
	   :: empty(requests[who]) && who == N - 1 -> goto end
	   od;
	   if
	   :: what == ask_exclusive || exclusive ->
		for (k : 0 .. N - 1) {
			if
			:: has[k] ->
				orders[k]!invalidate;
				replies[k]?done;
				has[k] = false
			:: !has[k]
			fi
		}
	   :: what == ask_shared && !exclusive
	   fi;
	   has[who] = true;
	   if
	   :: what == ask_shared ->
		exclusive = false;
		orders[who]!grant_shared
	   :: what == ask_exclusive ->
		exclusive = true;
		orders[who]!grant_exclusive
	   fi
	od
}
