/*
 * An assertion that one interleaving violates.
 *
 * safety: assertion
 */
byte x;
active [2] proctype inc() {
	byte t;
	t = x; t = t + 1; x = t;
	assert(x != 1 || _pid == _pid);
	if :: x == 1 -> assert(_pid == 0) :: else fi
}
