/*
 * Loops, selections and breaks inside atomic.
 *
 * safety: holds
 * states: 112
 */
byte x, n;
active [2] proctype P() {
	byte i;
	do
	:: atomic { i = 0; do :: i < 2 -> i++; x = x + 1 :: i == 2 -> break :: i == 1 -> x = 3; break od; if :: x > 4 -> x = 0 :: else fi }
	:: atomic { n = 1; { if :: x == 3 -> n = 2 :: x != 3 -> n = 0 fi } }; n = 0
	od
}
