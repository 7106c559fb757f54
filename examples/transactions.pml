/*
 * Two transactions of a small database: are they serialisable?
 *
 * Each changes x and then y. They run side by side, and that is fine as long as it could as well have been
 * one after the other: in some equivalent order, there is a state in which one is done and the
 * other has not started. With locks that are kept to the end it is so; if a lock is given back
 * early, one transaction can be before the other in x and after it in y.
 *
 *   mazurka check transactions.pml             holds
 *   mazurka check transactions.pml -D EARLY    violated
 */
byte x;
byte y;
bool lock_x;
bool lock_y;

#define lock(l) atomic { !l -> l = true }
#ifdef EARLY
#define early(l) l = false
#define late(l) skip
#else
#define early(l) skip
#define late(l) l = false
#endif

active proctype T1() {
start:	lock(lock_x);
	x = x + 1;
	early(lock_x);
	lock(lock_y);
	y = y + 1;
	late(lock_x);
	lock_y = false;
end_done: false
}

active proctype T2() {
start:	lock(lock_x);
	x = 2 * x;
	early(lock_x);
	lock(lock_y);
	y = 2 * y;
	late(lock_x);
	lock_y = false;
end_done: false
}

ltl serialisable { [] ((T1@end_done && T2@end_done) ->
	(snapshot(T1@end_done && T2@start) || snapshot(T2@end_done && T1@start))) }
