//! Settings as a table: each row has a name, a type, a default, a meaning and a range, and all that asks for them comes from it:
//! the fields with their documentation, `Default`, `set`, `task.toml`, the command line, error messages and the tables of the book.

use std::str::FromStr;

use crate::lang::did_you_mean;

/// A table of settings: a struct with a field for each row, its defaults, the rows as data, and a method `set` that takes a row's
/// name and a value within its range. A row may also be short for several fields.
///
/// ```
/// oled::settings! {
///     /// Everything that can be set about lamps.
///     Lamp,
///     /// The names, meanings and ranges of it.
///     LAMP, else "a lamp has no setting";
///     watts: u32 = 60, "how bright it is", (1 to 100);
///     dimmed: Option<f64> = None, "how much less it gives", (0 to 1, or none);
/// }
/// let mut lamp = Lamp::default();
/// lamp.set("dimmed", "0.5").unwrap();
/// assert_eq!(lamp, Lamp { dimmed: Some(0.5), ..Lamp::default() });
/// assert_eq!(lamp.set("watts", "1000").unwrap_err(), "`1000` is no value of `watts`: 1 to 100");
/// assert_eq!(lamp.set("wats", "1").unwrap_err(), "a lamp has no setting `wats`: did you mean `watts`?");
/// assert_eq!(LAMP[1], ("dimmed", "how much less it gives", "0 to 1, or none"));
/// ```
#[macro_export]
macro_rules! settings {
    (
        $(#[$doc:meta])*
        $settings:ident,
        $(#[$of_table:meta])*
        $table:ident, else $unknown:literal;
        $($name:ident: $type:ty = $default:expr, $meaning:literal, $range:tt;)+
        $([$($field:ident),+] as $short:ident, $of_short:literal, $range_of_short:tt;)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $settings {
            $(
                #[doc = $meaning]
                pub $name: $type,
            )+
        }

        impl Default for $settings {
            fn default() -> $settings {
                $settings { $($name: $default),+ }
            }
        }

        $(#[$of_table])*
        pub const $table: [(&str, &str, &str); [$(stringify!($name),)+ $(stringify!($short)),*].len()] = [
            $((stringify!($name), $meaning, $crate::settings!(@text $range)),)+
            $((stringify!($short), $of_short, $crate::settings!(@text $range_of_short))),*
        ];

        impl $settings {
            /// Sets what a name stands for; an error says what is possible.
            pub fn set(&mut self, name: &str, text: &str) -> Result<(), String> {
                let range = $crate::settings::range_of(&$table, name)
                    .map_err(|near| format!(concat!($unknown, " `{}`: {}"), name, near))?;
                self.try_set(name, text).ok_or_else(|| format!("`{text}` is no value of `{name}`: {range}"))
            }

            fn try_set(&mut self, name: &str, text: &str) -> Option<()> {
                $(if name == stringify!($name) {
                    self.$name = $crate::settings!(@value text; $range)?;
                    return Some(());
                })+
                $(if name == stringify!($short) {
                    $(self.$field = $crate::settings!(@value text; $range_of_short)?;)+
                    return Some(());
                })*
                None
            }
        }
    };
    (@text (one of $choice:ty)) => { <$choice as $crate::settings::Choice>::NAMES };
    (@text (by $read:path: $range:literal, or none)) => { concat!($range, ", or none") };
    (@text (by $read:path: $range:literal)) => { $range };
    (@text ($($range:tt)+)) => { stringify!($($range)+) };
    (@value $text:ident; (one of $choice:ty)) => { <$choice as $crate::settings::Choice>::of($text) };
    (@value $text:ident; (by $read:path: $range:literal, or none)) => { $crate::settings::or_none($text, $read) };
    (@value $text:ident; (by $read:path: $range:literal)) => { $read($text) };
    (@value $text:ident; (true, false)) => { $text.parse::<bool>().ok() };
    (@value $text:ident; ($low:literal to $high:literal)) => { $crate::settings::between($text, $low, $high) };
    (@value $text:ident; ($low:literal or more)) => { $crate::settings::at_least($text, $low) };
    (@value $text:ident; (above $low:literal)) => { $crate::settings::above($text, $low) };
    (@value $text:ident; (above $low:literal, below $high:literal)) => {
        $crate::settings::above($text, $low).filter(|x| *x < $crate::settings::Number::of($high))
    };
    (@value $text:ident; ($low:literal to $high:literal, or none)) => {
        $crate::settings::or_none($text, |text| $crate::settings::between(text, $low, $high))
    };
    (@value $text:ident; ($low:literal or more, or none)) => {
        $crate::settings::or_none($text, |text| $crate::settings::at_least(text, $low))
    };
    (@value $text:ident; (above $low:literal, or none)) => {
        $crate::settings::or_none($text, |text| $crate::settings::above(text, $low))
    };
}

/// A value that is one of several with names.
pub trait Choice: Sized {
    /// The names, as people read them.
    const NAMES: &'static str;

    /// The value of a name.
    fn of(name: &str) -> Option<Self>;
}

/// Gives the values of an enumeration their names: `choice!(Gap: mean => Mean, last => Last)`.
#[macro_export]
macro_rules! choice {
    ($choice:ident: $($name:ident => $value:ident),+) => {
        impl $crate::settings::Choice for $choice {
            const NAMES: &'static str = stringify!($($name),+);

            fn of(name: &str) -> Option<$choice> {
                $(if name == stringify!($name) {
                    return Some($choice::$value);
                })+
                None
            }
        }
    };
}

pub use choice;

/// A number that has a range.
pub trait Number: FromStr + PartialOrd {
    /// A bound of a range.
    fn of(bound: u32) -> Self;

    /// Whether it is no infinity.
    fn is_number(&self) -> bool {
        true
    }
}

impl Number for u32 {
    fn of(bound: u32) -> u32 {
        bound
    }
}

impl Number for u64 {
    fn of(bound: u32) -> u64 {
        bound.into()
    }
}

impl Number for usize {
    fn of(bound: u32) -> usize {
        bound as usize
    }
}

impl Number for f64 {
    fn of(bound: u32) -> f64 {
        bound.into()
    }

    fn is_number(&self) -> bool {
        self.is_finite()
    }
}

/// A value that can be missing: `none`.
pub trait OrNone {
    /// What it is otherwise.
    type Some;
    /// What stands for `none`.
    const NONE: Self;

    /// What it is where there is a value.
    fn some(value: Self::Some) -> Self;
}

impl<T> OrNone for Option<T> {
    type Some = T;
    const NONE: Option<T> = None;

    fn some(value: T) -> Option<T> {
        Some(value)
    }
}

/// A limit that is none is larger than anything.
impl OrNone for usize {
    type Some = usize;
    const NONE: usize = usize::MAX;

    fn some(value: usize) -> usize {
        value
    }
}

/// A number from one bound to another.
pub fn between<T: Number>(text: &str, low: u32, high: u32) -> Option<T> {
    text.parse().ok().filter(|x| (T::of(low)..=T::of(high)).contains(x))
}

/// A number that is not below a bound.
pub fn at_least<T: Number>(text: &str, low: u32) -> Option<T> {
    text.parse().ok().filter(|x: &T| *x >= T::of(low) && x.is_number())
}

/// A number above a bound.
pub fn above<T: Number>(text: &str, low: u32) -> Option<T> {
    text.parse().ok().filter(|x: &T| *x > T::of(low) && x.is_number())
}

/// The same, or none.
pub fn or_none<T: OrNone>(text: &str, value: impl FnOnce(&str) -> Option<T::Some>) -> Option<T> {
    if text == "none" { Some(T::NONE) } else { value(text).map(T::some) }
}

/// The range of a setting of a table; if it is in none, what may have been meant.
pub fn range_of(table: &[(&'static str, &'static str, &'static str)], name: &str) -> Result<&'static str, String> {
    if let Some((_, _, range)) = table.iter().find(|(n, ..)| *n == name) {
        return Ok(range);
    }
    let names: Vec<&str> = table.iter().map(|(n, ..)| *n).collect();
    Err(did_you_mean(name, names.iter().copied())
        .map_or_else(|| format!("settings are {}", names.join(", ")), |near| format!("did you mean `{near}`?")))
}
