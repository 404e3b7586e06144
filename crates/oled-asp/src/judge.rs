//! Judge: what the library derives, compared with what clingo says, time point by time point.
//!
//! | compared | the library | clingo |
//! |---|---|---|
//! | the model | every derived predicate, from all rules, with what holds | the same atoms of its answer set |
//! | coverage | each rule of the theory, under a head of its own | `_covers(i,head,T)` |
//! | recognition | what [`oled::Recogniser::holding`] says | `holdsAt`, and ordinary predicates that are labelled |

mod ours;

use std::fmt;

use indexmap::IndexMap;
use oled::lang::for_each_hole;
use oled::logic::Role;
use oled::{Atom, Frame, Problems, Signature, Symbol, Task, Term, Theory, Value};
use rustc_hash::FxBuildHasher;

use crate::print::{Episode, Printer, episodes};
use crate::solver::{Answer, Limits, SolverError, Stopped, solve};
use ours::Ours;

/// What came of a comparison. Those of several parts of a stream add up.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Time points.
    pub interpretations: usize,
    /// Rules of the theory.
    pub clauses: usize,
    /// Atoms that both derive, in the order of [`What`].
    pub agreed: [usize; 3],
    /// Everything that only one of them says.
    pub differences: Vec<Difference>,
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// What is derived.
    Model,
    /// What a rule covers.
    Coverage,
    /// What is recognised.
    Recognition,
}

/// Something that only one of the two says.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What it is about.
    pub what: What,
    /// The time point; none for what does not depend on time.
    pub at: Option<(Symbol, i64)>,
    /// The atom; for coverage the head that a rule covers, with the number of the rule.
    pub atom: String,
    /// Whether the library says so, and not clingo.
    pub ours: bool,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.what {
            What::Model => "model",
            What::Coverage => "coverage",
            What::Recognition => "recognition",
        };
        let who = if self.ours { "only oled" } else { "only clingo" };
        match self.at {
            Some((segment, time)) => write!(f, "{what}, {segment}, {time}: {who}: {}", self.atom),
            None => write!(f, "{what}: {who}: {}", self.atom),
        }
    }
}

/// Why nothing could be compared.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// The theory is wrong.
    #[error(transparent)]
    Problems(#[from] Problems),
    /// clingo failed.
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// clingo did not come to an end.
    #[error("clingo was stopped at segment `{0}`: {1}")]
    Stopped(Symbol, Stopped),
    /// There is no model, or more than one.
    #[error("clingo finds {0} models where there must be one")]
    Models(usize),
}

/// Time points of segments that one call of clingo gets, if a segment alone has not more.
const AT_ONCE: usize = 200;

/// Compares all that a task and a theory derive from a stream.
pub fn judge(task: &Task, theory: &Theory, frames: &[Frame], limits: &Limits) -> Result<Verdict, JudgeError> {
    let mut verdict = Verdict { clauses: theory.clauses.len(), ..Verdict::default() };
    let mut ours = Ours::new(task, theory)?;
    let mut waiting: Vec<Episode<'_>> = Vec::new();
    for episode in episodes(task, frames) {
        let so_far: usize = waiting.iter().map(|e| e.frames.len()).sum();
        if so_far > 0 && so_far + episode.frames.len() > AT_ONCE {
            compare(task, theory, &waiting, limits, &mut ours, &mut verdict)?;
            waiting.clear();
        }
        waiting.push(episode);
    }
    compare(task, theory, &waiting, limits, &mut ours, &mut verdict)?;
    Ok(verdict)
}

/// Ground atoms: signatures and values, the time left out.
type Row = (Signature, Vec<Value>);

/// What is said of a time point, or of none: the model, what each rule covers, what is recognised.
#[derive(Clone, Debug, Default)]
struct Said {
    model: Vec<Row>,
    covers: Vec<(usize, Term)>,
    recognised: Vec<Row>,
}

fn compare(
    task: &Task,
    theory: &Theory,
    episodes: &[Episode<'_>],
    limits: &Limits,
    ours: &mut Ours,
    verdict: &mut Verdict,
) -> Result<(), JudgeError> {
    let printer = Printer::new(task, theory)?.for_episodes(episodes);
    let Some(first) = episodes.first().and_then(|e| e.frames.first()) else { return Ok(()) };
    let covers = theory.clauses.iter().enumerate().filter(|(_, c)| ours::has_coverage(c));
    let covers: Vec<String> = covers.map(|(i, clause)| printer.clause_as("_covers", i, clause)).collect();
    let program = format!("{}{}\n{}", printer.rules(), covers.join("\n"), printer.episodes(episodes));
    let answer = solve(&program, &[], &Limits { models: Some(2), ..*limits })?;
    if let Some(stopped) = answer.stopped {
        return Err(JudgeError::Stopped(first.segment, stopped));
    }
    let theirs = read(&printer, ours, episodes, &answer)?;
    let mut theirs = theirs.into_iter();
    let always = theirs.next().unwrap_or_default();
    difference(What::Model, None, ours.always(), always.model, written, verdict);
    for (i, frame) in episodes.iter().flat_map(|e| e.frames.iter().enumerate()) {
        let said = ours.observe(frame, i == 0);
        let theirs = theirs.next().unwrap_or_default();
        let at = Some((frame.segment, frame.time));
        difference(What::Model, at, said.model, theirs.model, written, verdict);
        difference(What::Recognition, at, said.recognised, theirs.recognised, written, verdict);
        let covered = |(rule, head): &(usize, Term)| format!("rule {}: {head}", rule + 1);
        difference(What::Coverage, at, said.covers, theirs.covers, covered, verdict);
    }
    verdict.interpretations += episodes.iter().map(|e| e.frames.len()).sum::<usize>();
    Ok(())
}

fn written((signature, values): &Row) -> String {
    let missing = signature.arity() - values.len();
    let terms = values.iter().copied().map(Term::Value).chain((0..missing).map(|_| Term::var("T")));
    signature.fill(terms).to_string()
}

/// Adds what only one of two says.
fn difference<R>(
    what: What,
    at: Option<(Symbol, i64)>,
    ours: Vec<R>,
    theirs: Vec<R>,
    written: impl Fn(&R) -> String,
    verdict: &mut Verdict,
) where
    R: Eq + std::hash::Hash,
{
    let mut sides: IndexMap<R, (bool, bool), FxBuildHasher> = IndexMap::default();
    ours.into_iter().for_each(|row| sides.entry(row).or_default().0 = true);
    theirs.into_iter().for_each(|row| sides.entry(row).or_default().1 = true);
    for (row, (ours, theirs)) in &sides {
        if ours == theirs {
            verdict.agreed[what as usize] += 1;
        } else {
            verdict.differences.push(Difference { what, at, atom: written(row), ours: *ours });
        }
    }
}

/// What clingo says: first of no time point, then of each.
fn read(
    printer: &Printer<'_>,
    ours: &Ours,
    episodes: &[Episode<'_>],
    answer: &Answer,
) -> Result<Vec<Said>, JudgeError> {
    let [model] = answer.models.as_slice() else { return Err(JudgeError::Models(answer.models.len())) };
    let mut places: IndexMap<Term, usize, FxBuildHasher> = IndexMap::default();
    for episode in episodes {
        for frame in &episode.frames {
            places.insert(printer.point_term(episode, frame.time), places.len() + 1);
        }
    }
    let mut said = vec![Said::default(); places.len() + 1];
    for atom in &model.atoms {
        let mut atom = atom.clone();
        if atom.name.as_str() == "_covers" {
            let [Term::Value(Value::Int(rule)), head, time] = atom.args.as_slice() else { continue };
            if let Some(place) = places.get(time) {
                said[*place].covers.push((*rule as usize, head.clone()));
            }
            continue;
        }
        if atom.name.as_str() == "_measured" {
            match measured(printer, &atom) {
                Some(measured) => atom = measured,
                None => continue,
            }
        }
        let Some((signature, values, place)) = place(printer, &places, atom) else { continue };
        if ours.is_recognised(signature) {
            let mut values = values.clone();
            ours.canonical(signature, &mut values);
            said[place].recognised.push((signature, values));
        }
        let role = printer.vocabulary().predicates[&signature].role;
        if matches!(role, Role::Derived | Role::Static | Role::Type(_)) {
            said[place].model.push((signature, values));
        }
    }
    Ok(said)
}

/// A predicate, its values without the time, and the place of the time point: the first for what does not depend on time.
fn place(
    printer: &Printer<'_>,
    places: &IndexMap<Term, usize, FxBuildHasher>,
    mut atom: Atom,
) -> Option<(Signature, Vec<Value>, usize)> {
    let time = atom.args.last().cloned();
    if let Some(last @ Term::App(..)) = atom.args.last_mut() {
        // A time point with its segment has one place, as any time has.
        *last = Term::Value(Value::Int(0));
    }
    let (signature, mut values) = Signature::split(&atom)?;
    if !printer.vocabulary().predicates.get(&signature)?.timed {
        return Some((signature, values, 0));
    }
    values.pop();
    Some((signature, values, *places.get(&time?)?))
}

/// `_measured(close(a,b,_any),2.5,T)` as the predicate of what is measured has it.
fn measured(printer: &Printer<'_>, atom: &Atom) -> Option<Atom> {
    let name = match &atom.args[0] {
        Term::App(name, _) | Term::Value(Value::Sym(name)) => *name,
        _ => return None,
    };
    let measure = printer.vocabulary().measures.iter().find(|m| m.predicate.name() == name)?;
    let mut holes = Vec::new();
    for_each_hole(&atom.args[..1], &mut |t| holes.push(t.clone()));
    *holes.get_mut(measure.column)? = atom.args[1].clone();
    holes.extend(atom.args.get(2).cloned());
    (measure.measured.arity() == holes.len()).then(|| measure.measured.fill(holes))
}

impl Verdict {
    /// Adds another one.
    pub fn add(&mut self, other: Verdict) {
        self.interpretations += other.interpretations;
        self.clauses += other.clauses;
        self.agreed.iter_mut().zip(other.agreed).for_each(|(a, b)| *a += b);
        self.differences.extend(other.differences);
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [model, coverage, recognition] = self.agreed;
        writeln!(f, "compared with clingo: {} interpretations, {} rules", self.interpretations, self.clauses)?;
        writeln!(f, "both say: {model} derived atoms, {coverage} covered heads, {recognition} recognised atoms")?;
        writeln!(f, "differences: {}", self.differences.len())?;
        self.differences.iter().try_for_each(|difference| writeln!(f, "  {difference}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oled::{FactReader, Source, parse_theory};

    /// Ours with one theory, clingo with another.
    #[test]
    fn every_difference_is_found() {
        let modes = "input(happensAt(on(+lamp), +time)). example(holdsAt(lit(+lamp), +time)).";
        let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap();
        let right = parse_theory("t.lp", "initiatedAt(lit(L), T) :- happensAt(on(L), T).").unwrap();
        let wrong = parse_theory("t.lp", "initiatedAt(lit(L), T) :- happensAt(on(L), T), T > 1.").unwrap();
        let frames: Vec<Frame> = (1..4)
            .map(|time| {
                let mut frame = Frame::new(Symbol::new("s"), time);
                FactReader::default().read(&format!("happensAt(on(a), {time})"), &mut frame.narrative).unwrap();
                frame
            })
            .collect();
        let mut verdict = Verdict::default();
        let mut ours = Ours::new(&task, &right).unwrap();
        let all = episodes(&task, &frames);
        compare(&task, &wrong, &all, &Limits::default(), &mut ours, &mut verdict).unwrap();
        let differences: Vec<String> = verdict.differences.iter().map(ToString::to_string).collect();
        assert_eq!(
            differences,
            [
                "model, s, 1: only oled: initiatedAt(lit(a), T)",
                "coverage, s, 1: only oled: rule 1: initiatedAt(lit(a))",
                "recognition, s, 2: only oled: holdsAt(lit(a), T)",
            ]
        );
        assert_eq!((verdict.interpretations, verdict.agreed), (3, [5, 2, 1]));
    }
}
