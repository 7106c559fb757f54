/*
 * Nothing may block inside d_step.
 *
 * safety: error
 */
byte x;
active proctype P() { x = 1; d_step { x == 1; x = 2; x == 3; x = 4 } }
