/*
 * Processes started inside atomic, their numbers kept.
 *
 * safety: holds
 * states: 23
 */
byte r, alive;
proctype W(byte k; bit b) { alive++; assert(b == k % 2); alive-- }
active proctype A() {
	do
	:: atomic { r = run W(1, 1); assert(r == 1); r = run W(2, 2); assert(r == 2) };
	   _nr_pr == 1; r = 0
	od
}
