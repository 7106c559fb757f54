/*
 * `else` is executable where nothing else of the selection is.
 *
 * safety: holds
 * states: 10
 */
byte x;
active proctype A() { do :: x > 3 -> x = 0 :: x == 2 -> x = 4 :: else -> x++; assert(x != 3) od }
