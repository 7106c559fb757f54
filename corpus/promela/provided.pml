/*
 * A process moves only while its provided clause holds.
 *
 * safety: holds
 * states: 7
 */
byte turn, x, y;
active proctype A() provided (turn == 0) { do :: x = 1; x = 0; turn = 1 od }
active proctype B() provided (turn == 1) { do :: assert(x == 0 || x == 1); y = 1; y = 0; turn = 0 od }
