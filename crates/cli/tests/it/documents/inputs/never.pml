bool p;

active proctype P() { p = true }

never {
  do
  :: p -> break
  :: !p
  od
}
