//! Implementations for the user's own types: [`encode!`](crate::encode).
//!
//! A structure is its fields one after the other. A variant of an enumeration is its number as a byte, then its fields. The macro
//! sees the definition, so no field can be forgotten, and the length is known where the types of all fields have one.
//! Every kind of variant is brought into the form `V { field: name, … }`, which Rust also allows for tuple and
//! unit variants.

/// Defines types that can be parts of states: structures and enumerations without type parameters, whose
/// fields implement [`Encode`](crate::typed::Encode).
///
/// ```
/// use mazurka_core::encode;
/// use mazurka_core::typed::Encode;
///
/// encode! {
///     /// Where a process is.
///     #[derive(Clone, Copy, Debug, PartialEq, Eq)]
///     pub enum At { Idle, Waits { since: u8 }, Critical }
///
///     #[derive(Clone, Debug, PartialEq)]
///     struct State {
///         at: [At; 2],
///         turn: u8,
///     }
/// }
///
/// let state = State { at: [At::Waits { since: 4 }, At::Critical], turn: 1 };
/// let mut bytes = Vec::new();
/// state.encode(&mut bytes);
/// assert_eq!(bytes, [1, 4, 2, 1]);
/// assert_eq!(State::decode(&mut &bytes[..]), Some(state));
/// ```
///
/// What has no canonical form is refused by the compiler:
///
/// ```compile_fail
/// mazurka_core::encode! {
///     struct State { seen: std::collections::HashSet<u8> }
/// }
/// ```
///
/// A variant with fields in parentheses has at most six.
#[macro_export]
macro_rules! encode {
    () => {};
    (
        $(#[$meta:meta])* $vis:vis struct $name:ident {
            $($(#[$on:meta])* $seen:vis $field:ident : $ty:ty),* $(,)?
        }
        $($rest:tt)*
    ) => {
        $(#[$meta])* $vis struct $name { $($(#[$on])* $seen $field: $ty),* }
        $crate::encode!(@structure $name $(($field $field $ty))*);
        $crate::encode! { $($rest)* }
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident; $($rest:tt)*) => {
        $(#[$meta])* $vis struct $name;
        $crate::encode!(@structure $name);
        $crate::encode! { $($rest)* }
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident ( $($seen:vis $ty:ty),* $(,)? ); $($rest:tt)*) => {
        $(#[$meta])* $vis struct $name ( $($seen $ty),* );
        $crate::encode!(@tuple $name $($ty),*);
        $crate::encode! { $($rest)* }
    };
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($variants:tt)* } $($rest:tt)*) => {
        $(#[$meta])* $vis enum $name { $($variants)* }
        $crate::encode!(@variants $name [] $($variants)*);
        $crate::encode! { $($rest)* }
    };

    // Fields in parentheses.
    (@tuple $n:ident $a:ty) => { $crate::encode!(@structure $n (0 a $a)); };
    (@tuple $n:ident $a:ty, $b:ty) => { $crate::encode!(@structure $n (0 a $a) (1 b $b)); };
    (@tuple $n:ident $a:ty, $b:ty, $c:ty) => { $crate::encode!(@structure $n (0 a $a) (1 b $b) (2 c $c)); };
    (@tuple $n:ident $a:ty, $b:ty, $c:ty, $d:ty) => {
        $crate::encode!(@structure $n (0 a $a) (1 b $b) (2 c $c) (3 d $d));
    };
    (@tuple $n:ident $a:ty, $b:ty, $c:ty, $d:ty, $e:ty) => {
        $crate::encode!(@structure $n (0 a $a) (1 b $b) (2 c $c) (3 d $d) (4 e $e));
    };
    (@tuple $n:ident $a:ty, $b:ty, $c:ty, $d:ty, $e:ty, $f:ty) => {
        $crate::encode!(@structure $n (0 a $a) (1 b $b) (2 c $c) (3 d $d) (4 e $e) (5 f $f));
    };

    // Variants, one at a time.
    (@variants $n:ident [$($done:tt)*]) => { $crate::encode!(@enumeration $n $($done)*); };
    (@variants $n:ident [$($done:tt)*] $(#[$on:meta])* $v:ident $(, $($rest:tt)*)?) => {
        $crate::encode!(@variants $n [$($done)* ($v)] $($($rest)*)?);
    };
    (@variants $n:ident [$($done:tt)*] $(#[$on:meta])* $v:ident {
        $($(#[$also:meta])* $field:ident : $ty:ty),* $(,)?
    } $(, $($rest:tt)*)?) => {
        $crate::encode!(@variants $n [$($done)* ($v $(($field $field $ty))*)] $($($rest)*)?);
    };
    (@variants $n:ident [$($done:tt)*] $(#[$on:meta])* $v:ident ($a:ty $(,)?) $(, $($rest:tt)*)?) => {
        $crate::encode!(@variants $n [$($done)* ($v (0 a $a))] $($($rest)*)?);
    };
    (@variants $n:ident [$($done:tt)*] $(#[$on:meta])* $v:ident ($a:ty, $b:ty $(,)?) $(, $($rest:tt)*)?) => {
        $crate::encode!(@variants $n [$($done)* ($v (0 a $a) (1 b $b))] $($($rest)*)?);
    };
    (@variants $n:ident [$($done:tt)*] $(#[$on:meta])* $v:ident ($a:ty, $b:ty, $c:ty $(,)?) $(, $($rest:tt)*)?) => {
        $crate::encode!(@variants $n [$($done)* ($v (0 a $a) (1 b $b) (2 c $c))] $($($rest)*)?);
    };
    (@variants $n:ident [$($done:tt)*] $(#[$on:meta])* $v:ident (
        $a:ty, $b:ty, $c:ty, $d:ty $(,)?
    ) $(, $($rest:tt)*)?) => {
        $crate::encode!(@variants $n [$($done)* ($v (0 a $a) (1 b $b) (2 c $c) (3 d $d))] $($($rest)*)?);
    };
    (@variants $n:ident [$($done:tt)*] $(#[$on:meta])* $v:ident (
        $a:ty, $b:ty, $c:ty, $d:ty, $e:ty $(,)?
    ) $(, $($rest:tt)*)?) => {
        $crate::encode!(@variants $n [$($done)* ($v (0 a $a) (1 b $b) (2 c $c) (3 d $d) (4 e $e))] $($($rest)*)?);
    };
    (@variants $n:ident [$($done:tt)*] $(#[$on:meta])* $v:ident (
        $a:ty, $b:ty, $c:ty, $d:ty, $e:ty, $f:ty $(,)?
    ) $(, $($rest:tt)*)?) => {
        $crate::encode!(
            @variants $n [$($done)* ($v (0 a $a) (1 b $b) (2 c $c) (3 d $d) (4 e $e) (5 f $f))] $($($rest)*)?
        );
    };

    (@structure $name:ident $(($field:tt $value:ident $ty:ty))*) => {
        #[allow(clippy::init_numbered_fields)]
        impl $crate::typed::Encode for $name {
            const LEN: Option<usize> = $crate::typed::all_of(&[$(<$ty as $crate::typed::Encode>::LEN),*]);

            #[inline]
            fn encode(&self, _out: &mut Vec<u8>) {
                let Self { $($field: $value),* } = self;
                $($crate::typed::Encode::encode($value, _out);)*
            }

            #[inline]
            fn decode(_bytes: &mut &[u8]) -> Option<Self> {
                Some(Self { $($field: $crate::typed::Encode::decode(_bytes)?),* })
            }
        }
    };
    (@enumeration $name:ident $(($variant:ident $(($field:tt $value:ident $ty:ty))*))*) => {
        #[allow(clippy::init_numbered_fields)]
        const _: () = {
            /// The number of each variant.
            #[repr(u8)]
            enum Tag { $($variant),* }

            impl $crate::typed::Encode for $name {
                const LEN: Option<usize> = $crate::typed::one_of(&[
                    $($crate::typed::all_of(&[$(<$ty as $crate::typed::Encode>::LEN),*])),*
                ]);

                #[inline]
                fn encode(&self, out: &mut Vec<u8>) {
                    match self {
                        $(Self::$variant { $($field: $value),* } => {
                            out.push(Tag::$variant as u8);
                            $($crate::typed::Encode::encode($value, out);)*
                        })*
                    }
                }

                #[inline]
                fn decode(bytes: &mut &[u8]) -> Option<Self> {
                    let tag = <u8 as $crate::typed::Encode>::decode(bytes)?;
                    $(if tag == Tag::$variant as u8 {
                        return Some(Self::$variant { $($field: $crate::typed::Encode::decode(bytes)?),* });
                    })*
                    None
                }
            }
        };
    };
}

#[cfg(test)]
mod tests {
    use crate::typed::Encode;

    crate::encode! {
        #[derive(Debug, PartialEq)]
        enum Colour { Red, Green, }

        #[derive(Debug, PartialEq)]
        struct Unit;

        #[derive(Debug, PartialEq)]
        pub(crate) struct Wrapped(pub(crate) u8, Unit);

        #[derive(Debug, PartialEq)]
        enum Shape {
            /// Nothing.
            Empty,
            Dot(u16),
            Line(u8, Option<bool>),
            Box { colour: Colour, of: Vec<Shape> },
            Many(u8, u8, u8, u8, u8, u8),
        }

        #[derive(Debug, PartialEq)]
        enum Level { Low(u8), High { by: u8 } }
    }

    fn bytes(value: &impl Encode) -> Vec<u8> {
        let mut bytes = Vec::new();
        value.encode(&mut bytes);
        bytes
    }

    #[test]
    fn types_of_every_form_read_back() {
        let nested = Shape::Box {
            colour: Colour::Green,
            of: vec![
                Shape::Empty,
                Shape::Dot(7),
                Shape::Line(1, Some(true)),
                Shape::Many(1, 2, 3, 4, 5, 6),
            ],
        };
        let written = bytes(&nested);
        assert_eq!(written, [3, 1, 4, 0, 1, 7, 0, 2, 1, 1, 1, 4, 1, 2, 3, 4, 5, 6]);
        assert_eq!(Shape::decode(&mut &written[..]), Some(nested));
        assert_eq!(Shape::decode(&mut &[5][..]), None);
        let wrapped = Wrapped(9, Unit);
        assert_eq!(
            (bytes(&wrapped), Wrapped::decode(&mut &[9][..])),
            (vec![9], Some(wrapped))
        );
    }

    #[test]
    fn lengths_are_known_where_they_are_fixed() {
        assert_eq!((Colour::LEN, Unit::LEN, Wrapped::LEN), (Some(1), Some(0), Some(1)));
        assert_eq!((Level::LEN, Shape::LEN), (Some(2), None));
        assert_eq!(<[(Level, u32); 3]>::LEN, Some(18));
        for level in [Level::Low(3), Level::High { by: 3 }] {
            assert_eq!(bytes(&level).len(), 2);
        }
        assert_eq!(Colour::decode(&mut &bytes(&Colour::Red)[..]), Some(Colour::Red));
    }
}
