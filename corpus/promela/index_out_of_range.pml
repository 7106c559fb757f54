/*
 * An index that the array does not have.
 *
 * safety: error
 */
byte a[3], i = 1;
active proctype P() { do :: a[i] = i; i++ od }
