/*
 * Constants, eval and mtypes in the patterns of a receive.
 *
 * safety: holds
 * states: 256
 */
mtype = { red, green, blue };
chan c = [2] of { mtype, byte }; byte v, k = 1; mtype t;
active proctype S() { do :: c!red,1 :: c!green,k :: c!blue(v) od }
active proctype R() {
	do
	:: c?red,1 -> assert(true)
	:: c?green,eval(k) -> k = 3 - k
	:: c?green,v -> v = 0
	:: c?blue(_)
	od
}
