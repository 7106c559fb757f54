/*
 * What must not happen, and does: two messages before the first is received. With a
 * rendezvous channel beside it, which counts as a send and a receive.
 *
 * safety: error
 */
chan c = [2] of { bit };
chan r = [0] of { bit };

notrace {
	r!1; r?1; c!_; c!_
}

active proctype P() {
	r!1;
	c!0;
	c!1
}

active proctype Q() {
	bit x;
	r?x;
	do
	:: c?x
	:: break
	od
}
