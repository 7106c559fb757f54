/*
 * PFTP: the flow control layer of a file transfer protocol.
 *
 * G. J. Holzmann, Design and Validation of Computer Protocols (1991), chapters 7 and 14: a
 * sliding window over a line that loses messages. From the description:
 *
 * - a sender gives each message the next number (modulo NUMBERS) and keeps a copy until it
 *   is acknowledged; at most WINDOW messages are under way;
 * - the oldest one is sent again when nothing else happens in the system (`timeout`);
 * - a receiver keeps what arrives out of order, hands messages to the layer above in order,
 *   and acknowledges them when it does; a message that it has handed over before is
 *   acknowledged again;
 * - `sync` begins a connection: both ends forget what they know, and `sync_ack` says so.
 *
 * The layer above is a test by colours (Wolper 1986): white messages, among them one red
 * and then one blue, which must arrive once, in that order. For a protocol that does not look into
 * messages this is as good as all possible contents. Messages go in one direction only.
 *
 * Written for this experiment; statements are as large as those of the thesis, so that its
 * state space is the published one: 446,982 states and 1,257,317 transitions, which include
 * the way into the initial state. Lines lose messages, and do not duplicate them; two
 * messages fit into a channel. The layers are started first: this is one state.
 *
 * safety: holds
 */
#define NUMBERS 4 /* sequence numbers */
#define WINDOW 2  /* messages under way at a time */
#define ROOM 2    /* messages that fit into a channel */

mtype = { red, white, blue, ack, sync, sync_ack };

chan ask[2] = [ROOM] of { mtype, byte };   /* from the layer above */
chan tell[2] = [ROOM] of { mtype, byte };  /* to the layer above */
chan line[2] = [ROOM] of { mtype, byte };  /* from the other end */

/* Whether `b` is one of the WINDOW numbers before `a`. */
#define BEFORE(a, b) (0 < a - b && a - b <= WINDOW || 0 < a - b + NUMBERS && a - b + NUMBERS <= WINDOW)

/* One end: what comes from above goes to the wire, what comes from the line goes up. */
proctype layer(chan above, wire, up, arrival) {
	/* The sender's part. */
	bool waiting[NUMBERS]; /* for an acknowledgement */
	mtype copy[NUMBERS];   /* what may have to be sent again */
	byte oldest;           /* the number of the oldest one under way */
	byte fresh;            /* the number of the next one */
	byte sent;             /* how many are under way */
	/* The receiver's part. */
	bool got[NUMBERS];
	mtype kept[NUMBERS];   /* what was got */
	byte expected;         /* the number of the next one to hand over */
	/* What came last. */
	mtype kind;
	byte number;
	bit flag;

end:	do
	/* Something to send, and the window is open. */
	:: atomic {
		sent < WINDOW && nempty(above) && nfull(wire);
		above?kind,flag;
		sent++;
		waiting[fresh] = true;
		copy[fresh] = kind;
		wire!kind,fresh;
		if
		:: kind == sync ->
			for (fresh : 0 .. NUMBERS - 1) { waiting[fresh] = false }
			fresh = 0;
			sent = 0
		:: else -> fresh = (fresh + 1) % NUMBERS
		fi
	   }
	:: atomic { sent > 0 && !waiting[oldest]; sent--; oldest = (oldest + 1) % NUMBERS }
	:: atomic { timeout && sent > 0 && waiting[oldest] && nfull(wire); wire!copy[oldest],oldest }

	/* Something arrives. */
	:: arrival?kind,number /* and is lost */
	:: arrival?kind,number;
		if
		:: atomic { kind == ack; waiting[number] = false }
		:: kind == sync_ack -> up!sync_ack,number
		:: atomic {
			kind == sync;
			wire!sync_ack,number;
			for (number : 0 .. NUMBERS - 1) { got[number] = false }
		   }
		:: kind == red || kind == white || kind == blue;
			if
			:: atomic {
				!got[number];
				got[number] = true;
				kept[number] = kind;
				got[(number + NUMBERS - WINDOW) % NUMBERS] = false
			   }
			:: atomic { got[number]; flag = BEFORE(expected, number) };
				if
				:: flag; wire!ack,number
				:: !flag
				fi
			fi
		fi

	/* The next one in order is there. */
	:: got[expected] && nfull(up) && nfull(wire);
		up!kept[expected],0;
		wire!ack,expected;
		expected = (expected + 1) % NUMBERS
	od
}

/* The layers above both ends. */
proctype test() {
	byte out, back; /* how many coloured messages were sent, and received */
	byte answer, turn;

	ask[0]!sync,turn;
	do
	:: tell[0]?sync_ack,answer;
		if
		:: answer == turn; break
		:: answer != turn
		fi
	:: timeout; ask[0]!sync,turn
	od;
	turn = 1 - turn;
	do
	:: ask[0]!white,0
	:: atomic { out == 0 && nfull(ask[0]); ask[0]!red,0; out = 1 }
	:: atomic { out == 1 && nfull(ask[0]); ask[0]!blue,0; out = 2 }
	:: tell[1]?white,0
	:: atomic { back == 0 && tell[1]?[red,0]; tell[1]?red,0; back = 1 }
	:: atomic { back == 1 && tell[1]?[blue,0]; tell[1]?blue,0; break }
	:: atomic { back == 0 && tell[1]?[blue,0]; assert(false) }
	:: atomic { back == 1 && tell[1]?[red,0]; assert(false) }
	od;
end:	do
	:: tell[1]?white,0
	:: tell[1]?red,0; assert(false)
	:: tell[1]?blue,0; assert(false)
	od
}

init {
	atomic {
		run layer(ask[0], line[1], tell[0], line[0]);
		run layer(ask[1], line[0], tell[1], line[1])
	};
	run test()
}
