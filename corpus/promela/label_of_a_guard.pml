/*
 * An end label at the start of an option counts where the option leads to. SPIN warns of it.
 *
 * safety: holds
 * states: 7
 */
chan c = [1] of { byte };
byte y;
active proctype A() { do :: end: if :: c?y -> y == 5 :: c?y -> y == 6 fi :: y == 7 od }
active proctype B() { c!1 }
