//! A check in a program that is built and not tested: the compiler must say what is missing.

fn main() {
    mazurka::check(|| ());
    mazurka::Checker::new();
}
