/*
 * Messages come out in the order in which they went in.
 *
 * safety: holds
 * states: 144
 */
chan c = [2] of { byte, bit }; byte n, k; bit b;
active proctype S() { do :: n < 4 -> c!n,n; n++ :: n == 4 -> empty(c); n = 0; k == 4; k = 0 od }
active proctype R() { byte v; do :: k < 4 -> c?v,b; assert(v == k && b == k % 2); k++ od }
