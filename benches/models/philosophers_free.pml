/*
 * Dining philosophers who choose freely which fork to take first, and put it back if the other is
 * not there. D. Lehmann and M. O. Rabin, On the advantages of free choice: a symmetric and fully
 * distributed solution of the dining philosophers problem, 1981.
 *
 * safety: holds
 */
#ifndef N
#define N 3
#endif
bool taken[N];
byte eats[N];

active [N] proctype philosopher() {
	byte first, second;
	do
	:: if
	   :: first = _pid; second = (_pid + 1) % N
	   :: first = (_pid + 1) % N; second = _pid
	   fi;
	   d_step { !taken[first] -> taken[first] = true };
	   if
	   :: d_step { !taken[second] -> taken[second] = true };
		eats[_pid] = 1;
		assert(eats[(_pid + 1) % N] == 0 && eats[(_pid + N - 1) % N] == 0);
		eats[_pid] = 0;
		taken[second] = false;
		taken[first] = false
	   :: taken[second] -> taken[first] = false
	   fi
	od
}
