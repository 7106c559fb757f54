/*
 * Inside d_step the first executable option is taken.
 *
 * safety: holds
 * states: 3
 */
byte x;
active proctype P() { do :: d_step { x = 0; if :: x = 1 :: x = 2 :: x = 3 fi; assert(x == 1) } :: x = 5 od }
