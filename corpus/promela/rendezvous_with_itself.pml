/*
 * A process cannot meet itself.
 *
 * safety: deadlock
 * states: 1
 */
chan c = [0] of { byte }; byte x;
active proctype P() { if :: c!1 :: c?x fi }
