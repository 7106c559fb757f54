/*
 * A body that starts with a jump.
 *
 * safety: holds
 * states: 13
 */
byte x;
active proctype A() { goto L; x = 9; L: do :: x < 4 -> x++ :: x > 0 -> x-- od }
