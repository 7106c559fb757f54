/*
 * A receive as escape; a send inside what can be left.
 *
 * safety: holds
 * states: 28
 */
chan c = [0] of { byte };
byte x, v;
active proctype P() { do :: x = 0; { do :: x < 3 -> x++ :: x == 3 -> x = 1 od } unless { c?v -> v = 0 } od }
active proctype Q() { do :: { c!1; c!2 } unless { x == 3 } od }
