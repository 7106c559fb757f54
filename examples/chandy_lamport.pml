/*
 * The snapshot algorithm of Chandy and Lamport, with two branches of a bank.
 *
 * Two coins go back and forth. A records what it has and sends a marker after all coins that it sent
 * before; B, when the marker arrives, records what it has and sends a marker back; A counts the coins that arrive
 * between its own record and that marker as being under way. What is recorded need not be
 * a state that the bank was in, as somebody would have seen it. But it is one that it
 * could have been in, in another order of what happened apart: that is the promise of the algorithm.
 *
 * Each line between the branches is a row of two cells that pass on what they get. (A channel with a buffer is
 * one object for snapshots, whose sends and receives are ordered.)
 *
 *   mazurka check chandy_lamport.pml                 holds
 *   mazurka check chandy_lamport.pml -D OVERTAKE     the marker overtakes coins: violated
 */
mtype = { coin, marker };

chan ab[3] = [0] of { mtype };
chan ba[3] = [0] of { mtype };
chan fast = [0] of { mtype };

/* What is recorded. */
byte has_a;
byte has_b;
byte under_way;
bool done;

/* The cells: processes 0 and 1 from A to B, 2 and 3 back. */
active [2] proctype AB() {
	mtype m;
	do
	:: ab[_pid]?m; holds: ab[_pid + 1]!m
	od
}

active [2] proctype BA() {
	mtype m;
	do
	:: ba[_pid - 2]?m; holds: ba[_pid - 1]!m
	od
}

active proctype A() {
	byte coins = 1;
	bool recorded;
top:	do
	:: coins > 0 -> coins--; ab[0]!coin
	:: ba[2]?coin -> coins++; if :: recorded && !done -> under_way++ :: else fi
	:: !recorded -> recorded = true; has_a = coins;
#ifdef OVERTAKE
		fast!marker
#else
		ab[0]!marker
#endif
	:: ba[2]?marker -> done = true
	od
}

active proctype B() {
	byte coins = 1;
top:	do
	:: coins > 0 -> coins--; ba[0]!coin
	:: ab[2]?coin -> coins++
#ifdef OVERTAKE
	:: fast?marker -> has_b = coins; ba[0]!marker
#else
	:: ab[2]?marker -> has_b = coins; ba[0]!marker
#endif
	od
}

/* A coin is in a cell. */
#define FROM_A(cell) (AB[cell]@holds && AB[cell]:m == coin)
#define FROM_B(cell) (BA[cell]@holds && BA[cell]:m == coin)

/* So many coins are under way to A. */
#define NONE (!FROM_B(2) && !FROM_B(3))
#define ONE ((FROM_B(2) && !FROM_B(3)) || (FROM_B(3) && !FROM_B(2)))
#define TWO (FROM_B(2) && FROM_B(3))

/* If this was recorded, the bank passed through this state, with no coin in anybody's hands. */
#define PASSED(a, b, n, cells) ((done && has_a == a && has_b == b && under_way == n) -> \
	snapshot(A@top && A:coins == a && B@top && B:coins == b && cells && !FROM_A(0) && !FROM_A(1)))

ltl passed { [] (PASSED(1, 1, 0, NONE) && PASSED(2, 0, 0, NONE) && PASSED(0, 2, 0, NONE) &&
                 PASSED(0, 1, 1, ONE) && PASSED(1, 0, 1, ONE) && PASSED(0, 0, 2, TWO) && PASSED(0, 1, 0, NONE)) }

ltl nothing_is_lost { [] (done -> has_a + has_b + under_way == 2) }

/* A coin is in a cell: 1, or else 0. */
#define COIN_A(cell) (AB[cell]@holds && AB[cell]:m == coin)
#define COIN_B(cell) (BA[cell]@holds && BA[cell]:m == coin)

/* In each state that the bank could have been in, with no coin in anybody's hands, the coins are two. */
ltl money { [] !snapshot(A@top && B@top &&
                         A:coins + B:coins + COIN_A(0) + COIN_A(1) + COIN_B(2) + COIN_B(3) != 2) }
