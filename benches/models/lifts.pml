/*
 * A bank of LIFTS lifts in a building with N floors. A call is served by whichever lift comes
 * first; no lift moves with its door open. After the lift of D. E. Knuth, The Art of Computer
 * Programming, volume 1, section 2.2.5.
 *
 * safety: holds
 */
#ifndef N
#define N 3
#endif
#ifndef LIFTS
#define LIFTS 2
#endif
bool called[N];
byte at[LIFTS];
bool open[LIFTS];

active [LIFTS] proctype lift() {
	bool up = true;
	do
	:: called[at[_pid]] ->
		open[_pid] = true;
		called[at[_pid]] = false;
		open[_pid] = false
	:: !called[at[_pid]] && up ->
		if
		:: at[_pid] < N - 1 ->
			assert(!open[_pid]);
			at[_pid]++
		:: at[_pid] == N - 1 -> up = false
		fi
	:: !called[at[_pid]] && !up ->
		if
		:: at[_pid] > 0 ->
			assert(!open[_pid]);
			at[_pid]--
		:: at[_pid] == 0 -> up = true
		fi
	od
}

active proctype people() {
	byte floor;
	do
	:: select (floor : 0 .. N - 1);
	   called[floor] = true
	od
}

ltl comes { [] (called[0] -> <> !called[0]) } /* violated: other floors call for ever */
