/*
 * A label in front of a sequence with an escape.
 *
 * safety: deadlock
 * states: 68
 */
byte x, y;
active proctype P() {
end:	{ do :: x < 3 -> x++ :: x == 3 -> y == 2 -> x = 0 od } unless { y == 1 -> y = 0; goto end };
	x = 9
}
active proctype Q() { y = 1; y == 0; y = 2; y = 0; end: false }
