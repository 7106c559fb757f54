/*
 * An escape from inside atomic.
 *
 * safety: holds
 * states: 12
 */
byte x, y;
active proctype P() {
	do
	:: atomic { x = 1; x = 2; x = 3 } unless { y == 1 -> x = 0 }
	:: { atomic { x = 1; y == 2; x = 2 } ; x = 3 } unless { atomic { y == 1 -> x = 7; x = 0 } }
	od
}
active proctype Q() { do :: y = 1; y = 2; y = 0 od }
