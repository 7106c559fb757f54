//! What must hold of every program, tried on random ones.

use std::collections::BTreeSet;

use mazurka_axioms::{
    Expr, Operator, Order, Program, Random, Size, Statement, Update, consistent_graphs, enumerate, enumerate_unpruned,
    interleavings, parse_litmus, random_program,
};
use mazurka_seeds::seeds;

fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let size = Size::random(&mut random);
    random_program(&mut random, &size)
}

/// Small enough for the version that prunes nothing.
fn small_program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let size = Size::random(&mut random);
    let statements = size.statements.min(if size.threads == 2 { 3 } else { 2 });
    random_program(
        &mut random,
        &Size {
            threads: size.threads.min(3),
            statements,
            ..size
        },
    )
}

/// The program with `change` applied to every statement that is not an `if`.
fn map(program: &Program, change: &mut dyn FnMut(Statement) -> Vec<Statement>) -> Program {
    fn block(statements: &[Statement], change: &mut dyn FnMut(Statement) -> Vec<Statement>) -> Vec<Statement> {
        let each = |statement: &Statement| match statement {
            Statement::If { cond, then, else_ } => {
                let (then, else_) = (block(then, change), block(else_, change));
                vec![Statement::If {
                    cond: cond.clone(),
                    then,
                    else_,
                }]
            }
            _ => change(statement.clone()),
        };
        statements.iter().flat_map(each).collect()
    }
    Program {
        initial: program.initial.clone(),
        threads: program.threads.iter().map(|thread| block(thread, change)).collect(),
    }
}

/// The statement with every ordering replaced, what is not atomic made so.
fn with_orders(statement: Statement, replace: &mut dyn FnMut(Order, &[Order]) -> Order) -> Statement {
    match statement {
        Statement::Load { reg, loc, order } => Statement::Load {
            reg,
            loc,
            order: replace(order, &Order::LOADS),
        },
        Statement::Store { loc, value, order } => Statement::Store {
            loc,
            value,
            order: replace(order, &Order::STORES),
        },
        Statement::Rmw { reg, loc, op, order } => Statement::Rmw {
            reg,
            loc,
            op,
            order: replace(order, &Order::ALL),
        },
        Statement::Cas {
            reg,
            flag,
            loc,
            expected,
            new,
            success,
            failure,
            weak,
        } => {
            let success = replace(success, &Order::ALL);
            let failure = replace(failure, &Order::LOADS);
            Statement::Cas {
                reg,
                flag,
                loc,
                expected,
                new,
                success,
                failure,
                weak,
            }
        }
        Statement::Fence(order) => Statement::Fence(replace(order, &Order::FENCES)),
        Statement::NonAtomicRead { reg, loc } => Statement::Load {
            reg,
            loc,
            order: replace(Order::Relaxed, &Order::LOADS),
        },
        Statement::NonAtomicWrite { loc, value } => Statement::Store {
            loc,
            value,
            order: replace(Order::Relaxed, &Order::STORES),
        },
        other => other,
    }
}

#[test]
fn pruning_changes_nothing() {
    seeds(400, |seed| {
        let program = small_program(seed);
        assert_eq!(enumerate(&program), enumerate_unpruned(&program), "{program}");
    });
}

#[test]
fn every_graph_is_found_once() {
    seeds(400, |seed| {
        let program = program(seed);
        let graphs = consistent_graphs(&program);
        let different: BTreeSet<_> = graphs.iter().collect();
        assert_eq!(graphs.len(), different.len(), "{program}");
    });
}

/// If every access is sequentially consistent, so is the program.
#[test]
fn sequentially_consistent_accesses_have_the_outcomes_of_interleavings() {
    seeds(800, |seed| {
        let strong = map(&program(seed), &mut |s| vec![with_orders(s, &mut |_, _| Order::SeqCst)]);
        assert_eq!(enumerate(&strong).outcomes, interleavings(&strong), "{strong}");
    });
}

/// Relaxed accesses with an SC fence between any two of them are sequentially consistent: what RC11's fences are for
/// (PLDI 2017).
#[test]
fn fences_everywhere_have_the_outcomes_of_interleavings() {
    seeds(300, |seed| {
        let fenced = map(&program(seed), &mut |s| {
            let weak = with_orders(s, &mut |_, legal| {
                if legal.contains(&Order::Relaxed) {
                    Order::Relaxed
                } else {
                    Order::SeqCst
                }
            });
            vec![Statement::Fence(Order::SeqCst), weak]
        });
        // Events with fences are twice as many: the largest programs are left out.
        if fenced.threads.iter().map(Vec::len).sum::<usize>() <= 16 {
            assert_eq!(enumerate(&fenced).outcomes, interleavings(&fenced), "{fenced}");
        }
    });
}

#[test]
fn interleavings_are_executions() {
    seeds(800, |seed| {
        let program = program(seed);
        let all = enumerate(&program).outcomes;
        assert!(interleavings(&program).is_subset(&all), "{program}");
    });
}

/// Programs without races on what is not atomic, and with nothing atomic, are sequentially consistent (DRF).
#[test]
fn locks_alone_have_the_outcomes_of_interleavings() {
    let mut synchronised = 0;
    for seed in mazurka_seeds::range(2500) {
        let mut random = Random::new(seed);
        let size = Size {
            threads: 2,
            statements: 5,
            locations: 2,
            non_atomic: true,
            mutexes: 1,
        };
        let plain = map(&random_program(&mut random, &size), &mut |statement| match statement {
            Statement::Load { reg, loc, .. } | Statement::Rmw { reg, loc, .. } | Statement::Cas { reg, loc, .. } => {
                vec![Statement::NonAtomicRead { reg, loc }]
            }
            Statement::Store { loc, value, .. } => vec![Statement::NonAtomicWrite { loc, value }],
            Statement::Fence(_) => Vec::new(),
            other => vec![other],
        });
        let executions = enumerate(&plain);
        if !executions.racy() {
            synchronised += usize::from(executions.graphs > 1);
            assert_eq!(executions.outcomes, interleavings(&plain), "seed {seed}: {plain}");
        }
    }
    assert!(
        mazurka_seeds::are_chosen() || synchronised > 10,
        "only {synchronised} programs with locks have no race"
    );
}

/// Stronger orderings allow less.
#[test]
fn stronger_orderings_have_fewer_outcomes() {
    seeds(500, |seed| {
        let mut random = Random::new(seed ^ 1);
        let weak = program(seed);
        let strong = map(&weak, &mut |s| {
            if matches!(s, Statement::NonAtomicRead { .. } | Statement::NonAtomicWrite { .. }) {
                return vec![s];
            }
            vec![with_orders(s, &mut |order, legal| {
                let includes = |other: &Order| {
                    (other.acquires() || !order.acquires())
                        && (other.releases() || !order.releases())
                        && *other >= order
                };
                let stronger: Vec<_> = legal.iter().copied().filter(includes).collect();
                random.pick(&stronger)
            })]
        });
        let (few, many) = (enumerate(&strong), enumerate(&weak));
        assert!(few.outcomes.is_subset(&many.outcomes), "{weak}\n{strong}");
        assert!(few.graphs <= many.graphs, "{weak}\n{strong}");
    });
}

#[test]
fn programs_can_be_written_down_and_read_back() {
    seeds(1000, |seed| {
        let program = program(seed);
        let text = format!("test T\n{program}\nexists race\nforbidden because nobody asks");
        assert_eq!(
            parse_litmus(&text).map(|tests| tests[0].program.clone()),
            Ok(program),
            "{text}"
        );
    });
}

#[test]
fn every_construct_is_generated() {
    let mut seen = BTreeSet::new();
    let mut sizes = BTreeSet::new();
    let (mut racy, mut synchronised) = (false, false);
    for seed in 0..1500 {
        let program = program(seed);
        sizes.insert(format!("{} threads", program.threads.len()));
        sizes.insert(format!("{} locations", program.initial.len()));
        program.for_each_statement(&mut |statement| describe(statement, &mut seen));
        if seed < 300 && program.to_string().contains("write(") {
            let executions = enumerate(&program);
            racy |= executions.racy();
            synchronised |= !executions.racy();
        }
    }
    let missing: Vec<_> = super::corpus::everything().difference(&seen).cloned().collect();
    assert!(missing.is_empty(), "never generated: {missing:?}");
    for size in [
        "2 threads",
        "3 threads",
        "4 threads",
        "1 locations",
        "2 locations",
        "3 locations",
    ] {
        assert!(sizes.contains(size), "no program has {size}");
    }
    for operator in Operator::ALL {
        assert!(
            seen.contains(&format!("{operator:?}")),
            "no expression has {operator:?}"
        );
    }
    assert!(racy && synchronised);
}

/// What occurs in a statement: its kind, with each ordering, and the operators of its expressions.
pub fn describe(statement: &Statement, seen: &mut BTreeSet<String>) {
    let mut see = |what: String| seen.insert(what);
    match statement {
        Statement::Load { order, .. } => see(format!("load {order}")),
        Statement::Store { order, value, .. } => {
            operators(value, &mut see);
            see(format!("store {order}"))
        }
        Statement::Rmw {
            op: Update::Add(by),
            order,
            ..
        } => {
            operators(by, &mut see);
            see(format!("add {order}"))
        }
        Statement::Rmw {
            op: Update::Swap(_),
            order,
            ..
        } => see(format!("swap {order}")),
        Statement::Cas {
            success, failure, weak, ..
        } => {
            see(format!("cas, failure {failure}"));
            see(format!("cas, {}", if *weak { "weak" } else { "strong" }));
            see(format!("cas, success {success}"))
        }
        Statement::Fence(order) => see(format!("fence {order}")),
        Statement::If { cond, else_, .. } => {
            operators(cond, &mut see);
            see(format!("if, {}", if else_.is_empty() { "alone" } else { "else" }))
        }
        Statement::NonAtomicRead { .. } => see("read".to_string()),
        Statement::NonAtomicWrite { .. } => see("write".to_string()),
        Statement::Lock(_) => see("lock".to_string()),
        Statement::Unlock(_) => see("unlock".to_string()),
    };
}

fn operators(expression: &Expr, see: &mut dyn FnMut(String) -> bool) {
    if let Expr::Binary(operator, a, b) = expression {
        see(format!("{operator:?}"));
        operators(a, see);
        operators(b, see);
    }
}
