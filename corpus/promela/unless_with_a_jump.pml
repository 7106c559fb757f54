/*
 * An escape that is a jump starts with the target of the jump.
 *
 * safety: holds
 * states: 46
 */
byte x, y;
active proctype P() {
L:	y == 1 -> x = 0; y = 0;
	{ x = 1; x = 2; do :: x < 5 -> x++ :: x == 5 -> x = 1 od } unless { goto L }
}
active proctype Q() { do :: y == 0 -> y = 1 od }
