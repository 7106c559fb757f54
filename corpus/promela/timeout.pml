/*
 * Timeout is true where nothing else can move.
 *
 * safety: holds
 * states: 20
 */
byte x; chan c = [1] of { byte };
active proctype P() { do :: c?x :: timeout -> assert(x < 4 && empty(c)); x = x + 10; x = 0 od }
active proctype Q() { do :: c!1; x == 0; c!3; x == 0 od }
