/*
 * Hidden variables are not part of the state.
 *
 * safety: holds
 * states: 4
 */
hidden byte h; byte x;
active proctype A() { do :: x = 1; h = 1; x = 0; h = 0 od }
