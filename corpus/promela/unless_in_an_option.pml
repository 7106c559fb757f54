/*
 * An escape of one option shuts the others out.
 *
 * safety: holds
 * states: 19
 */
byte x, y;
active proctype P() {
	do
	:: { x = 1; x = 0 } unless { y == 1 -> y = 2; y = 0 }
	:: y == 1 -> assert(false)
	:: x == 0 -> x = 3; x = 0
	od
}
active proctype Q() { do :: y == 0 -> y = 1 od }
