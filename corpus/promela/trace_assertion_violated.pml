/*
 * Two clients overtake each other, which the trace assertion does not allow.
 *
 * safety: error
 */
chan request = [2] of { byte };
chan answer = [2] of { byte };
byte unrelated;

trace {
end:	do
	:: request!1 -> answer!1
	:: request!2 -> answer!2
	od
}

active [2] proctype Client() {
	byte m;
	unrelated = _pid;
	request!(_pid + 1);
	answer?m
}

active proctype Server() {
	byte n;
end:	do
	:: request?n -> answer!n
	od
}
