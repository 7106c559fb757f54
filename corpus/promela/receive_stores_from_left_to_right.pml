/*
 * A received index is used by the next field.
 *
 * safety: holds
 * states: 5
 */
chan c = [1] of { byte, byte }; byte i, a[3];
active proctype P() { do :: c!2,7; c?i,a[i]; assert(a[2] == 7); a[2] = 0; i = 0 od }
