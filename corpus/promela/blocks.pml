/*
 * A block is a place of its own.
 *
 * safety: holds
 * states: 7
 */
byte x;
active proctype A() { do :: { x = 1; { x = 2; x = 3 } } ; { x = 0 } :: { if :: x == 0 -> x = 4; { skip; x = 0 } fi } od }
