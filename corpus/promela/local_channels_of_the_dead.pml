/*
 * The channels of a process go with it.
 *
 * safety: error
 */
chan hub = [1] of { chan }; byte x;
proctype child() { chan own = [1] of { byte }; hub!own }
init { chan c; run child(); hub?c; _nr_pr == 1; c!1 }
