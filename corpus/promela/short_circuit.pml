/*
 * The second operand is not evaluated if the first decides.
 *
 * safety: holds
 * states: 6
 */
byte a[2], i;
active proctype P() { do :: i < 2 && a[i] == 0 -> i++ :: i >= 2 || a[i] == 1 -> i = 0 od }
