/*
 * Sender and receiver meet; several of each.
 *
 * safety: holds
 * states: 132
 */
chan c = [0] of { byte, byte }; byte got;
active [2] proctype S() { do :: c!_pid,1 :: c!_pid,2 od }
active proctype R() { byte p, v; do :: c?p,v -> assert(p < 2 && v > 0); p = 0; v = 0 od }
active proctype T() { byte p; do :: c?p,1 -> got = p + 1 :: c?eval(got - 1),2 -> got = 0 od }
