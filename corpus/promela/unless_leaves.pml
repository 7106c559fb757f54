/*
 * An escape is taken as soon as it can start.
 *
 * safety: holds
 * states: 38
 */
byte x, y;
active proctype P() {
	do
	:: { do :: x < 5 -> x++ :: x == 5 -> x = 1 od } unless { y == 1 -> x = 0 };
	   assert(x == 0)
	od
}
active proctype Q() { do :: y = 1; y = 0 od }
