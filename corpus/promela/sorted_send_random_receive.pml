/*
 * Sorted send and random receive.
 *
 * safety: holds
 * states: 14
 */
chan c = [3] of { byte, byte }; byte a, b;
active proctype P() {
	do
	:: c!!2,9; c!!1,7; c!!2,3;
	   c?<a,b>; assert(a == 1 && b == 7 && len(c) == 3);
	   c??2,b; assert(b == 3);
	   c??<a,eval(b + 6)>; assert(a == 2);
	   c?a,_; c?eval(a + 1),b; assert(b == 9); a = 0; b = 0
	od
}
