/*
 * Caches of one line that watch a common bus: modified, exclusive, shared, invalid. Writes are
 * numbered, and nobody may read an old one. M. S. Papamarcos and J. H. Patel, A low-overhead
 * coherence solution for multiprocessors with private cache memories, 1984.
 *
 * safety: holds
 */
#ifndef N
#define N 2
#endif
#ifndef V
#define V 2
#endif
mtype = { modified, exclusive, shared, invalid };
mtype line[N] = invalid;
byte copy[N];
byte memory, latest;
chan bus = [1] of { byte };

inline fetch(k) { /* the others see the request on the bus, and give up or share their lines */
	found = false;
	for (k : 0 .. N - 1) {
		d_step {
			if
			:: k != _pid && line[k] == modified ->
				memory = copy[k];
				line[k] = shared;
				found = true
			:: k != _pid && (line[k] == exclusive || line[k] == shared) ->
				line[k] = shared;
				found = true
			:: k == _pid || line[k] == invalid
			fi
		}
	}
	k = 0;
	copy[_pid] = memory
}

inline silence(k) { /* the others drop their lines */
	for (k : 0 .. N - 1) {
		d_step {
			if
			:: k != _pid && line[k] == modified ->
				memory = copy[k];
				line[k] = invalid
			:: k != _pid && line[k] != modified -> line[k] = invalid
			:: k == _pid
			fi
		}
	}
	k = 0
}

active [N] proctype cpu() {
	byte k;
	bool found;
	do
	:: line[_pid] == invalid -> /* reads */
		bus!_pid;
		fetch(k);
		line[_pid] = (found -> shared : exclusive);
		found = false;
		bus?_
	:: d_step { line[_pid] != invalid -> assert(copy[_pid] == latest) }
	:: d_step { /* writes, alone */
		line[_pid] == modified || line[_pid] == exclusive ->
		line[_pid] = modified;
		latest = (latest + 1) % V;
		copy[_pid] = latest
	   }
	:: line[_pid] == shared || line[_pid] == invalid -> /* writes, with others */
		bus!_pid;
		silence(k);
		copy[_pid] = memory;
		d_step {
			line[_pid] = modified;
			latest = (latest + 1) % V;
			copy[_pid] = latest
		};
		bus?_
	:: line[_pid] != invalid -> /* makes room */
		bus!_pid;
		if
		:: line[_pid] == modified -> memory = copy[_pid]
		:: line[_pid] != modified
		fi;
		line[_pid] = invalid;
		bus?_
	od
}

ltl writes { [] <> (latest == 0) } /* violated: all can just read */
