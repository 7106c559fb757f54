/*
 * Channels are sent, received and passed as arguments.
 *
 * safety: holds
 * states: 204
 */
chan hub = [1] of { chan }; chan reply = [1] of { byte };
proctype client(chan h; byte me) {
	chan own = [1] of { byte }; byte v;
	do :: h!own; own?v; assert(v == own) od
}
active proctype server() { chan c; do :: hub?c -> c!c od }
init { run client(hub, 1); run client(hub, 2); reply!1; end: false }
