/*
 * One statement, several choices, and the last of them is wrong: to replay the failure
 * it takes the right choices, not only the right statements.
 *
 * safety: assertion
 */
active proctype P() {
	bool a, b;
	byte n;
	select (a : 0 .. 1);
	select (b : 0 .. 1);
	select (n : 1 .. 3);
	assert(!(!a && b && n == 2))
}
