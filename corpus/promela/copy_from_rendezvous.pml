/*
 * The contents of a rendezvous channel cannot be inspected.
 *
 * safety: error
 */
chan c = [0] of { byte };
byte x;
active proctype P() { c?[1] -> x = 1 }
active proctype Q() { c!1 }
