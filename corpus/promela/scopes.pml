/*
 * Inner scopes have variables of their own.
 *
 * safety: holds
 * states: 17
 */
byte x;
active proctype P() {
	do
	:: { byte y; y = y + 2; { byte z = 7; assert(z == 7) }; assert(y == 2); y = 0 };
	   { byte w = 1; assert(w == 1); w = 5 };
	   assert(x == 0)
	od
}
