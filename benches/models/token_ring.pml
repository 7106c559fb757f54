/*
 * A token ring with priorities of two levels: a station with an urgent frame reserves the token
 * when it passes, and the holder of the token raises its priority. Frames go to any other station.
 * After IEEE 802.5, much simplified.
 *
 * safety: holds
 */
#ifndef N
#define N 3
#endif
#ifndef V
#define V 1
#endif
mtype = { token, frame };
chan to[N] = [1] of { mtype, byte, bit }; /* kind; who for; urgent */
byte senders;
byte sent; /* frames, modulo V */

proctype station(byte here) {
	byte next, who, target;
	bit urgent, wants, wants_urgent;
	next = (here + 1) % N;
	if
	:: here == 0 -> to[next]!token,0,0
	:: here > 0
	fi;
	do
	:: !wants -> /* there is something to send */
		wants = 1;
		if
		:: wants_urgent = 1
		:: wants_urgent = 0
		fi
	:: to[here]?token,_,urgent ->
		if
		:: wants && (wants_urgent || !urgent) ->
			senders++;
			assert(senders == 1);
			sent = (sent + 1) % V;
			select (target : 0 .. N - 1);
			to[next]!frame,target,0;
			target = 0;
			to[here]?frame,who,urgent; /* it comes round */
			senders--;
			wants = 0;
			wants_urgent = 0;
			to[next]!token,0,urgent;
			who = 0
		:: !wants || (!wants_urgent && urgent) ->
			to[next]!token,0,urgent && wants_urgent
		fi;
		urgent = 0
	:: to[here]?frame,who,urgent ->
		to[next]!frame,who,urgent || (wants && wants_urgent);
		who = 0;
		urgent = 0
	od
}

init {
	byte k;
	atomic {
		for (k : 0 .. N - 1) {
			run station(k)
		}
		k = 0
	}
}
