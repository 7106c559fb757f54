/* Two processes count to two, without a lock. */
byte n, ended;

active [2] proctype P() {
  byte t;
  t = n;
  n = t + 1;
  ended++
}

active proctype Monitor() {
  ended == 2;
  assert(n == 2)
}

ltl counts { <> (n == 2) }
