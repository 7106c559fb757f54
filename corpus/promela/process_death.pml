/*
 * Processes go in the reverse order of their creation.
 *
 * safety: holds
 * states: 21
 */
byte n;
proctype child(byte k) { n = n + k }
init {
	run child(1); run child(2);
	(_nr_pr == 1);
	assert(n == 3);
	run child(4);
	_nr_pr == 1;
	assert(n == 7)
}
