/*
 * The fields of a message are cut to their types.
 *
 * safety: holds
 * states: 10
 */
chan c = [1] of { bit, byte, short };
chan r = [0] of { bit, byte, short }; int a, b, d;
active proctype S() { do :: c!2,257,65537 :: r!3,256,32768 od }
active proctype R() {
	do
	:: c?a,b,d -> assert(a == 0 && b == 1 && d == 1)
	:: r?a,b,d -> assert(a == 1 && b == 0 && d == 0 - 32768)
	od
}
