/*
 * Mutual exclusion after Peterson.
 *
 * safety: holds
 * states: 38
 */
bool flag[2], turn; byte ncrit;
active [2] proctype user() {
again:	flag[_pid] = 1; turn = _pid;
	(flag[1 - _pid] == 0 || turn == 1 - _pid);
	ncrit++; assert(ncrit == 1); ncrit--;
	flag[_pid] = 0; goto again
}
