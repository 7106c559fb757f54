/*
 * A selection at the start of an option belongs to the outer one, and its else to what
 * stands before it.
 *
 * safety: holds
 * states: 4
 */
byte x, y = 1;
active proctype A() {
	if
	:: y == 1 -> skip
	:: if :: x == 1 -> skip :: else -> assert(false) fi
	fi;
	do :: x = 1 - x od
}
