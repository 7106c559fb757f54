//! x
use mazurka_core::*; use mazurka_experiments::*;
fn main(){ let m=philosophers(12,Fork::Lock); let mode=std::env::args().nth(1).unwrap_or_default();
 let n = if mode=="full" {5} else {2000}; let mut t=0; let mut tr=0;
 for _ in 0..n { let s=if mode=="full" {Search::full(&m)} else {Search::new(&m).proviso(ProvisoKind::None)}; let (st,_)=s.observe(&mut ()).unwrap(); t+=st.time.as_nanos(); tr+=st.transitions; }
 println!("{mode} {} ns/t", t as f64/tr as f64);
}
