//! Signature: the skeleton of an atom, which names the relation that its facts belong to.
//!
//! `happensAt(walking(id1), 10)` has the skeleton `happensAt(walking(_), _)` and the values `(id1, 10)`. So every
//! event and every fluent is an ordinary relation with flat columns, and text is rebuilt from both.

use std::cell::RefCell;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

use rustc_hash::FxBuildHasher;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Atom, Mark, Span, Symbol, TIME, Term, did_you_mean};

/// A hole in a skeleton. Anything else is the index of a symbol, and the number of arguments follows it.
const HOLE: u32 = u32::MAX;

type Shapes = indexmap::IndexSet<&'static [u32], FxBuildHasher>;

static SHAPES: RwLock<Shapes> = RwLock::new(Shapes::with_hasher(FxBuildHasher));

/// How many numbers all skeletons have together.
static CODES: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// What this thread has looked up before; begun anew when it is large.
    static SEEN: RefCell<indexmap::IndexMap<&'static [u32], Signature, FxBuildHasher>> = RefCell::default();
}

/// More skeletons than this a thread does not keep at hand.
const AT_HAND: usize = 1 << 16;

/// So many numbers of a skeleton take as much room as a name.
const CODES_OF_A_NAME: usize = 25;

/// The skeleton of an atom, interned. As with [`Symbol`], there are only as many as the domain has.
///
/// ```
/// use oled::Signature;
/// let atom = oled::parse_atom("happensAt(walking(id1), 10)").unwrap();
/// let (signature, values) = Signature::split(&atom).unwrap();
/// assert_eq!(signature.to_string(), "happensAt(walking(_), _)");
/// assert_eq!(values, ["id1".into(), 10.into()]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signature(u32);

impl Signature {
    /// The signature of an atom: every argument that is not a compound term is a hole. Operations such as `X + 1` are
    /// holes too, since they stand for their value.
    pub fn of(atom: &Atom) -> Signature {
        let mut shape = Shape::default();
        shape.app(atom.name, atom.args.len());
        atom.args.iter().for_each(|a| shape.push(a));
        shape.signature()
    }

    /// The signature of a predicate without compound arguments: `person(_, _)`, the predicate of a type at a time, or
    /// `distance(_)`, that of the facts of a type.
    pub fn plain(name: Symbol, arity: usize) -> Signature {
        let mut shape = Shape::default();
        shape.app(name, arity);
        (0..arity).for_each(|_| shape.hole());
        shape.signature()
    }

    /// The signature and the values of a ground atom; `None` if it has variables or operations.
    pub fn split(atom: &Atom) -> Option<(Signature, Vec<super::Value>)> {
        let mut values = Vec::new();
        let mut ground = true;
        for_each_hole(&atom.args, &mut |term| match term {
            Term::Value(v) => values.push(*v),
            _ => ground = false,
        });
        ground.then(|| (Signature::of(atom), values))
    }

    /// How much room all skeletons take, in names: each is one name, and a long one several. They are kept until the
    /// program ends.
    pub fn count_as_names() -> usize {
        let count = SHAPES.read().unwrap_or_else(PoisonError::into_inner).len();
        count + CODES.load(Ordering::Relaxed) / CODES_OF_A_NAME
    }

    /// The number of holes.
    pub fn arity(self) -> usize {
        // A name's index could be as large as HOLE only with 2^32 names.
        let mut holes = 0;
        self.walk(|code, _| holes += usize::from(code == HOLE));
        holes
    }

    /// The atom with these terms in its holes.
    ///
    /// # Panics
    /// If there are fewer terms than holes.
    pub fn fill(self, terms: impl IntoIterator<Item = Term>) -> Atom {
        fn build(shape: &mut std::slice::Iter<'_, u32>, terms: &mut impl Iterator<Item = Term>) -> Term {
            match *shape.next().expect("a shape is complete") {
                HOLE => terms.next().expect("as many terms as the signature has holes"),
                name => {
                    let count = *shape.next().expect("the number of arguments follows a name");
                    Term::App(Symbol::from_index(name), (0..count).map(|_| build(shape, terms)).collect())
                }
            }
        }
        match build(&mut self.shape().iter(), &mut terms.into_iter()) {
            Term::App(name, args) => Atom { name, args, span: Span::default() },
            _ => unreachable!("a shape starts with a name"),
        }
    }

    /// A place marker for each hole, as in a declaration: `+type`, and `+time` for the last.
    pub fn markers(self) -> impl Iterator<Item = Term> {
        let arity = self.arity();
        (1..=arity).map(move |i| Term::Mark(Mark::Input, Symbol::new(if i == arity { TIME } else { "type" })))
    }

    /// The predicate's name.
    pub fn name(self) -> Symbol {
        Symbol::from_index(self.shape()[0])
    }

    /// The same skeleton under another predicate: `holdsAt(f(_), _)` for `initiatedAt(f(_), _)`.
    #[must_use]
    pub fn renamed(self, name: &str) -> Signature {
        let mut codes = self.shape().to_vec();
        codes[0] = Symbol::new(name).index();
        lookup(&codes)
    }

    /// The same skeleton with a time: `initially(f(_), _)` for `initially(f(_))`.
    #[must_use]
    pub fn with_time(self) -> Signature {
        let mut codes = self.shape().to_vec();
        codes[1] += 1;
        codes.push(HOLE);
        lookup(&codes)
    }

    /// The same skeleton without the time in its last argument, if that is a hole.
    pub fn without_time(self) -> Option<Signature> {
        let mut shape = Shape { codes: self.shape().to_vec() };
        if shape.codes[1] == 0 || !shape.last_is_hole() {
            return None;
        }
        shape.codes.pop();
        shape.codes[1] -= 1;
        Some(shape.signature())
    }

    /// Whether the first argument has the form `fluent = value`.
    pub fn has_value(self) -> bool {
        let shape = self.shape();
        shape.len() > 3 && shape[2] != HOLE && Symbol::from_index(shape[2]).as_str() == "=" && shape[3] == 2
    }

    /// The name of the event or fluent in the first argument, if that is compound: `meeting` of
    /// `holdsAt(meeting(_, _), _)`, `speed` of `holdsAt(speed(_)=_, _)`.
    pub fn inner_name(self) -> Option<Symbol> {
        let shape = self.shape();
        let at = if self.has_value() { 4 } else { 2 };
        shape.get(at).filter(|c| shape[1] > 0 && **c != HOLE).map(|c| Symbol::from_index(*c))
    }

    /// The names in it, from the outside in, joined by dots: `happensAt.walking`. Signatures that differ in their
    /// numbers of arguments only have the same path.
    pub fn path(self) -> String {
        let mut path = String::new();
        self.walk(|code, _| {
            if code != HOLE {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(Symbol::from_index(code).as_str());
            }
        });
        path
    }

    /// The position in the table of signatures; dense, but dependent on the order of interning.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    fn shape(self) -> &'static [u32] {
        SHAPES.read().unwrap_or_else(PoisonError::into_inner)[self.0 as usize]
    }

    fn walk(self, mut f: impl FnMut(u32, u32)) {
        let mut codes = self.shape().iter();
        while let Some(&code) = codes.next() {
            f(code, if code == HOLE { 0 } else { *codes.next().expect("the number of arguments follows a name") });
        }
    }
}

/// The length of the sub-shape that starts here.
fn length(shape: &[u32]) -> usize {
    if shape[0] == HOLE {
        return 1;
    }
    (0..shape[1]).fold(2, |at, _| at + length(&shape[at..]))
}

/// The known path nearest to a misspelt one: each of its names is the same or near.
pub fn nearest_path<'a>(path: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = |a: &str, b: &str| a == b || did_you_mean(a, [b]).is_some();
    let all_near = |other: &&str| {
        path.split('.').count() == other.split('.').count()
            && path.split('.').zip(other.split('.')).all(|(a, b)| near(a, b))
    };
    did_you_mean(path, known.into_iter().filter(all_near))
}

/// Calls `f` with the terms that fill the holes, from left to right.
pub fn for_each_hole<'a>(args: &'a [Term], f: &mut impl FnMut(&'a Term)) {
    for arg in args {
        match arg {
            Term::App(name, args) if !crate::lang::is_operation(name.as_str(), args.len()) => for_each_hole(args, f),
            term => f(term),
        }
    }
}

/// A signature under construction: what a reader pushes while it scans an atom, without building it.
#[derive(Default)]
pub(crate) struct Shape {
    codes: Vec<u32>,
}

impl Shape {
    pub(crate) fn clear(&mut self) {
        self.codes.clear();
    }

    /// A name whose number of arguments is set later, with the position this returns.
    pub(crate) fn open(&mut self, name: Symbol) -> usize {
        self.app(name, 0);
        self.codes.len() - 1
    }

    pub(crate) fn close(&mut self, at: usize, args: u32) {
        self.codes[at] = args;
    }

    pub(crate) fn hole(&mut self) {
        self.codes.push(HOLE);
    }

    /// Puts a name without arguments in the place of the hole that was pushed last.
    pub(crate) fn fluent(&mut self, name: Symbol) {
        self.codes.pop();
        self.app(name, 0);
    }

    pub(crate) fn app(&mut self, name: Symbol, args: usize) {
        self.codes.extend([name.index(), args as u32]);
    }

    /// Puts `=` around everything from `at` on, as in `speed(V)=low`.
    pub(crate) fn wrap_equal(&mut self, at: usize) {
        let equal = [Symbol::new("=").index(), 2];
        self.codes.splice(at..at, equal);
    }

    pub(crate) fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether the last argument of the outermost name is a hole.
    pub(crate) fn last_is_hole(&self) -> bool {
        let mut at = 2;
        for _ in 1..self.codes[1] {
            at += length(&self.codes[at..]);
        }
        self.codes.get(at) == Some(&HOLE)
    }

    fn push(&mut self, term: &Term) {
        match term {
            Term::App(name, args) if !crate::lang::is_operation(name.as_str(), args.len()) => {
                self.app(*name, args.len());
                args.iter().for_each(|a| self.push(a));
            }
            _ => self.hole(),
        }
    }

    pub(crate) fn signature(&self) -> Signature {
        lookup(&self.codes)
    }
}

fn lookup(codes: &[u32]) -> Signature {
    SEEN.with_borrow_mut(|seen| {
        if let Some(&signature) = seen.get(codes) {
            return signature;
        }
        let mut shapes = SHAPES.write().unwrap_or_else(PoisonError::into_inner);
        let index = match shapes.get_index_of(codes) {
            Some(index) => index,
            None => {
                CODES.fetch_add(codes.len(), Ordering::Relaxed);
                shapes.insert_full(Box::leak(codes.into())).0
            }
        };
        let signature = Signature(u32::try_from(index).expect("fewer than 2^32 distinct signatures fit in memory"));
        if seen.len() >= AT_HAND {
            seen.clear();
        }
        seen.insert(shapes[index], signature);
        signature
    })
}

/// A part of a skeleton as it is written: a name with the number of its arguments, which follow, or a hole.
#[derive(Serialize, Deserialize)]
enum Code {
    Hole,
    Name(Symbol, u32),
}

/// Deeper skeletons are read from no stream and no rule.
const MAX_DEPTH: usize = 128;

impl Serialize for Signature {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut codes = Vec::new();
        self.walk(|code, args| {
            codes.push(if code == HOLE { Code::Hole } else { Code::Name(Symbol::from_index(code), args) });
        });
        codes.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Signature {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Signature, D::Error> {
        let codes = Vec::<Code>::deserialize(deserializer)?;
        let mut shape = Shape::default();
        // How many arguments are still to come, for each name that is open.
        let mut open: Vec<u32> = Vec::new();
        for (i, code) in codes.iter().enumerate() {
            match open.last_mut() {
                Some(left) => *left -= 1,
                None if i == 0 => {}
                None => return Err(D::Error::custom("something follows a skeleton")),
            }
            match *code {
                Code::Name(name, args) => {
                    shape.app(name, args as usize);
                    open.push(args);
                }
                Code::Hole => shape.hole(),
            }
            while open.last() == Some(&0) {
                open.pop();
            }
            if open.len() > MAX_DEPTH {
                return Err(D::Error::custom("a skeleton is nested too deep"));
            }
        }
        if !matches!(codes.first(), Some(Code::Name(..))) || !open.is_empty() {
            return Err(D::Error::custom("a skeleton is not complete"));
        }
        Ok(shape.signature())
    }
}

/// Signatures are ordered by how they print, whatever was interned first.
impl Ord for Signature {
    fn cmp(&self, other: &Signature) -> std::cmp::Ordering {
        if self == other { std::cmp::Ordering::Equal } else { self.to_string().cmp(&other.to_string()) }
    }
}

impl PartialOrd for Signature {
    fn partial_cmp(&self, other: &Signature) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.fill(std::iter::repeat(Term::var("_"))))
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_added_and_taken_away() {
        let signature = |text: &str| Signature::of(&crate::lang::parse_atom(text).unwrap());
        assert_eq!(signature("initially(f(X))").with_time(), signature("initially(f(X), T)"));
        assert_eq!(signature("holdsAt(f(X), T)").without_time(), Some(signature("holdsAt(f(X))")));
        assert_eq!(signature("holdsAt(f(X))").without_time(), None);
    }

    #[test]
    fn a_skeleton_is_read_as_it_was_written() {
        use Code::{Hole, Name};
        for text in ["p(X)", "p(f(), X)", "holdsAt(speed(V)=low, T)", "p(f(g(h(X), Y)), 'A b'(Z), T)"] {
            let signature = Signature::of(&crate::lang::parse_atom(text).unwrap_or_else(|_| Atom::new("q", vec![])));
            let bytes = crate::state::encode(&signature);
            assert_eq!(crate::state::decode(&bytes), Ok(signature), "{text}");
        }
        let p = |args| Name(Symbol::new("p"), args);
        for wrong in [vec![], vec![Hole], vec![p(2), Hole], vec![p(1), Hole, Hole], vec![p(0), Hole]] {
            assert!(crate::state::decode::<Signature>(&crate::state::encode(&wrong)).is_err());
        }
        let deep: Vec<Code> = (0..500).map(|_| p(1)).chain([Hole]).collect();
        assert!(crate::state::decode::<Signature>(&crate::state::encode(&deep)).is_err());
    }

    #[test]
    fn a_near_path_has_near_names() {
        assert_eq!(nearest_path("happensAt.alrm", ["happensAt.alarm", "holdsAt.alarm"]), Some("happensAt.alarm"));
        assert_eq!(nearest_path("hapensAt.alarm", ["happensAt.alarm"]), Some("happensAt.alarm"));
        assert_eq!(nearest_path("holdsAt.bar", ["holdsAt.run", "holdsAt"]), None);
    }
}
