/*
 * An elevator: people call it to a floor, it goes there and opens its door, which is closed
 * whenever it moves.
 *
 * safety: holds
 * states: 2772
 */
#ifndef FLOORS
#define FLOORS 2
#endif
bool called[FLOORS];
bool open[FLOORS];
byte at;
chan wish = [1] of { byte };

active proctype people() {
	byte floor;
	do
	:: select (floor : 0 .. FLOORS - 1);
	   wish!floor
	od
}

active proctype controller() {
	byte floor;
	do
	:: wish?floor ->
		called[floor] = true
	od
}

active proctype cabin() {
	do
	:: called[at] ->
		open[at] = true;
		called[at] = false;
		open[at] = false
	:: !called[at] && at + 1 < FLOORS ->
		assert(!open[at]);
		at++
	:: !called[at] && at > 0 ->
		assert(!open[at]);
		at--
	od
}
