/*
 * What a variable keeps of a number depends on its type.
 *
 * safety: holds
 * states: 274
 */
bit b; bool t; byte y; short s; int i; unsigned u : 3; pid p;
active proctype main() {
	i = 300;
	b = i; assert(b == 0);
	t = 3; assert(t == true);
	y = i; assert(y == 44);
	y = 0 - 1; assert(y == 255);
	s = 40000; assert(s == 40000 - 65536);
	u = 13; assert(u == 5);
	p = i; assert(p == 44);
	i = 2147483647; i = i + 1; assert(i < 0);
	do :: y = y + 1 od
}
