/*
 * Timeout inside an expression.
 *
 * safety: assertion
 */
byte x;
active proctype P() { if :: timeout && x == 1 -> assert(false) :: timeout && x == 0 -> x = 1 fi; timeout; assert(x == 1); assert(x == 0) }
