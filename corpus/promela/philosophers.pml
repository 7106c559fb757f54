/*
 * Three philosophers, each takes the left fork first.
 *
 * safety: deadlock
 * states: 26
 */
bit fork[3];
#define left fork[_pid]
#define right fork[(_pid + 1) % 3]
active [3] proctype philosopher() { do :: atomic { left == 0 -> left = 1 }; atomic { right == 0 -> right = 1 }; left = 0; right = 0 od }
