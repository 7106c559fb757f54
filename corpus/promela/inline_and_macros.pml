/*
 * Inlines with parameters and macros.
 *
 * safety: holds
 * states: 168
 */
#define MAX 3
#define twice(x) ((x) * 2)
byte v, w;
inline bump(x, by) { if :: x + by <= twice(MAX) -> x = x + by :: else -> x = 0 fi }
active proctype P() { do :: v < 9 -> bump(v, 1) :: w < 9 -> bump(w, 2); assert(w % 2 == 0) od }
