/*
 * A d_step is one step.
 *
 * safety: holds
 * states: 1
 */
byte x, y;
active [2] proctype P() {
	byte i;
	do
	:: d_step { x == 0 -> x = 1; i = 0; do :: i < 3 -> i++; y = y + i :: else -> break od; y = y - 6; i = 0; x = 0 }
	:: d_step { if :: y == 0 -> skip :: else -> assert(false) fi; x = x }
	od
}
