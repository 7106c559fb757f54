/*
 * A process that blocks inside atomic gives way and gets exclusivity back when it goes on.
 *
 * safety: holds
 * states: 11
 */
byte x, y, turn;
active proctype P() {
	do :: atomic { x = 1; turn == 1; y = 1; assert(turn == 1); y = 0; turn = 0; x = 0 } od
}
active proctype Q() {
	do :: x == 1 -> turn = 1; assert(y == 0) od
}
