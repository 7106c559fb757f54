/*
 * The same the other way around: what stands after the inner else does not disable it.
 *
 * safety: assertion
 */
byte x, y = 1;
active proctype A() {
	if
	:: if :: x == 1 -> skip :: else -> assert(false) fi
	:: y == 1 -> skip
	fi;
	do :: x = 1 - x od
}
