/*
 * Jumps inside, into and out of atomic.
 *
 * safety: holds
 * states: 10
 */
byte x, y;
active proctype P() {
L:	atomic { x = 1; if :: y == 0 -> goto M :: y == 1 -> x = 2 fi; N: x = 3; assert(y < 2) };
	goto L;
M:	x = 0; if :: goto L :: goto N fi
}
active proctype Q() { do :: y = 1 - y od }
