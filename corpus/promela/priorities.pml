/*
 * Only processes of the highest priority that can move do.
 *
 * safety: holds
 * states: 10
 */
byte x, y;
active proctype low() priority 1 { do :: x == 1 -> y = 1; assert(x == 1); x = 0 od }
active proctype high() priority 5 { do :: x == 0 -> y = 2; y = 0; x = 1 od }
