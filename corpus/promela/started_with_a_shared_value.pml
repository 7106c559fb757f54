/*
 * Starting a process reads what its variables begin with: whether the other has assigned
 * before or after makes a difference.
 *
 * safety: assertion
 */
byte x;

proctype Q() {
	byte z = x;
	assert(z == 1)
}

active proctype W() { x = 1 }

init { run Q() }
