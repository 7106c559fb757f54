/*
 * Priorities that change at run time.
 *
 * safety: holds
 * states: 16
 */
byte x;
active proctype A() priority 2 { do :: x = 1; set_priority(_pid, 1); x = 2 od }
active proctype B() priority 2 { do :: x = 3; assert(get_priority(1) == 2); x = 4 od }
