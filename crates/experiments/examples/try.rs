//! x
use mazurka_core::*; use mazurka_experiments::*;
fn main(){
  for fork in [Fork::Lock, Fork::Variable] { for n in [3,5,8,10,12] {
    let m=philosophers(n,fork);
    for (name,a,sl,pv) in [("full",Algorithm::AllEnabled,false,ProvisoKind::None),("sleep",Algorithm::AllEnabled,true,ProvisoKind::None),("ps",Algorithm::Conditional,false,ProvisoKind::None),("ps+sl",Algorithm::Conditional,true,ProvisoKind::None),("ps+comp",Algorithm::Conditional,false,ProvisoKind::Component),("ps+sl+prov",Algorithm::Conditional,true,ProvisoKind::Stack)] {
      let mut best=f64::MAX; let mut s=Statistics::default(); let mut dl=0;
      for _ in 0..5 {
      let o=Search::new(&m).persistent(a).sleep(sl).proviso(pv).run().unwrap();
      s=o.statistics; dl=o.deadlocks.len(); best=best.min(s.time.as_nanos() as f64/s.transitions as f64); }
      println!("{fork:?} n={n} {name}: {} states {} transitions depth {} dl {} bytes/state {} {:.2} Mt/s {:.0}ns/t", s.states, s.transitions, s.depth, dl, s.bytes as u64/s.states, 1e3/best, best);
    }
    println!("   bounds {} {}", 3*n*n-3*n+2, 3*n*n+8-6*n);
  }}
  for c in [Some(1),Some(10),Some(1000),None]{ let m=producer_consumer(c); let o=Search::new(&m).sleep(false).proviso(ProvisoKind::None).run().unwrap(); println!("{:?}",o.statistics); let o=Search::new(&m).sleep(false).proviso(ProvisoKind::Component).run().unwrap(); println!("{:?}",o.statistics);}
}
