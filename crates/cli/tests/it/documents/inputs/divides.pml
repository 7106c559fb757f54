byte n;

active proctype P() {
  n = 1 / n
}
