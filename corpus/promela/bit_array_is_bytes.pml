/*
 * C has no arrays of bit fields: the elements of a bit array are bytes in SPIN's verifier.
 *
 * safety: holds
 * states: 4
 */
bit a[2]; byte two = 2;
active proctype main() {
	a[1] = two;
	assert(a[1] == 2);
	do :: a[0] = 1 - a[0] od
}
