//! Task: declarations and background knowledge, checked together; what theories are read against.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::calculus::Precedence;
use crate::lang::ec::persisting;
use crate::lang::{
    Bias, Clause, Diagnostic, Problems, Related, Signature, Source, Symbol, Theory, Value, lone_variables,
    parse_source, related_problems,
};
use crate::logic::{
    Measure, Program, Quiet, Vocabulary, candidates, find_open, guard_terminations, measures_of, quiet,
};

/// What a stream consists of, what follows from it, and what is to be recognised.
///
/// ```
/// use oled::{Source, Task};
/// let modes = Source::new("modes.lp", "
///     input(happensAt(opens(+door), +time)).
///     input(happensAt(shuts(+door), +time)).
///     example(holdsAt(open(+door), +time)).");
/// let task = Task::parse(&modes, &Source::new("background.lp", "")).unwrap();
/// let theory = oled::parse_theory("open.lp", "
///     initiatedAt(open(D), T) :- happensAt(opens(D), T).
///     terminatedAt(open(D), T) :- happensAt(shutz(D), T).").unwrap();
/// let problems = task.check(&theory).unwrap_err().to_string();
/// assert!(problems.contains("did you mean `happensAt(shuts(_), _)`?"), "{problems}");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// The declarations.
    pub bias: Bias,
    /// Rules and facts that are given.
    pub background: Theory,
    /// How the Event Calculus is read.
    pub options: CalculusOptions,
}

/// How the Event Calculus is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CalculusOptions {
    /// The types whose values must be observed for a fluent about them to hold; `None` for all types of the stream.
    pub tracked: Option<Vec<Symbol>>,
    /// Which wins where a fluent is started and ended at the same time point.
    pub both: Precedence,
    /// Whether frames of several segments may come mixed. If not, a segment ends when another begins.
    pub interleaved: bool,
    /// How rules that are learned define a fluent, by its name, where somebody has said so. Rules that are given define it
    /// as they do.
    pub kinds: IndexMap<Symbol, DefinitionKind, FxBuildHasher>,
}

/// The ways in which rules define a fluent.
///
/// ```
/// use oled::DefinitionKind;
/// assert_eq!("while".parse(), Ok(DefinitionKind::While));
/// assert_eq!(DefinitionKind::Persists.to_string(), "persists");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DefinitionKind {
    /// Rules for `initiatedAt` and `terminatedAt` start and end it: it holds from the next time point on, until it is ended.
    Persists,
    /// Rules for `holdsAt` say when it holds: at the time points at which one of their bodies is true.
    While,
}

impl DefinitionKind {
    /// Both.
    pub const ALL: [DefinitionKind; 2] = [DefinitionKind::Persists, DefinitionKind::While];

    /// The other one.
    #[must_use]
    pub fn other(self) -> DefinitionKind {
        if self == DefinitionKind::Persists { DefinitionKind::While } else { DefinitionKind::Persists }
    }
}

impl fmt::Display for DefinitionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DefinitionKind::Persists => "persists",
            DefinitionKind::While => "while",
        })
    }
}

impl FromStr for DefinitionKind {
    type Err = String;

    fn from_str(text: &str) -> Result<DefinitionKind, String> {
        let known = DefinitionKind::ALL.into_iter().find(|kind| kind.to_string() == text);
        known.ok_or_else(|| format!("a fluent `persists` or holds `while` conditions are met, not `{text}`"))
    }
}

impl Task {
    /// Reads and checks a task.
    pub fn parse(modes: &Arc<Source>, background: &Arc<Source>) -> Result<Task, Problems> {
        let (task, problems) = Task::read(modes, background);
        Problems::check(problems).map(|()| task)
    }

    /// Reads what can be read of a task, and says everything that is wrong with the rest.
    pub fn read(modes: &Arc<Source>, background: &Arc<Source>) -> (Task, Vec<Diagnostic>) {
        let (declarations, mut problems) = parse_source(modes);
        let (bias, more) = Bias::read(&declarations);
        problems.extend(more);
        let (mut background, more) = parse_source(background);
        problems.extend(more);
        let endings: Vec<Clause> = bias.max_durations.iter().map(|d| d.ending(&bias, &background)).collect();
        endings.into_iter().for_each(|rule| background.push(rule, None));
        let task = Task { bias, background, options: CalculusOptions::default() };
        problems.extend(task.problems(&Theory::default()));
        (task, problems)
    }

    /// Everything that is wrong with a theory, or an empty list.
    pub fn check(&self, theory: &Theory) -> Result<(), Problems> {
        Problems::check(self.problems(theory))
    }

    /// What the rules of the background and of a theory probably do not mean, although they can be used: variables that
    /// stand once.
    pub fn warnings(&self, theory: &Theory) -> Vec<Diagnostic> {
        self.rules(theory).into_iter().flat_map(lone_variables).collect()
    }

    fn problems(&self, theory: &Theory) -> Vec<Diagnostic> {
        let rules = self.rules(theory);
        let (vocabulary, mut problems) = Vocabulary::new(&self.bias, &rules);
        // Safety and strata are checked on all rules, wanted or not.
        let all: Vec<Signature> = vocabulary.predicates.keys().copied().collect();
        if let Err(more) = Program::new(&self.bias, &vocabulary, &rules, &all) {
            problems.extend(more);
        }
        let related = self.related(theory);
        if !related.is_empty() {
            // What is said of these is clearer than that nothing derives them at a time point.
            let more = related_problems(&self.bias, &rules, &related, self.background.related.len());
            problems.retain(|problem| more.iter().all(|other| other.span != problem.span));
            problems.extend(more);
        }
        // What a theory defines is not known before there is one.
        if !theory.clauses.is_empty() {
            let declared = self.bias.min_durations.iter().chain(&self.bias.max_durations);
            let told = |rule: &&Related| Clause { head: rule.head.clone(), ..rule.clause.clone() };
            let told: Vec<Clause> = related.iter().map(told).collect();
            let defined: Vec<&Clause> = rules.iter().copied().chain(&told).collect();
            problems.extend(declared.filter_map(|duration| duration.problem(&self.bias, &defined)));
        }
        problems
    }

    /// The background and a theory together.
    pub fn rules<'a>(&'a self, theory: &'a Theory) -> Vec<&'a Clause> {
        self.background.clauses.iter().chain(&theory.clauses).collect()
    }

    /// The rules about intervals of the background and a theory.
    pub fn related<'a>(&'a self, theory: &'a Theory) -> Vec<&'a Related> {
        self.background.related.iter().chain(&theory.related).collect()
    }

    /// The rules as they are evaluated: where only what holds can end, they ask for an end of nothing else.
    pub(crate) fn guarded(&self, rules: &[&Clause]) -> Vec<Clause> {
        match self.options.both {
            Precedence::Start => guard_terminations(rules),
            // An end keeps what is started at the same time point from holding, so it is asked for in any case.
            Precedence::End => rules.iter().map(|rule| (*rule).clone()).collect(),
        }
    }

    /// The vocabulary of rules that were checked, and a program that derives what is wanted.
    pub fn compile(
        &self,
        rules: &[&Clause],
        wanted: impl FnOnce(&Vocabulary) -> Vec<Signature>,
    ) -> Result<(Vocabulary, Program), Problems> {
        let vocabulary = self.vocabulary(rules)?;
        let wanted = wanted(&vocabulary);
        let program = self.program(&vocabulary, rules, &wanted)?;
        Ok((vocabulary, program))
    }

    /// The vocabulary of rules, or everything that is wrong with them.
    pub(crate) fn vocabulary(&self, rules: &[&Clause]) -> Result<Vocabulary, Problems> {
        let (vocabulary, problems) = Vocabulary::new(&self.bias, rules);
        Problems::check(problems)?;
        Ok(vocabulary)
    }

    /// Compiles the rules that what is wanted depends on.
    pub(crate) fn program(
        &self,
        vocabulary: &Vocabulary,
        rules: &[&Clause],
        wanted: &[Signature],
    ) -> Result<Program, Problems> {
        Program::new(&self.bias, vocabulary, rules, wanted)
            .map_err(|problems| Problems::check(problems).expect_err("a program that fails says why"))
    }

    /// The predicates of the background whose thresholds are open, in the order of their declarations. What one measures
    /// is among the rows of [`Measure::measured`], for whoever wants that predicate of [`Task::compile`].
    pub fn measures(&self) -> Vec<Measure> {
        let (open, _) = find_open(&self.bias, &self.background.clauses.iter().collect::<Vec<_>>());
        measures_of(&open)
    }

    /// After how long without a frame nothing changes any more by the background and a theory, where that can be told: for
    /// `Ticks::skipping`.
    pub fn settles(&self, theory: &Theory) -> Option<Quiet> {
        let rules = self.rules(theory);
        quiet(&self.vocabulary(&rules).ok()?, &rules, self.bias.horizon)
    }

    /// The predicate that says which instances of a fluent, `holdsAt(meeting(_, _), _)`, or of an ordinary predicate are looked
    /// at; none where all are. Of a symmetric fluent it has both orders. Whoever wants it of [`Task::compile`] gets its rows.
    ///
    /// ```
    /// use oled::{Signature, Source, Task};
    /// let modes = "input(near(+ship, +ship, +time)). example(holdsAt(meet(+ship, +ship), +time)).";
    /// let background = "candidates(meet(V, W), T) :- near(V, W, T).";
    /// let task = Task::parse(&Source::new("m.lp", modes), &Source::new("b.lp", background)).unwrap();
    /// assert_eq!(task.candidates(task.labels()[0]).unwrap().to_string(), "candidates(meet(_, _), _)");
    /// ```
    pub fn candidates(&self, label: Signature) -> Option<Signature> {
        let candidates = candidates(label);
        self.background.clauses.iter().any(|rule| Signature::of(&rule.head) == candidates).then_some(candidates)
    }

    /// Whether the arguments of a fluent, `holdsAt(meeting(_, _), _)`, may be exchanged.
    pub fn is_symmetric(&self, signature: Signature) -> bool {
        self.bias.symmetries().has(signature)
    }

    /// Puts the values of a fluent, the time left out, into the order in which they are printed and counted: those of a
    /// symmetric one are sorted.
    pub fn canonical(&self, signature: Signature, values: &mut [Value]) {
        self.bias.symmetries().canonical(signature, values);
    }

    /// How the rules of the background and of a theory define a fluent, `holdsAt(meeting(_, _), _)`, if there are any.
    pub fn kind_of(&self, theory: &Theory, fluent: Signature) -> Option<DefinitionKind> {
        self.rules(theory).into_iter().find_map(|rule| match persisting(&rule.head) {
            Some(holds) => (holds == fluent).then_some(DefinitionKind::Persists),
            None => (Signature::of(&rule.head) == fluent).then_some(DefinitionKind::While),
        })
    }

    /// What is annotated, to be learned and recognised: fluents, `holdsAt(meeting(_, _), _)`, and ordinary predicates,
    /// `in_danger(_, _)`.
    pub fn labels(&self) -> Vec<Signature> {
        let mut labels: Vec<Signature> = Vec::new();
        for mode in &self.bias.examples {
            if !labels.contains(&mode.signature()) {
                labels.push(mode.signature());
            }
        }
        labels
    }
}
