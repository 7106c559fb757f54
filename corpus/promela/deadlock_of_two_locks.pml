/*
 * Two locks, taken in different orders.
 *
 * safety: deadlock
 * states: 10
 */
bit a, b;
inline lock(l) { atomic { l == 0 -> l = 1 } }
inline unlock(l) { l = 0 }
active proctype P() { do :: lock(a); lock(b); unlock(b); unlock(a) od }
active proctype Q() { do :: lock(b); lock(a); unlock(a); unlock(b) od }
