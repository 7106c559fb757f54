/*
 * A barrier that reverses its sense, which N threads meet at again and again. D. Hensgen,
 * R. Finkel and U. Manber, Two algorithms for barrier synchronization, 1988; the sense is from
 * J. M. Mellor-Crummey and M. L. Scott, 1991.
 *
 * safety: holds
 */
#ifndef N
#define N 3
#endif
byte missing = N;
bool sense;
byte phase[N]; /* modulo 3 */

active [N] proctype thread() {
	bool mine;
	byte left;
	do
	:: phase[_pid] = (phase[_pid] + 1) % 3;
	   mine = !mine;
	   d_step {
		missing--;
		left = missing
	   };
	   if
	   :: left == 0 ->
		missing = N;
		sense = mine
	   :: left > 0 -> sense == mine
	   fi;
	   left = 0;
	   /* the neighbour is in the same phase, or in the next one */
	   assert((phase[(_pid + 1) % N] + 3 - phase[_pid]) % 3 < 2)
	od
}
