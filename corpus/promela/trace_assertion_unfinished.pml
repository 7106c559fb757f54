/*
 * Everything stops, and the trace assertion still waits for an event.
 *
 * safety: deadlock
 */
chan c = [2] of { byte };

trace {
	c!1; c!2
}

active proctype P() {
	c!1;
end:	c?2
}
