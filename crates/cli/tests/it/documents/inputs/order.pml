chan c = [1] of { byte };

active proctype P() { c!1; c!2 }
active proctype Q() { byte x; c?x; c?x }

trace { c!2; c!1 }
