/*
 * A sliding window over channels that lose messages: everything after a lost message is sent
 * again. Numbers are taken modulo W + 1. A. S. Tanenbaum, Computer Networks, protocol 5.
 *
 * safety: holds
 */
#ifndef W
#define W 2
#endif
#ifndef C
#define C 1
#endif
#define M (W + 1)
chan data = [C] of { byte, byte };
chan acks = [C] of { byte };

active proctype sender() {
	byte first, next, length, value, got;
	do
	:: length < W ->
		data!next,value % 4;
		next = (next + 1) % M;
		value = (value + 1) % 4;
		length++
	:: acks?got ->
		do
		:: length > 0 && (got + M - first) % M < length ->
			first = (first + 1) % M;
			length--
		:: length == 0 || (got + M - first) % M >= length -> break
		od
	:: length > 0 -> /* too long without an answer: again from the first */
		value = (value + 4 * M - length) % 4;
		next = first;
		length = 0
	od
}

active proctype receiver() {
	byte expected, value, number, got;
	do
	:: data?number,got ->
		if
		:: number == expected ->
			assert(got == value);
			value = (value + 1) % 4;
			expected = (expected + 1) % M
		:: number != expected
		fi;
		acks!(expected + M - 1) % M
	od
}

active proctype loss() {
	do
	:: data?_,_
	:: acks?_
	od
}
