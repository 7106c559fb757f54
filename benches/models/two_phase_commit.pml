/*
 * Two-phase commit: everyone votes, and all do what the coordinator then says. Participants may
 * give up on their own before they have voted yes, and the coordinator may give up waiting for
 * votes. J. Gray, Notes on data base operating systems, 1978.
 *
 * safety: holds
 */
#ifndef N
#define N 3
#endif
mtype = { prepare, commit, abort, yes, no };
chan to[N] = [1] of { mtype };
chan votes = [N] of { mtype };
byte committed, aborted;

active [N] proctype participant() {
	if
	:: to[_pid]?prepare ->
		if
		:: votes!yes ->
			if
			:: to[_pid]?commit -> committed++
			:: to[_pid]?abort -> aborted++
			fi
		:: votes!no ->
			aborted++;
			to[_pid]?abort
		fi
	:: aborted++; /* of its own accord */
	   to[_pid]?prepare;
	   votes!no;
	   to[_pid]?abort
	fi;
	assert(committed == 0 || aborted == 0)
}

active proctype coordinator() {
	byte k, agreed;
	bool stops;
	mtype vote, decision;
	for (k : 0 .. N - 1) {
		to[k]!prepare
	}
	for (k : 1 .. N) {
		votes?vote;
		if
		:: vote == yes -> agreed++
		:: vote == no
		fi;
		if
		:: stops = true /* too late */
		:: skip
		fi
	}
	if
	:: agreed == N && !stops -> decision = commit
	:: else -> decision = abort
	fi;
	for (k : 0 .. N - 1) {
		to[k]!decision
	}
}

ltl decided { <> (committed + aborted == N) } /* everyone hears the decision: holds */
