/*
 * Nothing comes between the statements of atomic.
 *
 * safety: holds
 * states: 5
 */
byte x, y;
active [2] proctype P() {
	do
	:: atomic { x == 0 -> x = _pid + 1; y = x; x = 0; assert(y == _pid + 1) }
	:: atomic { y = 0; if :: x == 0 -> y = 9 :: y == 0 -> y = 8 fi; assert(y > 0) }
	od
}
