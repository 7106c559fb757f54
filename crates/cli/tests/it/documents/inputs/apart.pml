bool x, y;

active proctype P() { x = true; x = false }
active proctype Q() { y = true; y = false }
