/*
 * Distributed mutual exclusion: a process asks all others, and they answer at once, or when they
 * have left if their own request is older. Each enters ROUNDS times. G. Ricart and A. K. Agrawala,
 * An optimal algorithm for mutual exclusion in computer networks, 1981.
 *
 * safety: holds
 */
#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
mtype = { ask, reply };
chan to[N] = [2 * N] of { mtype, byte, byte };
byte inside;

active [N] proctype process() {
	byte clock, mine, rounds, replies, k, other, time;
	bool wants;
	bool deferred[N];
end:	do
	:: !wants && rounds < ROUNDS ->
		atomic {
			wants = true;
			rounds++;
			mine = clock + 1;
			replies = 0;
			for (k : 0 .. N - 1) {
				if
				:: k != _pid -> to[k]!ask,_pid,mine
				:: k == _pid
				fi
			}
			k = 0
		}
	:: to[_pid]?ask,other,time ->
		clock = (time > clock -> time : clock);
		if
		:: wants && (mine < time || (mine == time && _pid < other)) -> deferred[other] = true
		:: !wants || mine > time || (mine == time && _pid > other) -> to[other]!reply,_pid,0
		fi
	:: to[_pid]?reply,_,_ -> replies++
	:: wants && replies == N - 1 ->
		inside++;
		assert(inside == 1);
		inside--;
		wants = false;
		replies = 0;
		for (k : 0 .. N - 1) {
			if
			:: deferred[k] ->
				to[k]!reply,_pid,0;
				deferred[k] = false
			:: !deferred[k]
			fi
		}
		k = 0
	od
}
