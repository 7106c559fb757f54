/*
 * An array of channels, and channels in records.
 *
 * safety: holds
 * states: 19
 */
typedef box { chan c = [1] of { byte }; byte n };
chan a[2] = [1] of { byte }; box b; byte v;
active proctype P() {
	do
	:: a[0]!1; a[0]?v :: a[1]!2; a[1]?v; assert(v == 2)
	:: b.c!3; b.c?b.n; assert(b.n == 3 && b.c == 3 && a[1] == 2); b.n = 0
	od
}
