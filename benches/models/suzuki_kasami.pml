/*
 * Distributed mutual exclusion with a token that goes to whoever asked for it and carries the
 * numbers of the last requests that were met. Each enters ROUNDS times, and the
 * first MORE processes once more. I. Suzuki and T. Kasami, A distributed mutual exclusion algorithm,
 * 1985. The queue is looked up round the ring.
 *
 * safety: holds
 */
#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef MORE
#define MORE 0
#endif
chan ask[N] = [N * ROUNDS] of { byte, byte };
chan token[N] = [1] of { bit };
byte met[N]; /* travels with the token */
byte inside;

active [N] proctype process() {
	byte asked[N];
	byte k, other, number;
	bool has = (_pid == 0);
	bool wants;
end:	do
	:: !wants && asked[_pid] < ROUNDS + (_pid < MORE -> 1 : 0) ->
		wants = true;
		asked[_pid]++;
		if
		:: !has ->
			for (k : 0 .. N - 1) {
				if
				:: k != _pid -> ask[k]!_pid,asked[_pid]
				:: k == _pid
				fi
			}
		:: has
		fi
	:: ask[_pid]?other,number ->
		asked[other] = (number > asked[other] -> number : asked[other])
	:: token[_pid]?_ -> has = true
	:: has && wants ->
		inside++;
		assert(inside == 1);
		inside--;
		wants = false;
		met[_pid] = asked[_pid]
	:: has && !wants ->
		k = (_pid + 1) % N;
		do
		:: k != _pid && asked[k] == met[k] + 1 ->
			has = false;
			token[k]!1;
			break
		:: k != _pid && asked[k] != met[k] + 1 -> k = (k + 1) % N
		:: k == _pid -> /* nobody waits: for news */
end_news:		ask[_pid]?other,number;
			asked[other] = (number > asked[other] -> number : asked[other]);
			break
		od
	od
}
