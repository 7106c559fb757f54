/*
 * Arrays, records, initialisers.
 *
 * safety: holds
 * states: 258
 */
typedef inner { byte x; short y[2] };
typedef outer { inner a[2]; bool f };
outer o; byte k[3] = { 1, 2 }; byte z[2] = 7;
active proctype P() {
	assert(k[0] == 1 && k[1] == 2 && z[1] == 7);
	do :: o.a[1].y[0] = 0 - 3; o.a[1].x = o.a[1].x + 100; o.f = !o.f; assert(o.a[1].y[0] < 0 && o.a[0].x == 0) od
}
