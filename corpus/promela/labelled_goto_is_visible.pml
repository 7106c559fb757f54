/*
 * A jump with an end label is a place of its own.
 *
 * safety: holds
 * states: 44
 */
byte x;
active proctype A() {
	do
	:: x == 0 -> x = 1;
end:	   goto L
	:: x == 1 -> x = 0
	od;
L:	x = 2; x = 0;
	do :: x == 1 -> skip; x = 0 od
}
active proctype B() { do :: x == 1 -> x = 0 :: x == 0 -> x = 1 od }
