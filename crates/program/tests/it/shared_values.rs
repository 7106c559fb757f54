//! `Arc`: everything that std's can do, and what a check makes of it.

use mazurka::sync::{Arc, Weak};
use mazurka::{Checker, ViolationKind, thread};
use std::any::Any;
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync;

/// Runs a program in a check and outside.
fn both(program: impl Fn()) {
    mazurka::check(&program);
    program();
}

#[test]
fn an_arc_is_made_of_all_that_std_makes_one_of() {
    both(|| {
        let texts: [Arc<str>; 4] = [
            Arc::from("a"),
            Arc::from(String::from("a")),
            Arc::from(Box::<str>::from("a")),
            Arc::from(Cow::Borrowed("a")),
        ];
        assert!(texts.iter().all(|t| **t == *"a"));
        assert_eq!(texts.into_iter().collect::<HashSet<_>>().len(), 1);
        let numbers: [Arc<[u8]>; 4] = [
            Arc::from([1, 2]),
            Arc::from(vec![1, 2]),
            [1, 2].into_iter().collect(),
            Arc::from(&[1, 2][..]),
        ];
        assert!(numbers.windows(2).all(|pair| pair[0] == pair[1]));
        assert_eq!(*<Arc<[u8; 2]>>::try_from(numbers[0].clone()).unwrap(), [1, 2]);
        assert!(<Arc<[u8; 3]>>::try_from(numbers[0].clone()).is_err());
        assert_eq!(*<Arc<[u8]>>::from(<Arc<str>>::from("a")), [b'a']);
        assert_eq!((&*<Arc<str>>::default(), <Arc<[u8]>>::default().len()), ("", 0));
    });
}

#[test]
fn a_value_of_another_type_behind_an_arc() {
    both(|| {
        let add: Arc<dyn Fn(u32) -> u32 + Send + Sync> = Arc::from_std(sync::Arc::new(|n| n + 1));
        let other = Arc::clone(&add);
        assert_eq!(thread::spawn(move || other(1)).join().unwrap(), 2);
        assert_eq!(add(2), 3);
        let any: Arc<dyn Any + Send + Sync> = Arc::from_std(sync::Arc::new(7_u8));
        let Err(any) = any.downcast::<u16>() else {
            panic!("it is a u8")
        };
        assert_eq!(*any.downcast::<u8>().unwrap(), 7);
        let boxed: Arc<dyn Fn() -> u8> = Arc::from(Box::new(|| 7_u8) as Box<dyn Fn() -> u8>);
        assert_eq!((boxed(), Arc::strong_count(&boxed)), (7, 1));
    });
}

struct Node(u32, Weak<Node>);

#[test]
fn a_value_that_refers_to_itself() {
    both(|| {
        let node = Arc::new_cyclic(|weak| {
            assert!(weak.upgrade().is_none());
            Node(7, weak.clone())
        });
        assert_eq!(node.1.upgrade().unwrap().0, 7);
        assert_eq!((node.1.strong_count(), node.1.weak_count()), (1, 1));
        let weak = Arc::downgrade(&node);
        assert!(weak.ptr_eq(&node.1) && weak.as_ptr() == Arc::as_ptr(&node));
        drop(node);
        assert!(weak.upgrade().is_none() && Weak::<u8>::new().upgrade().is_none());
    });
}

#[test]
fn a_value_that_is_cloned_when_it_changes() {
    both(|| {
        let mut one = Arc::new(1);
        let other = Arc::clone(&one);
        *Arc::make_mut(&mut one) += 1;
        assert_eq!((*one, *other), (2, 1));
        let weak = Arc::downgrade(&one);
        *Arc::make_mut(&mut one) += 1;
        assert!(weak.upgrade().is_none());
        assert_eq!((Arc::unwrap_or_clone(one), Arc::unwrap_or_clone(other)), (3, 1));
    });
}

#[test]
fn a_pinned_value_and_one_that_is_made_later() {
    both(|| {
        assert_eq!(*Arc::pin(7), 7);
        let mut later = Arc::<u8>::new_uninit();
        Arc::get_mut(&mut later).unwrap().write(7);
        let mut all = Arc::<[u8]>::new_uninit_slice(2);
        for place in Arc::get_mut(&mut all).unwrap() {
            place.write(8);
        }
        // SAFETY: they were written.
        #[allow(unsafe_code)]
        let (later, all) = unsafe { (later.assume_init(), all.assume_init()) };
        assert_eq!((*later, &*all), (7, &[8, 8][..]));
    });
}

#[test]
#[allow(unsafe_code)]
fn a_pointer_owns_a_value() {
    let report = Checker::new().run(|| {
        let pointer = Arc::into_raw(Arc::new(7)).addr();
        let other = pointer;
        // SAFETY: the pointer owns the value, and the thread makes another owner for itself.
        unsafe { Arc::increment_strong_count(std::ptr::with_exposed_provenance::<i32>(pointer)) };
        let thread = thread::spawn(move || {
            // SAFETY: as above.
            let mine = unsafe { Arc::from_raw(std::ptr::with_exposed_provenance::<i32>(other)) };
            *mine
        });
        // SAFETY: as above.
        let mine = unsafe { Arc::from_raw(std::ptr::with_exposed_provenance::<i32>(pointer)) };
        assert_eq!(*mine + thread.join().unwrap(), 14);
        let weak = Arc::downgrade(&mine).into_raw();
        // SAFETY: it came from a weak reference.
        assert_eq!(unsafe { Weak::from_raw(weak) }.upgrade().as_deref(), Some(&7));
    });
    assert!(report.complete && report.violations.is_empty(), "{report}");
    let report = Checker::new().run(|| _ = Arc::into_raw(Arc::new(7)));
    assert_eq!(report.violations[0].kind, ViolationKind::Leak, "{report}");
}

/// The address of a value is used again, by another value with other owners.
#[test]
fn values_at_one_address_are_told_apart() {
    let report = Checker::new().run(|| {
        for _ in 0..4 {
            let value = Arc::new(1);
            let other = Arc::clone(&value);
            let thread = thread::spawn(move || Arc::strong_count(&other));
            let seen = Arc::strong_count(&value);
            assert!((1..=2).contains(&seen));
            assert!((1..=2).contains(&thread.join().unwrap()));
        }
    });
    assert!(report.complete && report.violations.is_empty(), "{report}");
    let objects = Checker::new().run(|| {
        // Most allocators give the address of the first one to the second one.
        let first = Arc::new(1);
        assert_eq!(Arc::strong_count(&first), 1);
        drop(first);
        std::mem::forget(Arc::new(2));
    });
    assert_eq!(objects.violations[0].kind, ViolationKind::Leak, "{objects}");
    assert!(objects.violations[0].message.contains("shared_values.rs"), "{objects}");
}

#[test]
fn memory_that_is_not_given_back() {
    use mazurka::alloc::{Layout, Track, alloc, alloc_zeroed, dealloc};
    let layout = Layout::new::<u64>();
    let run = |program: fn(Layout)| Checker::new().run(|| program(layout)).violations.pop().map(|v| v.kind);
    #[allow(unsafe_code)]
    // SAFETY: the layout is that of the allocation, and what is wrong is noticed before it happens.
    let programs: [fn(Layout); 3] = unsafe {
        [
            |layout| dealloc(alloc(layout), layout),
            |layout| _ = alloc_zeroed(layout),
            |layout| {
                let memory = alloc(layout);
                dealloc(memory, layout);
                dealloc(memory, layout);
            },
        ]
    };
    let kinds = programs.map(run);
    assert_eq!(kinds, [None, Some(ViolationKind::Leak), Some(ViolationKind::Panic)]);
    mazurka::check(|| assert_eq!(Track::new(7).into_inner(), 7));
}
