active proctype P() { false }
