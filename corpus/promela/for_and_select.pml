/*
 * Loops with for, choices with select.
 *
 * safety: holds
 * states: 138
 */
byte i, j, s; byte a[3];
active proctype P() {
	do
	:: for (i : 1 .. 3) { s = s + i } ; assert(s == 6); s = 0
	:: for (j in a) { a[j] = j; s++ } ; assert(s == 3 && a[2] == 2); s = 0
	:: select (i : 2 .. 4); assert(i >= 2 && i <= 4)
	od
}
