/*
 * Read-copy update with two counters of readers: an updater waits until everybody who may still
 * see the old version has left. P. E. McKenney, Using Promela and Spin to verify parallel
 * algorithms, 2007, describes the algorithm; the model is our own.
 *
 * safety: holds
 */
#ifndef READERS
#define READERS 2
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
byte counter[2]; /* readers of each side; the current side has one more */
byte side;
byte mutex = 1;
byte version; /* 0 or 1: the one that is published */
byte freed = 255; /* the version that nobody may use */

init {
	byte k;
	atomic {
		counter[0] = 1;
		for (k : 1 .. READERS) {
			run reader()
		}
		for (k : 1 .. WRITERS) {
			run writer()
		}
		k = 0
	}
}

proctype reader() {
	byte mine, seen;
	do
	:: mine = side;
	   if
	   :: d_step { counter[mine] > 0 -> counter[mine]++ };
		seen = version;
		assert(seen != freed);
		assert(seen != freed);
		counter[mine]--
	   :: counter[mine] == 0
	   fi
	od
}

proctype writer() {
	byte old, before, sum;
	do
	:: d_step { mutex > 0 -> mutex-- };
	   freed = 255;
	   before = version;
	   version = 1 - version;
	   /* if at most one reader is left, nothing has to change sides */
	   sum = counter[0];
	   sum = sum + counter[1];
	   if
	   :: sum <= 1 ->
		sum = counter[0];
		sum = sum + counter[1]
	   :: sum > 1
	   fi;
	   if
	   :: sum > 1 ->
		old = side;
		counter[1 - old]++;
		side = 1 - old;
		counter[old]--;
		counter[old] == 0
	   :: sum <= 1
	   fi;
	   freed = before;
	   assert(freed != version);
	   mutex++
	od
}
