/*
 * A channel that is received has messages of another shape.
 *
 * safety: error
 */
chan a = [1] of { byte, byte };
proctype P(chan c) { c!1 }
init { run P(a) }
