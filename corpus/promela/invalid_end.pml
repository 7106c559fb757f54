/*
 * A process that waits for good.
 *
 * safety: deadlock
 * states: 12
 */
chan c = [1] of { byte }; byte x;
active proctype A() { do :: c?x -> x = 0 od }
active proctype B() { c!1; c!2 }
