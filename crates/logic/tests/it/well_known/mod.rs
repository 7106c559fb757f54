//! Formulas from the literature.

/// Etessami and Holzmann (CONCUR 2000), table 1.
pub const ETESSAMI_HOLZMANN: [&str; 12] = [
    "p U q",
    "p U (q U r)",
    "!(p U (q U r))",
    "[]<>p -> []<>q",
    "<>p U []q",
    "[]p U q",
    "!(<><>p <-> <>p)",
    "!([]<>p -> []<>q)",
    "!([]<>p <-> []<>q)",
    "p V (p || q)",
    "(X p U X q) || !X (p U q)",
    "(X p U q) || !X (p U (p && q))",
];

/// Somenzi and Bloem (CAV 2000), table 1, those that are not above.
pub const SOMENZI_BLOEM: [&str; 11] = [
    "[](p -> <>q) && ((X p U q) || !X (p U (p && q)))",
    "[](p -> <>q) && ((X p U X q) || !X (p U q))",
    "[](p -> <>q)",
    "<>(p && X [] q)",
    "<>q && <>p",
    "<>(p && <>q)",
    "<>[]p",
    "<>p && <>!p",
    "p && (q U (r && (s U t)))",
    "([]<>a && []<>b) -> []<>c",
    "<>(p && X (q && X <>r))",
];

/// Dwyer, Avrunin and Corbett, *Property specification patterns for finite-state verification*
/// (FMSP 1998): absence, existence, universality, precedence and response in
/// their scopes, chains in some. Weak until is spelled out.
pub const DWYER: [&str; 35] = [
    "[]!p",
    "<>r -> (!p U r)",
    "[](q -> []!p)",
    "[]((q && !r && <>r) -> (!p U r))",
    "[]((q && !r) -> ([]!p || (!p U r)))",
    "<>p",
    "[]!r || (!r U (p && !r)) || ([]!r || (!r U (p && !r)))",
    "[]!q || <>(q && <>p)",
    "[]((q && !r) -> ([]!r || (!r U (p && !r))))",
    "[]((q && !r) -> (!r U (p && !r)))",
    "[]p",
    "<>r -> (p U r)",
    "[](q -> []p)",
    "[]((q && !r && <>r) -> (p U r))",
    "[]((q && !r) -> ([]p || (p U r)))",
    "[]!p || (!p U s)",
    "<>r -> (!p U (s || r))",
    "[]!q || <>(q && ([]!p || (!p U s)))",
    "[]((q && !r && <>r) -> (!p U (s || r)))",
    "[]((q && !r) -> ([]!p || (!p U (s || r))))",
    "[](p -> <>s)",
    "<>r -> ((p -> (!r U (s && !r))) U r)",
    "[](q -> [](p -> <>s))",
    "[]((q && !r && <>r) -> ((p -> (!r U (s && !r))) U r))",
    "[]((q && !r) -> ((p -> (!r U (s && !r))) U r || [](p -> (!r U (s && !r)))))",
    "<>p -> (!p U (s && !p && (!p U t)))",
    "<>r -> (!p U (r || (s && !p && (!p U t))))",
    "(<>(s && <>t)) -> ((!s) U p)",
    "<>r -> ((!(s && (!r) && (!r U (t && !r)))) U (r || p))",
    "[](s && <>t -> <>(t && <>p))",
    "[](p -> <>(s && <>t))",
    "<>r -> ((p -> (!r U (s && !r && (!r U t)))) U r)",
    "[](q -> [](p -> (s && <>t)))",
    "[]<>p && []<>q && []<>r",
    "<>[]p || <>[]q",
];

/// More of theirs, for whose negations SPIN needs a minute each.
pub const SLOW_FOR_SPIN: [&str; 3] = [
    "[]!q || (!q U (q && (<>p -> (!p U (s && !p && (!p U t))))))",
    "<>r -> ((!p && !r) U (r || ((p && !r) U (r || ((!p && !r) U (r || ((p && !r) U (r || (!p U r)))))))))",
    "<>q -> (!q U (q && ([]!p || (!p U (([]p) || (p U ([]!p || (!p U (([]p) || (p U []!p))))))))))",
];
