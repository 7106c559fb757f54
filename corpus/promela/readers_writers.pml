/*
 * Readers and writers around a lock that many readers or one writer can hold. SPIN's
 * reduction saves nothing.
 *
 * safety: holds
 * states: 299
 */
#ifndef READERS
#define READERS 3
#endif
#ifndef WRITERS
#define WRITERS 2
#endif
chan mutex = [1] of { bit };
chan room = [1] of { bit }; /* held by a writer, or by the readers together */
byte reading, writing;

active [READERS] proctype reader() {
	do
	:: mutex!1;
	   reading++;
	   if
	   :: reading == 1 -> room!1
	   :: reading > 1
	   fi;
	   mutex?_;
	   assert(writing == 0);
	   mutex!1;
	   reading--;
	   if
	   :: reading == 0 -> room?_
	   :: reading > 0
	   fi;
	   mutex?_
	od
}

active [WRITERS] proctype writer() {
	do
	:: room!1;
	   writing++;
	   assert(writing == 1);
	   writing--;
	   room?_
	od
}
