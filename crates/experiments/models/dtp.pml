/*
 * DTP: a data transfer protocol.
 *
 * P. Godefroid's thesis (section 8.3) names it and says that three processes communicate by
 * FIFO channels; its model is the one that SPIN's distribution has under this name. This is the
 * same protocol in other words:
 *
 * - the receiver asks for the block at a position (`nak`); the sender sends this one and
 *   those after it, until it hears something;
 * - the sender looks for an answer before it sends; after a refusal it asks for an
 *   answer to each block (`query`), and after the last one (`final`) it waits for one;
 * - the receiver answers only after it was asked to; it refuses blocks that are garbled or
 *   too far ahead, and takes no block twice;
 * - `done` answers the last block, and is answered by `done`; until then the receiver repeats its answer;
 * - the line to the receiver garbles one message at most, but no `done`; the way back is perfect;
 * - who fails too often gives up (`cancel`), which never happens.
 *
 * Written for this experiment; statements are as large as those of SPIN's model, so that the state
 * space is the published one: 251,409 states and 648,467 transitions, which include the way into the
 * initial state.
 *
 * safety: holds
 */
#define BLOCKS 3 /* before the last one */
#define ROOM 2   /* messages that fit into a channel */

mtype = { block, query, final, ack, nak, done, garbled, cancel };

chan sent = [ROOM] of { mtype, short };     /* from the sender to the line */
chan arrived = [ROOM] of { mtype, short };  /* from the line to the receiver */
chan answered = [ROOM] of { mtype, short }; /* from the receiver to the sender */

/* What an end does next. */
#define ASK 0
#define LISTEN 1
#define SEND 2
#define CLOSE 3

proctype line(chan from, to) {
	mtype kind;
	short number;
	byte errors;
	xr from;
	xs to;
end:	do
	:: from?kind,number;
		if
		:: to!kind,number
		:: errors == 0 && kind != done; errors++; to!garbled,number
		fi
	od
}

proctype sender(chan from, to) {
	byte next, tries, most;
	bool started; /* the receiver has asked for something */
	mtype kind, answer;
	short number, wanted;
	short position; /* of the block to send next */
	xs to;

	atomic { next = LISTEN; most = 6 };
look:	do
	::	if
		:: nempty(from); next = LISTEN
		:: empty(from)
		fi;
		if
		:: next == SEND;
			atomic {
				if
				:: tries > 0; kind = query
				:: tries == 0 && position < BLOCKS; kind = block
				:: tries == 0 && position >= BLOCKS; kind = final
				fi
			};
			to!kind,position;
			atomic {
				position++;
				if
				:: kind == block
				:: else; next = LISTEN
				fi
			}
		:: next == LISTEN;
			atomic {
				from?answer,number;
				if
				:: answer == ack || answer == nak
				:: answer == done; break
				:: else; goto failed
				fi
			};
			if
			:: atomic { answer == ack; wanted = number }
			:: atomic { answer == nak && number >= position; wanted = number }
			:: atomic {
				answer == nak && number < position;
				wanted = number;
				tries++;
				if
				:: tries < most; position = wanted; goto start
				:: else; goto failed
				fi
			   }
			fi;
			atomic {
				tries = 0;
				if
				:: position <= wanted; position = wanted
				:: else; goto look /* an old answer */
				fi
			};
start:			atomic {
				if
				:: started
				:: else; started = true; most = 5; tries = 0
				fi;
				next = SEND
			}
		fi
	od;
	position = number;
	to!done,position;
	goto over;
failed:	to!cancel,-1;
	assert(false);
over:	skip;
end:	do
	:: from?answer,number
	od
}

proctype receiver(chan from, to) {
	byte next;
	short tries;
	short position; /* of the block that is missing */
	bit gain;       /* how many blocks a message brought */
	bool respond;   /* the sender has asked for answers */
	mtype kind, reply, last_reply;
	short number, last_position;
	xr from;

	next = ASK;
more:	do
	:: next == ASK; to!nak,position; next = LISTEN
	:: next == LISTEN;
		atomic {
			from?kind,number;
			reply = ack;
			if
			:: kind == final
			:: kind == query; goto asked
			:: kind == block; goto place
			:: kind == garbled; goto again
			:: else; goto failed
			fi
		};
		atomic { reply = done; next = CLOSE };
asked:		respond = true;
place:		atomic {
			if
			:: number == position; gain = 1
			:: number < position; gain = 0
			:: number > position; goto again
			fi;
			position = position + gain
		};
		if
		:: respond;
			to!reply,position;
			last_position = position;
			last_reply = reply
		:: !respond; skip
		fi;
		tries = (reply == done -> -2 : 2)
	:: next == CLOSE;
		atomic {
			from?kind,number;
			if
			:: kind == done; break
			:: else
			fi
		};
		to!last_reply,last_position;
		tries = -2
	od;
	goto over;
again:	tries++;
	if
	:: tries >= 7; goto failed
	:: tries < 7; skip
	fi;
	next = ASK;
	goto more;
failed:	to!cancel,-1;
	assert(false);
over:	skip;
end:	do
	:: from?kind,number
	od
}

init {
	atomic {
		run sender(answered, sent);
		run line(sent, arrived);
		run receiver(arrived, answered)
	}
}
