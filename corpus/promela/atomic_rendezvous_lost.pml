/*
 * A receiver outside atomic ends the exclusivity of the sender.
 *
 * safety: assertion
 */
chan c = [0] of { byte }; byte x, y;
active proctype S() { do :: atomic { y = 1; c!1; assert(y == 1); y = 0 } od }
active proctype R() { do :: c?x -> y = 2 od }
