byte n;

active proctype P() {
  do
  :: n = 1 - n
  od
}
