/*
 * A deque for work stealing: its owner takes from one end, THIEVES others from the other, and only
 * the last item needs an atomic operation. Every item is taken once. D. Chase and Y. Lev, Dynamic
 * circular work-stealing deque, 2005.
 *
 * safety: holds
 */
#ifndef N
#define N 3
#endif
#ifndef THIEVES
#define THIEVES 2
#endif
byte item[N + 1];
byte top = 1, bottom = 1; /* from top to before bottom */
byte taken[N + 1];

inline take(x) {
	d_step {
		taken[x]++;
		assert(taken[x] == 1)
	};
	x = 0
}

active proctype owner() {
	byte made, t, x;
	do
	:: made < N && bottom <= N -> /* pushes */
		made++;
		item[bottom] = made;
		bottom = bottom + 1
	:: bottom > 1 -> /* pops */
		bottom = bottom - 1;
		t = top;
		if
		:: t > bottom -> bottom = t
		:: t < bottom ->
			x = item[bottom];
			take(x)
		:: t == bottom ->
			x = item[bottom];
			if
			:: d_step { top == t -> top = t + 1 }; /* compare and swap */
				bottom = t + 1;
				take(x)
			:: top != t ->
				x = 0;
				bottom = t + 1
			fi
		fi;
		t = 0
	:: made == N && bottom <= top -> break
	od
}

active [THIEVES] proctype thief() {
	byte t, b, x;
end:	do
	:: t = top;
	   b = bottom;
	   if
	   :: t < b ->
		x = item[t];
		if
		:: d_step { top == t -> top = t + 1 }; take(x)
		:: top != t -> x = 0
		fi
	   :: t >= b
	   fi
	od
}
