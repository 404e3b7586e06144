//! Heads: what the modes declare to be learned, and what makes instances of it from frames.

use indexmap::IndexSet;

use super::candidates::{Asked, Family};
use super::propositionaliser::{GroupSpec, Parts, Propositionaliser};
use super::snapshot::MAX_TARGETS;
use super::target::TargetSpec;
use crate::induce::{LiteralTable, Numbers, RuleKind, head_template};
use crate::inertia::{self, Fluents, Inertia, Initially, inertial};
use crate::lang::ec::{HOLDS, INITIATED, TERMINATED, persisting};
use crate::lang::{
    Atom, Bias, Clause, Diagnostic, Kind, Mode, Problems, Signature, Span, Symbol, Term, Theory, Value, for_each_hole,
};
use crate::logic::{Dependence, Measure};
use crate::task::Task;

/// A head that rules are learned for.
#[derive(Clone, Debug)]
pub struct Head {
    /// The number of its target: `initiatedAt` and `terminatedAt` of a fluent have the same.
    pub target: usize,
    /// What rules with this head do.
    pub kind: RuleKind,
    /// The head, with variables.
    pub atom: Atom,
    /// The fluent's name, or the predicate's.
    pub name: Symbol,
}

impl Head {
    /// The heads of a task with listed thresholds, and what makes interpretations for them: what a learner starts with.
    /// Of a fluent that may be defined in both ways, those that start and end it.
    pub fn of_task(task: &Task) -> Result<(Vec<Head>, Propositionaliser), Problems> {
        let (mut heads, propositionaliser) =
            heads(task, false, |_| InstanceOptions { variables: 1, observed_next: true })?;
        prefer_persisting(&mut heads);
        Ok((heads, propositionaliser))
    }

    /// The head of rules that say when a fluent holds, instead of what starts and ends it: `holdsAt(meeting(X0, X1), T)` of
    /// `initiatedAt(meeting(X0, X1), T)`, whether the modes declare it or not. That of an ordinary predicate is its own.
    #[must_use]
    pub fn while_head(&self) -> Head {
        let mut head = Head { kind: RuleKind::Observed, ..self.clone() };
        if self.kind != RuleKind::Observed {
            head.atom.name = Symbol::new(HOLDS);
        }
        head
    }
}

/// Leaves out the heads that say when a fluent holds, where others start and end it: for learners that know one way.
pub(crate) fn prefer_persisting(heads: &mut Vec<Head>) {
    let persisting: Vec<usize> = heads.iter().filter(|h| h.kind != RuleKind::Observed).map(|h| h.target).collect();
    heads.retain(|h| h.kind != RuleKind::Observed || !persisting.contains(&h.target));
}

impl Head {
    /// Whether a rule has this head: the same fluent, with the same constants.
    pub(crate) fn is_of(&self, clause: &Clause) -> bool {
        let (mut own, mut theirs) = (Vec::new(), Vec::new());
        for_each_hole(&self.atom.args, &mut |term| own.push(term));
        for_each_hole(&clause.head.args, &mut |term| theirs.push(term));
        let same = |(own, theirs): (&&Term, &&Term)| !matches!(own, Term::Value(_)) || own == theirs;
        Signature::of(&self.atom) == Signature::of(&clause.head) && own.iter().zip(&theirs).all(same)
    }
}

/// How instances are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InstanceOptions {
    /// How many literals away from the head output places may introduce variables.
    pub(crate) variables: usize,
    /// Whether all arguments must be observed at the next time point too.
    pub(crate) observed_next: bool,
}

/// The numbers that the thresholds of a measure may be.
fn numbers(bias: &Bias, measure: &Measure) -> Numbers {
    let declared = bias.comparisons.iter().find(|t| t.mode.signature() == measure.predicate);
    let kind = declared.and_then(|t| t.mode.types()[t.column]).map(|kind| bias.kind_of(kind));
    if kind == Some(Kind::Int) { Numbers::Integers } else { Numbers::Reals }
}

/// The heads of a task, and the propositionaliser for them; `options` is told the name of each target. `open`: whether thresholds may
/// be open.
pub(crate) fn heads(
    task: &Task,
    open: bool,
    options: impl Fn(Symbol) -> InstanceOptions,
) -> Result<(Vec<Head>, Propositionaliser), Problems> {
    let fail = |span: &Span, message: String| Problems::from(Diagnostic::new(span, message));
    let empty = Theory::default();
    task.check(&empty)?;
    let rules = task.rules(&empty);
    let mut heads = Vec::new();
    // Heads with variables of the same types are a family. Pairs of a symmetric fluent are others than those of one that
    // is not, and so are candidates.
    let mut families: Vec<Family> = Vec::new();
    for mode in heads_by_kind(task)? {
        let (types, head) = head_template(mode).map_err(|m| fail(&mode.atom.span, m))?;
        let symmetric = types.len() == 2 && task.is_symmetric(mode.signature());
        let columns = columns(&head);
        let candidates = task.candidates(label(mode).1).map(|candidates| (candidates, columns.clone()));
        let family = Family { types, symmetric, candidates };
        if !families.contains(&family) {
            families.push(family.clone());
        }
        heads.push((mode, family, head, columns));
    }
    if heads.is_empty() {
        let problem = Diagnostic::new(&Span::default(), "the task declares no heads to be learned");
        return Err(problem.hint("add `modeh(initiatedAt(fluent(+type), +time)).` to its modes").into());
    }
    let labels: Vec<Signature> = task.bias.heads.iter().map(|mode| label(mode).1).collect();
    // What ends is asked for what holds only, but for what is to be learned: nobody knows of that whether it holds.
    let is_learned = |rule: &Clause| {
        rule.head.name.as_str() == TERMINATED && labels.contains(&Signature::of(&rule.head).renamed(HOLDS))
    };
    let guarded = task.guarded(&rules);
    let guarded =
        rules.iter().zip(guarded).map(|(rule, guarded)| if is_learned(rule) { (*rule).clone() } else { guarded });
    let rules: Vec<Clause> = guarded.map(|rule| as_deed(rule, &labels)).collect();
    let rules: Vec<&Clause> = rules.iter().collect();
    let name = |mode: &Mode| mode.signature().inner_name().unwrap_or_else(|| mode.signature().name());
    let variables = task.bias.heads.iter().map(|m| options(name(m)).variables).max().unwrap_or(1);
    let table = if open { LiteralTable::closed } else { LiteralTable::new };
    let mut vocabulary = task.vocabulary(&rules)?;
    let mut groups: Vec<GroupSpec> = Vec::new();
    let mut among = IndexSet::default();
    for family in &families {
        let table = table(&task.bias, &vocabulary, &family.types, variables)?;
        let asked = Asked::new(family, &table, &mut vocabulary, &mut among);
        groups.push(GroupSpec { table, family: family.clone(), asked });
    }
    let with_among: Vec<&Clause> = rules.iter().copied().chain(&among).collect();
    let mut wanted: Vec<Signature> =
        groups.iter().flat_map(|group| group.asked.closed.iter().chain(&group.asked.open)).copied().collect();
    let outputs = task.bias.bodies.iter().flat_map(|m| m.types().into_iter().flatten());
    for kind in families.iter().flat_map(|family| &family.types).copied().chain(outputs) {
        for arity in 1..=2 {
            let signature = Signature::plain(kind, arity);
            if vocabulary.predicates.contains_key(&signature) {
                wanted.push(signature);
            }
        }
    }
    let defined = |s: &Signature| rules.iter().any(|rule| Signature::of(&rule.head) == *s);
    let given = labels.iter().flat_map(|l| [l.renamed(INITIATED), l.renamed(TERMINATED), *l]).filter(defined);
    wanted.extend(given);
    wanted.extend(labels.iter().filter_map(|label| vocabulary.candidates_of(*label)));
    // What the background starts and ends itself, where anything depends on it.
    let needed: Vec<Signature> = Dependence::new(&vocabulary, &with_among).of(wanted.iter().copied()).collect();
    let inertial = inertial(&rules).filter(|f| needed.contains(f) && !labels.contains(f));
    let fluents: Fluents = inertial.map(|fluent| (fluent, true)).collect();
    wanted.extend(inertia::wanted(task, &vocabulary, &fluents));
    let program = task.program(&vocabulary, &with_among, &wanted)?;
    // Where a fluent may be defined in both ways, interpretations are about what starts and ends it.
    let acts = heads.iter().map(|(mode, ..)| label(mode)).filter(|(kind, _)| *kind != RuleKind::Observed);
    let acted_on: Vec<Signature> = acts.map(|(_, label)| label).collect();
    let mut targets: Vec<TargetSpec> = Vec::new();
    let mut specs = Vec::new();
    for (mode, family, head, columns) in heads {
        let (kind, label) = label(mode);
        if !task.labels().contains(&label) {
            let problem = Diagnostic::new(&mode.atom.span, format!("nothing is annotated to learn `{head}` from"));
            return Err(problem.hint(format!("declare `example({label})` with the types of its arguments")).into());
        }
        let same = |t: &TargetSpec| t.label == label && t.columns == columns;
        let apart = |a: &Result<usize, Value>, b: &Result<usize, Value>| a.is_err() && b.is_err() && a != b;
        let meets = |t: &TargetSpec| t.label == label && !t.columns.iter().zip(&columns).any(|(a, b)| apart(a, b));
        let target = targets.iter().position(same);
        if target.is_none() && targets.iter().any(meets) {
            let message = format!("`{head}` speaks of instances that another head speaks of too");
            return Err(Diagnostic::new(&mode.atom.span, message)
                .hint("give all heads of a fluent the same constants, or constants that differ")
                .into());
        }
        if target.is_none() && targets.iter().filter(|t| t.family == family).count() >= MAX_TARGETS {
            let message = format!("more than {MAX_TARGETS} heads to be learned have arguments of the same types");
            return Err(Diagnostic::new(&mode.atom.span, message).hint("learn them by several tasks").into());
        }
        let target = target.unwrap_or_else(|| {
            targets.push(TargetSpec { family, label, columns, direct: !acted_on.contains(&label) });
            targets.len() - 1
        });
        specs.push(Head { target, kind, atom: head, name: name(mode) });
    }
    let observed_next = specs.iter().all(|head| options(head.name).observed_next);
    let numbers: Vec<Numbers> = vocabulary.measures.iter().map(|m| numbers(&task.bias, m)).collect();
    let inertia = Inertia::new(task, &vocabulary, &program, &rules, &fluents)?;
    let initially = Initially::new(task, &rules, targets.iter().map(|t| t.label))?;
    let parts = Parts { task, vocabulary: &vocabulary, rules: &rules, inertia, initially };
    let propositionaliser = Propositionaliser::new(parts, program, (groups, &numbers), &targets, observed_next)
        .map_err(|m| {
            let place = task.bias.heads.first().map_or_else(Span::default, |mode| mode.atom.span.clone());
            fail(&place, m)
        })?;
    Ok((specs, propositionaliser))
}

/// The columns of a head, the time left out: variables by their numbers, and constants.
fn columns(head: &Atom) -> Vec<Result<usize, Value>> {
    let mut columns = Vec::new();
    for_each_hole(&head.args, &mut |term| {
        columns.push(match term {
            Term::Value(value) => Err(*value),
            _ => Ok(columns.iter().filter(|c: &&Result<usize, _>| c.is_ok()).count()),
        });
    });
    columns.pop();
    columns
}

/// The modes of heads of which rules can be learned: all, but where the background, or the heads for other instances of the
/// same fluent, leave one way only in which it can be defined.
fn heads_by_kind(task: &Task) -> Result<Vec<&Mode>, Diagnostic> {
    let mut kept = Vec::new();
    for mode in &task.bias.heads {
        let (kind, label) = label(mode);
        if label.name().as_str() != HOLDS {
            kept.push(mode);
            continue;
        }
        let direct = |m: &Mode| self::label(m).0 == RuleKind::Observed;
        let same: Vec<&Mode> = task.bias.heads.iter().filter(|m| self::label(m).1 == label).collect();
        let everywhere = |wanted: bool| {
            same.iter().all(|a| same.iter().any(|b| direct(b) == wanted && constants(a) == constants(b)))
        };
        let given = |of: fn(&Atom, Signature) -> bool| task.background.clauses.iter().any(|c| of(&c.head, label));
        let defined = given(|head, label| Signature::of(head) == label);
        let acted_on = given(|head, label| persisting(head) == Some(label));
        match (everywhere(false) && !defined, everywhere(true) && !acted_on) {
            (true, true) => kept.push(mode),
            (true, false) if kind != RuleKind::Observed => kept.push(mode),
            (false, true) if kind == RuleKind::Observed => kept.push(mode),
            (true, false) | (false, true) => {}
            (false, false) => return Err(no_kind(mode, &same, (defined, acted_on))),
        }
    }
    Ok(kept)
}

/// Why a fluent can be defined in no way.
fn no_kind(mode: &Mode, same: &[&Mode], (defined, acted_on): (bool, bool)) -> Diagnostic {
    let fluent = &mode.atom.args[0];
    let other = same.iter().find(|m| constants(m) != constants(mode));
    let instead = |name: &str| Atom { name: Symbol::new(name), ..mode.atom.clone() };
    match other {
        _ if defined => {
            let message = format!("the background says when `{fluent}` holds, so no rule starts or ends it");
            Diagnostic::new(&mode.atom.span, message).hint(format!("declare `modeh({}).` instead", instead(HOLDS)))
        }
        _ if acted_on => {
            let message =
                format!("the background starts or ends `{fluent}`, so it does not hold while conditions are met");
            let (starts, ends) = (instead(INITIATED), instead(TERMINATED));
            Diagnostic::new(&mode.atom.span, message)
                .hint(format!("declare `modeh({starts}).` and `modeh({ends}).` instead"))
        }
        other => {
            let other = other.map_or(fluent, |m| &m.atom.args[0]);
            let message = format!("`{fluent}` is declared to be defined in another way than `{other}`");
            Diagnostic::new(&mode.atom.span, message).hint(
                "all values of a fluent are of one kind: declare `holdsAt` of both, or `initiatedAt` and `terminatedAt`",
            )
        }
    }
}

/// The constants of a head, each with its place: what tells its instances from those of other heads.
fn constants(mode: &Mode) -> Vec<(usize, &Term)> {
    mode.holes().into_iter().enumerate().filter(|(_, term)| matches!(term, Term::Value(_))).collect()
}

/// What the background says of a fluent that holds while conditions are met is something that it does to it: what holds is
/// annotated, and conditions ask for that.
fn as_deed(mut rule: Clause, labels: &[Signature]) -> Clause {
    if rule.head.name.as_str() == HOLDS && labels.contains(&Signature::of(&rule.head)) {
        rule.head.name = Symbol::new(INITIATED);
    }
    rule
}

/// What rules with the head of a mode do, and the annotation that they are learned from.
fn label(mode: &Mode) -> (RuleKind, Signature) {
    let signature = mode.signature();
    match mode.atom.name.as_str() {
        INITIATED => (RuleKind::Initiation, signature.renamed(HOLDS)),
        TERMINATED => (RuleKind::Termination, signature.renamed(HOLDS)),
        _ => (RuleKind::Observed, signature),
    }
}
