/*
 * _last is the process that moved last.
 *
 * safety: holds
 * states: 14
 */
byte x;
active proctype A() { do :: _last == 1 -> x = 1; assert(_last == 0 || _last == 1) od }
active proctype B() { do :: x = 2; x = 0 od }
