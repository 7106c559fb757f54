/*
 * The alternating bit protocol in both directions at once, over channels that lose messages.
 * K. A. Bartlett, R. A. Scantlebury and P. T. Wilkinson, A note on reliable full-duplex transmission
 * over half-duplex links, 1969.
 *
 * safety: holds
 */
#ifndef C
#define C 1
#endif
#ifndef V
#define V 2
#endif
chan to[2] = [C] of { bit, bit, byte }; /* number, number acknowledged, value */

active [2] proctype station() {
	bit mine, theirs, number, answer;
	byte value, expected, got;
	theirs = 1;
	do
	:: to[1 - _pid]!mine,theirs,value
	:: to[_pid]?number,answer,got ->
		if
		:: number != theirs ->
			assert(got == expected);
			expected = (expected + 1) % V;
			theirs = number
		:: number == theirs
		fi;
		if
		:: answer == mine ->
			mine = 1 - mine;
			value = (value + 1) % V
		:: answer != mine
		fi
	od
}

active proctype loss() {
	do
	:: to[0]?_,_,_
	:: to[1]?_,_,_
	od
}
