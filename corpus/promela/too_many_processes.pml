/*
 * At most 255 processes.
 *
 * safety: error
 */
proctype P() { end: false }
init { do :: run P() od }
