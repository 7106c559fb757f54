/*
 * else is tried before timeout.
 *
 * safety: holds
 * states: 4
 */
byte x;
active proctype P() { do :: timeout -> assert(false) :: x == 1 -> x = 0 :: else -> x = 1 od }
