/*
 * Division by zero, which kills SPIN's verifier.
 *
 * safety: error
 */
int a = 1, b = 1;
active proctype P() { b = b - 1; a = a / b }
