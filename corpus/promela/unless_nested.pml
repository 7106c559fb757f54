/*
 * While both escapes can be taken, the outer one is.
 *
 * safety: holds
 * states: 42
 */
byte x, y, z;
active proctype P() {
	do
	:: x = 0; { { x = 1; x = 2; x = 3 } unless { y == 1 -> z = 1; z = 2 } } unless { y == 1 -> z = 3; z = 4 };
	   assert(z == 0 || z == 2 || z == 4); z = 0
	od
}
active proctype Q() { do :: y = 1; y = 0 od }
