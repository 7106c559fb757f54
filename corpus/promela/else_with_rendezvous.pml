/*
 * A rendezvous that finds its partner disables else; one that does not, does not.
 *
 * safety: assertion
 */
chan c = [0] of { byte };
chan d = [0] of { byte };
byte x;
active proctype A() {
	do :: c!1 -> break :: else -> assert(false) od;
	do :: d!1 :: else -> assert(false) od
}
active proctype B() { do :: c?x od }
