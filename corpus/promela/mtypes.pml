/*
 * Symbolic names have values from 1, the first named last.
 *
 * safety: holds
 * states: 10
 */
mtype = { a, b, c };
mtype:color = { red, green };
mtype x; mtype:color y;
active proctype P() { assert(x == 0); x = a; y = red; assert(x > 0); do :: x = b :: x = c :: x = a :: y = green :: y = red od }
