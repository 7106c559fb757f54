/*
 * The alternating bit protocol over channels that lose messages.
 *
 * safety: holds
 * states: 37
 */
mtype = { msg, ack };
chan s = [1] of { mtype, bit };
chan r = [1] of { mtype, bit };
active proctype sender() {
	bit seq, b;
	do
	:: s!msg,seq; 
	   if
	   :: r?ack,b -> if :: b == seq -> seq = 1 - seq :: else fi
	   :: timeout
	   fi
	od
}
active proctype receiver() { bit expected, b; do :: s?msg,b -> if :: b == expected -> expected = 1 - expected :: else fi; r!ack,b od }
active proctype thief() { do :: s?_,_ :: r?_,_ od }
