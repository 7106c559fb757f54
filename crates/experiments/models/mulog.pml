/*
 * MULOG: mutual exclusion with a token that travels along a logical tree.
 *
 * M. Trehel and M. Naimi, A distributed algorithm for mutual exclusion based on data
 * structures and fault tolerance (1987); the model of that name in P. Godefroid's thesis
 * (section 8.3) has two processes for each participant, which communicate by FIFO
 * channels and shared variables, and is not published. From the description of the
 * algorithm:
 *
 * - `last` is the participant that is believed to be the last to have asked for the
 *   token; whoever has no `last` is the root of the tree: it has the token or will be
 *   the last of those who wait to get it;
 * - `next` is the participant that gets the token next, if it is known;
 * - a request travels along `last` to the root, and everyone it passes makes the
 *   requester his `last`, since it is the new root.
 *
 * Our choices: one FIFO inbox for each participant, with room for everything that can be
 * under way to it (one request of each other participant, and the token); the algorithm
 * asks that a participant does one thing at a time, which a lock ensures, so that every
 * statement is a transition. Channels have constant indices, so that each statement says
 * whom it writes to: there is an alternative for each participant, up to five of them.
 *
 * Participants ask for the token again and again or, with ONCE, once each. The published
 * counts of MULOG3 suggest the second: almost no transition of the search with sleep sets
 * leads to a known state, the proviso changes nothing, and the longest path has about 150 states,
 * as in a model without cycles. ONCE has 36,146 states and 113,648 transitions (published:
 * 38,181 and 111,668), and the longest path of the reduced search has 84.
 *
 * safety: holds
 */
#ifndef N
#define N 3 /* participants */
#endif
#define NONE 255

mtype = { request, token };

chan inbox[N] = [N] of { mtype, byte };

/* What the two processes of a participant share. */
byte last[N] = { NONE, 0 }; /* participant 0, for all others: the last value repeats */
byte next[N] = NONE;
bool asking[N];
bool has_token[N] = { true, false };

/* Its lock: a channel with one slot is a semaphore. */
chan lock[N] = [1] of { bit };

byte inside; /* how many are in their critical section */

#if N == 2
#define EACH(alternative) alternative(0) alternative(1)
#elif N == 3
#define EACH(alternative) alternative(0) alternative(1) alternative(2)
#elif N == 4
#define EACH(alternative) alternative(0) alternative(1) alternative(2) alternative(3)
#else
#define EACH(alternative) alternative(0) alternative(1) alternative(2) alternative(3) alternative(4)
#endif

#define ASK(k) :: last[me] == k -> inbox[k]!request,me; last[me] = NONE
#define HAND_ON(k) :: next[me] == k -> has_token[me] = false; inbox[k]!token,me; next[me] = NONE
#define FORWARD(k) :: last[me] == k -> inbox[k]!request,who
#define GIVE(k) :: last[me] == NONE && !asking[me] && who == k -> has_token[me] = false; inbox[k]!token,me

/* The one who wants to enter. */
active [N] proctype user() {
	byte me = _pid;
again:	lock[me]!1;
	asking[me] = true;
	if
	EACH(ASK)
	:: else
	fi;
	lock[me]?_;
	has_token[me];
	inside++;
	assert(inside == 1);
	inside--;
	lock[me]!1;
	asking[me] = false;
	if
	EACH(HAND_ON)
	:: else
	fi;
#ifdef ONCE
	lock[me]?_
#else
	lock[me]?_;
	goto again
#endif
}

/* The one who answers the others. */
active [N] proctype server() {
	byte me = _pid - N;
	byte who;
end:	do
	:: inbox[me]?request,who ->
		lock[me]!1;
		if
		EACH(FORWARD)
		:: last[me] == NONE && asking[me] -> next[me] = who
		EACH(GIVE)
		fi;
		last[me] = who;
		who = 0;
		lock[me]?_
	:: inbox[me]?token,_ ->
		has_token[me] = true
	od
}
