/*
 * len, empty, full and their negations, and polls of contents.
 *
 * safety: holds
 * states: 67
 */
chan c = [2] of { byte }; byte v;
active proctype P() {
	do
	:: nfull(c) -> c!len(c) + 1
	:: c?[1] -> assert(nempty(c)); c?v; assert(v == 1)
	:: c??[2] -> c??2; v = 2
	:: full(c) -> assert(len(c) == 2); c?<v>; assert(len(c) == 2)
	:: empty(c) -> assert(len(c) == 0); v = 0
	od
}
