/*
 * The older process cannot go before the younger one.
 *
 * safety: deadlock
 * states: 2
 */
byte n;
active proctype old() { n++ }
active proctype young() { _nr_pr == 1; n++ }
