/*
 * Conditional expressions and operators.
 *
 * safety: holds
 * states: 8
 */
int a = 7, b = 0 - 3; byte k;
active proctype P() {
	assert((a > b -> 1 : 2) == 1 && a / b == 0 - 2 && a % b == 1);
	assert((a & 3) == 3 && (a | 8) == 15 && (a ^ 2) == 5 && (a << 2) == 28 && (b >> 1) == 0 - 2 && ~a == 0 - 8);
	assert(!(a == b) && (a != b) && (a >= 7) && (b <= 0 - 3));
	do :: k = (k < 4 -> k + 1 : 0) od
}
