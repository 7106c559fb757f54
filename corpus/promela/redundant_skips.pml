/*
 * SPIN drops a skip after a skip inside an option, unless it is the last.
 *
 * safety: holds
 * states: 8
 */
byte x;
active proctype A() { do :: x == 0 -> skip; skip; skip; x = 1 :: x == 1 -> skip; skip; x = 0; skip; skip od }
