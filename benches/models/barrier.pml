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
#ifndef PHASES
#define PHASES 3
#endif
byte missing = N;
bool sense;
byte phase[N]; /* modulo PHASES */

active [N] proctype thread() {
	bool mine;
	byte left;
	do
	:: phase[_pid] = (phase[_pid] + 1) % PHASES;
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
	   assert((phase[(_pid + 1) % N] + PHASES - phase[_pid]) % PHASES < 2)
	od
}
