//! Print: a task, a theory and a stream as one answer set program.
//!
//! Rules stay as they are written, as far as clingo can read them. What the library does by itself is written out: types,
//! different arguments, candidates, both orders of symmetric fluents, conditions that look back, open thresholds, inertia.
//!
//! | name | meaning |
//! |---|---|
//! | `T`, or `(s,T)` where there are several segments | a time point |
//! | `_at(T)`, `_time(T)` | the time points; the second not those at which `initially` is evaluated |
//! | `_first(T)`, `_next(P,T)` | the first time point of a segment, and neighbouring ones |
//! | `(_init(s),T)` | the first time point again, with no past and no fluents: where `initially` is evaluated |
//! | `_ago(coords(X,A,B),25,T)` | `ago(coords(X, A, B, T), 25)`, and so with the others; `_last` always has an age |
//! | `_gathered("count …",U,N,T)` | `count(happensAt(failed(U, _), T), 60, N)`, and so with `sum`, `min`, `max`, `mean`, `never_below` and `never_above` |
//! | `_measured(close(X,Y,_any),V,T)` | what is compared where the threshold of `close` is open |

mod axioms;
mod rule;
mod stream;
mod term;

use oled::lang::ec;
use oled::logic::Vocabulary;
use oled::{Atom, Clause, Frame, Problems, Signature, Symbol, Task, Term, Theory};

#[cfg(feature = "clingo")]
pub(crate) use stream::{Episode, episodes};
#[cfg(feature = "clingo")]
pub(crate) use term::canonical;
pub use term::{atom, term, value};

/// Prints what belongs to one task and one theory.
///
/// ```
/// use oled::{Source, Task, Theory};
/// use oled_asp::print::Printer;
/// let modes = Source::new("modes.lp", "
///     input(happensAt(opens(+door), +time)).
///     example(holdsAt(open(+door), +time)).");
/// let task = Task::parse(&modes, &Source::new("background.lp", "")).unwrap();
/// let theory = oled::parse_theory("t.lp", "initiatedAt(open(D), T) :- happensAt(opens(D), T).").unwrap();
/// let printer = Printer::new(&task, &theory).unwrap();
/// assert_eq!(printer.clause(&theory.clauses[0]), "initiatedAt(open(D),T) :- happensAt(opens(D),T).");
/// let rules = printer.rules();
/// assert!(rules.contains("holdsAt(open(X1),T) :- _next(P',T), initiatedAt(open(X1),P'), door(X1,T)."), "{rules}");
/// ```
#[derive(Clone, Debug)]
pub struct Printer<'t> {
    task: &'t Task,
    theory: &'t Theory,
    vocabulary: Vocabulary,
    times: Times,
    /// Whether the differences of times fit into clingo's integers.
    small: bool,
}

/// How time points are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Times {
    /// `680`: there is one segment.
    Plain,
    /// `(s,680)`.
    WithSegment,
}

impl<'t> Printer<'t> {
    /// A printer for streams of one segment; everything that is wrong with the theory is said in one go. A theory with
    /// `initially` has its time points written with their segments.
    pub fn new(task: &'t Task, theory: &'t Theory) -> Result<Printer<'t>, Problems> {
        task.check(theory)?;
        let (vocabulary, _) = Vocabulary::new(&task.bias, &task.rules(theory));
        let mut printer = Printer { task, theory, vocabulary, times: Times::Plain, small: true };
        if printer.has_initially() {
            printer.times = Times::WithSegment;
        }
        Ok(printer)
    }

    /// The same for streams of several segments.
    #[must_use]
    pub fn with_segments(mut self) -> Printer<'t> {
        self.times = Times::WithSegment;
        self
    }

    /// The same as a stream needs it: with segments if it has several, and with times as large as they are.
    #[must_use]
    pub fn for_stream(self, frames: &[Frame]) -> Printer<'t> {
        let episodes = stream::episodes(self.task, frames);
        self.for_episodes(&episodes)
    }

    pub(crate) fn for_episodes(mut self, episodes: &[stream::Episode<'_>]) -> Printer<'t> {
        if episodes.len() > 1 {
            self.times = Times::WithSegment;
        }
        self.small = episodes.iter().flat_map(|e| &e.frames).all(|f| f.time.unsigned_abs() < 1 << 30)
            && self.task.bias.horizon.is_none_or(|h| h < 1 << 30);
        self
    }

    /// Background, theory and everything that the library does by itself: all that does not depend on a stream.
    pub fn rules(&self) -> String {
        sections(&[
            ("The background.", self.task.background.clauses.iter().map(|c| self.clause(c)).collect()),
            ("The theory.", self.theory.clauses.iter().map(|c| self.clause(c)).collect()),
            ("What is observed, by its type.", self.types()),
            ("What rules look back at.", self.looks_back()),
            ("Both orders of symmetric fluents.", self.mirrors()),
            ("Inertia.", self.inertia()),
        ])
    }

    /// The background and what it needs, without the theory and without inertia: for whoever looks at what rules cover.
    pub fn background(&self) -> String {
        sections(&[
            ("The background.", self.task.background.clauses.iter().map(|c| self.clause(c)).collect()),
            ("What is observed, by its type.", self.types()),
            ("What rules look back at.", self.looks_back()),
        ])
    }

    /// The whole: rules, a stream, what to show, and the functions for the clingo of the command line.
    pub fn program(self, frames: &[Frame]) -> String {
        let printer = self.for_stream(frames);
        let rules = printer.rules();
        let functions = if rules.contains('@') { format!("\n{}", crate::number::SCRIPT) } else { String::new() };
        let shown: Vec<String> = printer.shown().into_iter().map(|s| format!("#show {s}.")).collect();
        let stream = printer.stream(frames);
        format!("{}\n{rules}{functions}\n% The stream.\n{stream}", shown.join("\n"))
    }

    /// What is recognised: the fluents, and ordinary predicates that are labelled.
    fn shown(&self) -> Vec<String> {
        let mut shown = vec![format!("{}/2", ec::HOLDS)];
        for label in self.task.labels() {
            let written = format!("{}/{}", label.name().as_str(), label.fill(dummies(label)).args.len());
            if !shown.contains(&written) {
                shown.push(written);
            }
        }
        shown
    }

    fn has_initially(&self) -> bool {
        self.task.rules(self.theory).iter().any(|rule| rule.head.name.as_str() == ec::INITIALLY)
    }

    /// A time point as clingo gives it back.
    #[cfg(feature = "clingo")]
    pub(crate) fn point_term(&self, episode: &Episode<'_>, time: i64) -> Term {
        let time = Term::Value(oled::Value::Int(time));
        match self.times {
            Times::Plain => time,
            Times::WithSegment => Term::App(Symbol::new(""), vec![episode.name.clone(), time]),
        }
    }

    #[cfg(feature = "clingo")]
    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// A time point whose time is written already.
    fn time(&self, time: &str) -> String {
        match self.times {
            Times::Plain => time.to_string(),
            Times::WithSegment => format!("(S',{time})"),
        }
    }

    fn is_timed(&self, of: &Atom) -> bool {
        self.vocabulary.predicates.get(&Signature::of(of)).is_some_and(|p| p.timed)
    }

    /// An atom of a rule, its time as it is written here. `initially` has a time here.
    fn atom(&self, of: &Atom) -> String {
        self.atom_at(of, None)
    }

    /// An atom at a time point that is written already, or at its own.
    fn atom_at(&self, of: &Atom, time: Option<&str>) -> String {
        let mut args: Vec<String> = of.args.iter().map(term).collect();
        if of.name.as_str() == ec::INITIALLY {
            args.push(time.map_or_else(|| self.time("T"), ToString::to_string));
        } else if self.is_timed(of)
            && let Some(last) = args.last_mut()
        {
            *last = time.map_or_else(|| self.time(last), ToString::to_string);
        }
        term::apply(of.name, &args)
    }

    /// The atom of a signature with the variables `X1`, `X2` and so on, without its time, as a term.
    fn pattern(signature: Signature) -> (Atom, String) {
        let of = signature.fill(dummies(signature));
        let mut untimed = of.clone();
        untimed.args.pop();
        let written = atom(&untimed);
        (of, written)
    }
}

/// The name of what a condition counts, as a string.
fn gathering(name: Symbol) -> String {
    value(oled::Value::Sym(Symbol::new(&name.as_str().replace('\0', " "))))
}

/// Titles and lines, without titles that have none.
fn sections(sections: &[(&str, Vec<String>)]) -> String {
    let written: Vec<String> = sections
        .iter()
        .filter(|(_, lines)| !lines.is_empty())
        .map(|(title, lines)| format!("\n% {title}\n{}\n", lines.join("\n")))
        .collect();
    written.concat()
}

/// `X1`, `X2` and so on, for the holes of a signature.
fn dummies(signature: Signature) -> impl Iterator<Item = Term> {
    (1..=signature.arity()).map(|i| Term::var(&format!("X{i}")))
}

/// The variable that stands for the time in a rule: that of its head, or of the first timed literal.
fn time_variable(printer: &Printer<'_>, rule: &Clause) -> Option<Symbol> {
    let of = |atom: &Atom| match atom.args.last() {
        Some(Term::Var(name)) if printer.is_timed(atom) => Some(*name),
        _ => None,
    };
    let in_body = || {
        rule.body.iter().find_map(|literal| rule::looked_at(literal).or_else(|| rule::atom_of(literal).and_then(of)))
    };
    of(&rule.head).or_else(in_body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use oled::{Source, parse_theory};

    #[test]
    fn rules_and_inertia_are_about_candidates() {
        let modes = "input(near(+ship, +ship, +time)). input(happensAt(stops(+ship), +time)).
            example(holdsAt(meet(+ship, +ship), +time)). symmetric(meet/2).";
        let background = "candidates(meet(V, W), T) :- near(V, W, T).";
        let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", background)).unwrap();
        let theory = parse_theory("t.lp", "initiatedAt(meet(V, W), T) :- happensAt(stops(V), T).").unwrap();
        let rules = Printer::new(&task, &theory).unwrap().rules();
        for rule in [
            "candidates(meet(V,W),T) :- near(V,W,T), V != W.",
            "initiatedAt(meet(V,W),T) :- happensAt(stops(V),T), candidates(meet(V,W),T), V != W.",
            "candidates(meet(X2,X1),T) :- candidates(meet(X1,X2),T).",
            "holdsAt(meet(X1,X2),T) :- _next(P',T), initiatedAt(meet(X1,X2),P'), ship(X1,T), ship(X2,T), \
             candidates(meet(X1,X2),T).",
        ] {
            assert!(rules.contains(rule), "{rule}\n{rules}");
        }
    }
}
