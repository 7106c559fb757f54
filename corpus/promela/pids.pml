/*
 * The number of a new process is the number of processes before.
 *
 * safety: holds
 * states: 28
 */
byte a, b;
proctype P(byte k) { assert(_pid == k); end: false }
active proctype A() { assert(_pid == 0); end: false }
init { assert(_pid == 1); a = run P(2); assert(a == 2); b = run P(3); assert(b == 3 && _nr_pr == 4); end: false }
