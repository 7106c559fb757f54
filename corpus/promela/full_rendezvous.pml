/*
 * A rendezvous channel is empty, and never full.
 *
 * safety: holds
 * states: 6
 */
chan c = [0] of { byte };
active proctype P() {
	nfull(c);
	empty(c);
	if :: full(c) -> assert(false) :: nempty(c) -> assert(false) :: else fi;
	assert(len(c) == 0)
}
