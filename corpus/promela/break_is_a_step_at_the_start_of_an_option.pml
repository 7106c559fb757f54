/*
 * `break` and `goto` are steps only where a sequence starts with them.
 *
 * safety: holds
 * states: 22
 */
byte x;
active proctype A() {
again:	do
	:: x < 3 -> x++
	:: x == 2 -> break
	:: break
	:: x == 3 -> x = 0; goto again
	:: goto out
	od;
	x = 5;
out:	if :: x == 5 -> x = 1; goto again :: else -> goto again fi
}
active proctype B() { do :: x = 0 :: x = 2 od }
