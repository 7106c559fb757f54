/* A tour of the language: every construct once, for tests that need valid text. */
#define N 3
#define MAX(a, b) ((a > b) -> a : b)
#define STEP(x) \
	x = x + 1; \
	x = MAX(x, 2)
#ifdef UNUSED
this is not read '
#elif defined(N) && N > 2
#define LIMIT (N * 2)
#else
#error "N is too small"
#endif

mtype = { ping, pong, stop };
mtype:colour = { red, green }

typedef Pair { byte left; byte right[2] };
typedef Message {
	mtype kind
	short value;
	Pair pair
}

bit flag; bool ok = true; byte counts[N] = 1; short s = -5; int total
unsigned small : 5 = 17;
hidden int scratch;
local byte mine;
show byte seen[2] = { 1, 2 };
pid last;
mtype:colour c = red;
chan rendezvous = [0] of { mtype, byte };
chan buffer = [LIMIT] of { byte, bool };
chan records[2] = [2] of { Message };
chan names = [1] of { chan };

inline reset(x, y) {
	byte old = x;
	x = y;
	if
	:: old > y -> goto out
	:: else
	fi;
out:	skip
}

inline larger(a, b) {
	if
	:: a > b -> return a
	:: else -> return b
	fi
}

proctype Sender(chan where; byte id) priority 2 provided (ok && _nr_pr > 0)
{	Message m;
	xs buffer;
	byte i;

	m.kind = ping;
	m.pair.right[1] = id
	where!m
	do
	:: i < N -> buffer!i,true; i++
	:: i >= N && nfull(buffer) -> buffer!!MAX(i, 2),0; break
	:: timeout -> break
	od;
	atomic { rendezvous!ping(id); rendezvous?pong,eval(id) }
end:	do
	:: rendezvous?stop,_ -> break
	od
}

active [2] proctype Receiver()
{	byte x, n = 2; bool b;
	Message m
	xr buffer;

	for (x : 0 .. N - 1) {
		byte inner = x;
		counts[inner] = counts[inner] + 1
	}
	for (x in counts) { total = total + counts[x] }
	for (m in records[1]) { printf("%e %d\n", m.kind, m.value) }
	select (n : 1 .. 4);
	select (x : n .. n + 2);
	if
	:: buffer?[x, true] -> buffer?x,b
	:: buffer??[1, _] -> d_step { buffer??1,b; x = 0 }
	:: buffer?<x,b>
	:: records[0]?? <m> ->
		skip
	:: empty(buffer)
		|| len(buffer) > 1 -> x--
	:: atomic { else -> x = 1 }
	fi
	{ x = 1; do :: x < 200 -> STEP(x) :: x >= 200 -> break od } unless { flag == 1 -> flag = 0 };
	reset(x, 3);
	x = larger(x, n);
	assert(x <= 255 && !(x < 0));
progress_here:
	last = run Sender(records[0], x) priority 1;
	set_priority(last, get_priority(_pid));
	x = (b -> 'a' : ~3 & 7 | 1 << 2);
	printf("done\n"); printm(red);
	goto finish;
accept_never:
	false;
finish:	skip
}

init
{	atomic {
		run Sender(records[1], 7);
		names!rendezvous
	}
	enabled(1) && _last != 3;
	Receiver[1]@finish && Receiver[1]:x == 1
}

never {
	do
	:: !np_ && Receiver@finish
	:: flag == 1 -> break
	:: else
	od
}

notrace {
	do
	:: buffer!_,_
	:: buffer?_,_
	od
}

ltl eventually_done { <> (total > 3) && [] (flag -> <> !flag) }
