/*
 * A receive stores its second field into an element that its first field names: which one, is
 * not what the variable says before.
 *
 * safety: assertion
 */
byte a[2];
byte b;
chan c = [1] of { byte, byte };

active proctype S() { c!1,1 }

active proctype R() {
	byte i;
	c?i,a[i];
	b = 1
}

active proctype T() {
	byte y;
	y = a[1];
	assert(y == 1)
}
