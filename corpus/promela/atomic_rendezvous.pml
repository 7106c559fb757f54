/*
 * A rendezvous passes exclusivity to a receiver inside atomic.
 *
 * safety: holds
 * states: 10
 */
chan c = [0] of { byte }; byte x, y;
active proctype S() { do :: atomic { y == 0 -> y = 1; c!1; y = 0; x = 0 } od }
active proctype R() { do :: atomic { c?x; assert(y == 1); x = 2; assert(y == 1 && x == 2) } od }
active proctype T() { do :: x == 1 -> assert(false) :: y == 0 -> y = 2; y = 0 od }
