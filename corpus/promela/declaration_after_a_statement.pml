/*
 * A declaration between statements is an assignment where it stands.
 *
 * safety: holds
 * states: 7
 */
active proctype P() { byte x = 3; do :: x = 5; byte y = x; assert(y == 5); y = 9; x = 3 od }
