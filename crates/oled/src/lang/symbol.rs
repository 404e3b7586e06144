//! Symbol: an interned name, four bytes, `Copy`.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::fmt;
use std::sync::{PoisonError, RwLock};

use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::escape::write_quoted;

type Names = indexmap::IndexSet<&'static str, FxBuildHasher>;

/// Every name that was ever interned, in order of first use. Names are never freed: memory grows with the
/// distinct names of the domain, never with the length of a stream (numbers and times are not interned).
static NAMES: RwLock<Names> = RwLock::new(Names::with_hasher(FxBuildHasher));

thread_local! {
    /// What this thread has looked up before, so that reading a stream takes no lock. Begun anew when it is large: names
    /// that come often are soon back.
    static SEEN: RefCell<indexmap::IndexMap<&'static str, Symbol, FxBuildHasher>> = RefCell::default();
}

thread_local! {
    /// The first names, as far as this thread has needed them, so that neither printing nor comparing takes a lock.
    static FIRST: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

/// More names than this a thread does not keep at hand.
const AT_HAND: usize = 1 << 16;

/// An interned name: comparing and hashing cost one integer, printing gives the name back.
///
/// ```
/// use oled::Symbol;
/// let walking = Symbol::new("walking");
/// assert_eq!(walking, Symbol::new("walking"));
/// assert_eq!(walking.as_str(), "walking");
/// assert!(Symbol::new("active") < walking, "symbols are ordered by name, whatever was interned first");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symbol(u32);

impl Symbol {
    /// The symbol of this name.
    pub fn new(name: &str) -> Symbol {
        SEEN.with_borrow_mut(|seen| {
            if let Some(&symbol) = seen.get(name) {
                return symbol;
            }
            let symbol = intern(name);
            if seen.len() >= AT_HAND {
                seen.clear();
            }
            seen.insert(symbol.as_str(), symbol);
            symbol
        })
    }

    /// The name.
    pub fn as_str(self) -> &'static str {
        let index = self.0 as usize;
        FIRST.with_borrow_mut(|first| {
            if let Some(name) = first.get(index) {
                return *name;
            }
            let names = NAMES.read().unwrap_or_else(PoisonError::into_inner);
            if index < AT_HAND {
                first.extend(names.iter().take(AT_HAND).skip(first.len()));
            }
            names[index]
        })
    }

    /// How many names there are: each takes its length and about a hundred bytes, until the program
    /// ends.
    pub fn count() -> usize {
        NAMES.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// The position in the table of names; dense, but dependent on the order of interning.
    pub(crate) fn index(self) -> u32 {
        self.0
    }

    pub(crate) fn from_index(index: u32) -> Symbol {
        Symbol(index)
    }
}

fn intern(name: &str) -> Symbol {
    let mut names = NAMES.write().unwrap_or_else(PoisonError::into_inner);
    let index = match names.get_index_of(name) {
        Some(index) => index,
        None => names.insert_full(Box::leak(name.into())).0,
    };
    Symbol(u32::try_from(index).expect("fewer than 2^32 distinct names fit in memory"))
}

impl Ord for Symbol {
    fn cmp(&self, other: &Symbol) -> Ordering {
        if self == other { Ordering::Equal } else { self.as_str().cmp(other.as_str()) }
    }
}

impl PartialOrd for Symbol {
    fn partial_cmp(&self, other: &Symbol) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<&str> for Symbol {
    fn from(name: &str) -> Symbol {
        Symbol::new(name)
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

/// Prints the name as a constant of the language: in quotes unless it is a plain lower-case word.
impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.as_str();
        if is_plain(name) {
            return f.write_str(name);
        }
        write_quoted(f, name)
    }
}

/// Written as its name: numbers of symbols differ from run to run.
impl Serialize for Symbol {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Symbol {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Symbol, D::Error> {
        Ok(Symbol::new(&String::deserialize(deserializer)?))
    }
}

/// Whether a name needs no quotes: `[a-z][A-Za-z0-9_]*`, and not the word `not`.
fn is_plain(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_lowercase)
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
        && name != "not"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_not_plain_words_are_quoted() {
        assert_eq!(Symbol::new("id1").to_string(), "id1");
        assert_eq!(Symbol::new("Walk 1").to_string(), "'Walk 1'");
        assert_eq!(Symbol::new("it's").to_string(), r"'it\'s'");
        assert_eq!(Symbol::new("not").to_string(), "'not'");
        assert_eq!(Symbol::new("").to_string(), "''");
    }

    #[test]
    fn a_name_with_control_characters_is_printed_with_escapes_and_read_back() {
        let name = Symbol::new("\u{1b}]0;pwn\u{7}");
        assert_eq!(name.to_string(), r"'\u{1b}]0;pwn\u{7}'");
        let atom = crate::lang::parse_atom(&format!("p({name})")).unwrap();
        assert_eq!(atom.args, [crate::lang::Term::Value(name.as_str().into())]);
    }

    #[test]
    fn names_are_ordered_by_their_text_however_many_there_are() {
        let names: Vec<Symbol> = (0..AT_HAND + 1000).map(|i| Symbol::new(&format!("ordered {i}"))).collect();
        for (a, b) in names.iter().zip(names.iter().rev()) {
            assert_eq!(a.cmp(b), a.as_str().cmp(b.as_str()));
        }
        assert_eq!(names.last().map(|name| name.as_str()), Some(format!("ordered {}", AT_HAND + 999).as_str()));
    }

    #[test]
    fn threads_agree_on_symbols() {
        let here = Symbol::new("shared between threads");
        let there = std::thread::spawn(|| Symbol::new("shared between threads")).join().unwrap();
        assert_eq!(here, there);
    }
}
