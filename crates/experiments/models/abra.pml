/*
 * ABRA: the Abracadabra protocol, a connection-oriented service over an unreliable
 * medium.
 *
 * K. J. Turner (ed.), Using Formal Description Techniques (1993), and ISO TR 10167; the
 * model of that name in P. Godefroid's thesis (section 8.3) consists of four processes
 * that communicate by FIFO channels, and is not published. From the description of the
 * protocol:
 *
 * - both users may ask for a connection (ConReq, ConInd, ConResp, ConConf), send data
 *   (DatReq, DatInd) and disconnect (DisReq, DisInd);
 * - the two protocol entities exchange CR and CC to connect, DT and AK with an
 *   alternating bit to transfer data, DR and DC to disconnect;
 * - CR, DT and DR are sent again when a timer expires, CR and DT a limited number of
 *   times; after that the entity disconnects;
 * - what is not expected in the open state ends the connection, elsewhere it is ignored;
 * - the medium keeps the order of what it does not lose.
 *
 * Our choices: the medium is a channel in each direction, and what does not fit is lost;
 * with LOSSY everything may be lost. A timer may expire whenever something is sent and
 * not answered. Where a user and its entity meet, a connection is over when both have
 * said so, DisReq from the user and DisInd from the entity, in whichever order: otherwise
 * what is left of one connection could be taken for a part of the next. Two requests to
 * connect that meet are taken for confirmations. DR is sent until it is answered: an
 * entity that gives up, as the standard lets it, leaves the other one connected, and what
 * that one still sends can be taken for a part of the next connection. Only user 0 calls
 * and sends data unless BOTH is defined; either user disconnects.
 *
 * The users number the data of a connection and assert that they are received in order,
 * each once.
 *
 * safety: holds
 */
#ifndef TRIES
#define TRIES 1 /* how often something is sent again */
#endif
#ifndef DATA
#define DATA 2 /* how many data a user sends in a connection */
#endif
#ifndef ROOM
#define ROOM 1 /* of the medium, in each direction */
#endif

#ifdef BOTH
#define CALLS(i) true
#define SENDS(i) true
#else
#define CALLS(i) (i == 0)
#define SENDS(i) (i == 0)
#endif

mtype = { ConReq, ConInd, ConResp, ConConf, DatReq, DatInd, DisReq, DisInd };
mtype = { CR, CC, DT, AK, DR, DC };

chan down[2] = [1] of { mtype, byte };       /* from a user to its entity */
chan up[2] = [1] of { mtype, byte };         /* and back */
chan medium[2] = [ROOM] of { mtype, bit, byte }; /* to an entity */

/* To the other entity, unless it is lost. */
inline transmit(kind, number, contents) {
	if
	:: medium[1 - me]!kind,number,contents
	:: full(medium[1 - me])
#ifdef LOSSY
	:: true
#endif
	fi
}

inline indicate(kind, contents) {
	up[me]!kind,contents
}

active [2] proctype user() {
	byte me = _pid;
	byte sent, expected, d;

idle:
end_idle:
	do
	:: CALLS(me) && nfull(down[me]) -> down[me]!ConReq,0; goto connecting
	:: up[me]?ConInd,_ ->
		if
		:: down[me]!ConResp,0 -> goto connected
		:: down[me]!DisReq,0 -> goto leaving
		fi
	od;

connecting:
	if
	:: up[me]?ConConf,_ -> goto connected
	:: up[me]?ConInd,_ -> goto connected /* the other had the same idea */
	:: up[me]?DisInd,_ -> down[me]!DisReq,0; goto idle
	fi;

connected:
	do
	:: SENDS(me) && sent < DATA && nfull(down[me]) ->
		d_step { down[me]!DatReq,sent; sent++ }
	:: up[me]?DatInd,d ->
		d_step { assert(d == expected); expected++; d = 0 }
	:: down[me]!DisReq,0 -> break
	:: up[me]?DisInd,_ -> down[me]!DisReq,0; d_step { sent = 0; expected = 0 }; goto idle
	od;

leaving:
	atomic { sent = 0; expected = 0 };
end_leaving:
	do
	:: up[me]?DisInd,_ -> goto idle
	:: up[me]?DatInd,_
	:: up[me]?ConConf,_
	od
}

active [2] proctype entity() {
	byte me = _pid - 2;
	bit to_send, to_receive, b;
	bool pending, asked;
	byte contents, d;
	byte tries;

closed:
	atomic { to_send = 0; to_receive = 0; pending = false; contents = 0; tries = 0 };
end_closed:
	do
	:: medium[me]?CR,_,_ -> indicate(ConInd, 0); goto called
	:: medium[me]?DR,_,_ -> transmit(DC, 0, 0)
	:: medium[me]?CC,_,_
	:: medium[me]?DT,_,_
	:: medium[me]?AK,_,_
	:: medium[me]?DC,_,_
	:: down[me]?ConReq,_ -> transmit(CR, 0, 0); goto calling
	od;

calling:
	do
	:: medium[me]?CC,_,_ -> break
	:: medium[me]?CR,_,_ -> transmit(CC, 0, 0); break
	:: medium[me]?DR,_,_ -> transmit(DC, 0, 0); goto ended
	:: medium[me]?DT,_,_
	:: medium[me]?AK,_,_
	:: medium[me]?DC,_,_
	:: d_step { tries < TRIES -> tries++ }; transmit(CR, 0, 0)
	:: tries == TRIES -> goto closing
	:: down[me]?DisReq,_ -> asked = true; goto closing
	od;
	indicate(ConConf, 0);
	goto open;

called:
	do
	:: down[me]?ConResp,_ -> break
	:: down[me]?ConReq,_ -> break
	:: down[me]?DisReq,_ -> asked = true; goto closing
	:: medium[me]?DR,_,_ -> transmit(DC, 0, 0); goto ended
	:: medium[me]?CR,_,_
	:: medium[me]?CC,_,_
	:: medium[me]?DT,_,_
	:: medium[me]?AK,_,_
	:: medium[me]?DC,_,_
	od;
	transmit(CC, 0, 0);

open:
	tries = 0;
end_open:
	do
	:: medium[me]?DT,b,d ->
		if
		:: b == to_receive ->
			indicate(DatInd, d);
			to_receive = 1 - to_receive
		:: else
		fi;
		transmit(AK, b, 0);
		d_step { b = 0; d = 0 }
	:: medium[me]?AK,b,_ ->
		if
		:: d_step {
			pending && b == to_send;
			pending = false;
			to_send = 1 - to_send;
			contents = 0;
			tries = 0
		   }
		:: else
		fi;
		b = 0
	:: medium[me]?DR,_,_ -> transmit(DC, 0, 0); goto ended
	:: medium[me]?CR,_,_ -> goto closing /* the other has forgotten this connection */
	:: medium[me]?CC,_,_
	:: medium[me]?DC,_,_
	:: !pending && down[me]?[DatReq,_] ->
		d_step { down[me]?DatReq,contents; pending = true };
		transmit(DT, to_send, contents)
	:: down[me]?DisReq,_ -> asked = true; goto closing
	:: d_step { pending && tries < TRIES -> tries++ }; transmit(DT, to_send, contents)
	:: pending && tries == TRIES -> goto closing
	od;

closing:
	atomic { to_send = 0; to_receive = 0; pending = false; contents = 0; tries = 0 };
	transmit(DR, 0, 0);
	do
	:: medium[me]?DC,_,_ -> break
	:: medium[me]?DR,_,_ -> transmit(DC, 0, 0); break
	:: medium[me]?CR,_,_
	:: medium[me]?CC,_,_
	:: medium[me]?DT,_,_
	:: medium[me]?AK,_,_
	:: transmit(DR, 0, 0)
	od;

ended:
	indicate(DisInd, 0);
	do
	:: d_step { asked -> asked = false }; goto closed
	:: !asked ->
		if
		:: down[me]?DisReq,_ -> asked = true
		:: down[me]?ConReq,_
		:: down[me]?ConResp,_
		:: down[me]?DatReq,_
		fi
	od
}
