/*
 * A channel variable that names no channel.
 *
 * safety: error
 */
chan a = [1] of { byte }; byte none;
proctype P(chan c) { c!1 }
init { run P(none) }
