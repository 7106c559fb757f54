/*
 * Detection of termination: a token goes round the ring of N machines and turns black if it passes
 * one that has sent work; a white token that comes home means that all are idle. E. W. Dijkstra,
 * Shmuel Safra's version of termination detection, EWD 998, 1987. Each machine sends work at most
 * SENDS times.
 *
 * safety: holds
 */
#ifndef N
#define N 3
#endif
#ifndef SENDS
#define SENDS 1
#endif
chan work[N] = [N * SENDS] of { bit };
chan token[N] = [1] of { bit, int }; /* is it black; messages on their way */
bool busy[N] = true;

active [N] proctype machine() {
	byte sends, to;
	int balance, sum;
	bool black, token_black;
	if
	:: _pid == 0 -> token[N - 1]!0,0
	:: _pid > 0
	fi;
end:	do
	:: busy[_pid] && sends < SENDS ->
		select (to : 0 .. N - 1);
		if
		:: to != _pid ->
			work[to]!1;
			balance++;
			sends++
		:: to == _pid
		fi;
		to = 0
	:: busy[_pid] -> busy[_pid] = false
	:: work[_pid]?_ ->
		busy[_pid] = true;
		balance--;
		black = true
	:: !busy[_pid] && nempty(token[_pid]) ->
		token[_pid]?token_black,sum;
		if
		:: _pid == 0 && !black && !token_black && sum + balance == 0 -> break
		:: _pid == 0 && (black || token_black || sum + balance != 0) ->
			black = false;
			token[N - 1]!0,0
		:: _pid > 0 ->
			token[_pid - 1]!black || token_black,sum + balance;
			black = false
		fi;
		sum = 0;
		token_black = false
	od;
	for (to : 0 .. N - 1) {
		assert(!busy[to] && empty(work[to]))
	}
}
