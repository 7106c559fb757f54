/*
 * Labels and variables of other processes.
 *
 * safety: holds
 * states: 10
 */
byte x;
active proctype A() { byte k; do :: x == 0 -> k = 1; L: x = 1; k = 0 :: x == 2 -> x = 0 od }
active proctype B() { do :: x == 1 -> M: x = 2 od }
never { do :: assert(!(A@L && B@M) && (A:k == 0 || x != 3)) od }
