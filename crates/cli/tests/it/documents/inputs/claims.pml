bool p;

active proctype P() {
accept:
  do
  :: p = !p
  od
}

ltl always { [] !p }
ltl next { X X p }
