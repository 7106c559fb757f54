/*
 * Local channels are created with each process and go with it.
 *
 * safety: holds
 * states: 38
 */
proctype P() { chan c = [2] of { byte }; byte v; c!1; c!2; c?v; assert(v == 1 && len(c) == 1 && c == _pid) }
init { do :: run P(); run P(); _nr_pr == 1 od }
