/*
 * Requests and answers on two channels, in the order that the trace assertion wants: of the
 * requests, only the sends are watched.
 *
 * safety: holds
 */
mtype = { ask, reply };
chan request = [2] of { mtype, byte };
chan answer = [2] of { mtype, byte };
byte other;

trace {
end:	do
	:: request!ask,_ -> answer!reply,_; answer?reply,_
	od
}

active proctype Client() {
	byte n, m;
	do
	:: n < 3 -> n++; request!ask,n; answer?reply,m
	:: n == 3 -> break
	od
}

active proctype Server() {
	byte n;
end:	do
	:: request?ask,n -> other = n; answer!reply,n
	od
}
