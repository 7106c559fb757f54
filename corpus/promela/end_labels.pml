/*
 * Stopping at an end label is no deadlock.
 *
 * safety: holds
 * states: 8
 */
chan c = [1] of { byte }; byte x;
active proctype A() { end: do :: c?x -> x = 0 od }
active proctype B() { c!1; c!2; end_here: x > 5 }
