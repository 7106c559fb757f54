/*
 * Lamport's bakery: everyone draws a number higher than all others and waits for those with
 * lower ones. Nobody draws one above MAX; they start again when everyone has left. L. Lamport,
 * A new solution of Dijkstra's concurrent programming problem, 1974.
 *
 * safety: holds
 */
#ifndef N
#define N 2
#endif
#ifndef MAX
#define MAX 3
#endif
bool choosing[N];
byte number[N];
byte inside;

active [N] proctype customer() {
	byte k, highest;
	do
	:: choosing[_pid] = true;
	   highest = 0;
	   for (k : 0 .. N - 1) {
		if
		:: number[k] > highest -> highest = number[k]
		:: else
		fi
	   }
	   if
	   :: highest < MAX ->
		number[_pid] = highest + 1;
		choosing[_pid] = false;
		for (k : 0 .. N - 1) {
			!choosing[k];
			number[k] == 0 || number[k] > number[_pid] || (number[k] == number[_pid] && k >= _pid)
		}
		inside++;
		assert(inside == 1);
		inside--;
		number[_pid] = 0
	   :: else ->
		choosing[_pid] = false
	   fi
	od
}
