mtype = { ping };
chan line = [1] of { mtype };
chan meet = [0] of { byte };
byte n;

active proctype A() {
  line!ping;
  printf("sent\n");
  meet!3;
  if
  :: n > 7 -> n = 8
  :: else
  fi;
  assert(n == 4)
}

active proctype B() {
  xr line;
  mtype m;
  line?<m>;
  line?m;
  meet?n
}

active proctype C() {
  mtype m;
  line?m
}
