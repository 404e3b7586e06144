//! Parts: what a propositionaliser is made of, and how it is put together.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::missing::Missing;
use super::oversized::OversizedFrames;
use super::{Labelled, Propositionaliser, Stray};
use crate::calculus::{is_ordinary, unknown};
use crate::induce::{LiteralTable, Numbers};
use crate::inertia::{Inertia, Initially, is_tracked};
use crate::lang::ec::{INITIATED, TERMINATED};
use crate::lang::{Clause, Mode, Signature, Symbol};
use crate::learn::candidates::{Asked, Family};
use crate::learn::given::{Given, follows, is_defined, starts_uncovered, wrapping, wraps};
use crate::learn::instances::{Deed, Group};
use crate::learn::interpretation::Point;
use crate::learn::links::Links;
use crate::learn::measured::NumericFeature;
use crate::learn::present::Present;
use crate::learn::target::{Target, TargetSpec};
use crate::logic::{Dependence, Model, Pred, Program, Relation, Role, Vocabulary, kept};
use crate::task::Task;

/// A group of heads as the learner describes it.
pub(in crate::learn) struct GroupSpec {
    pub(in crate::learn) table: LiteralTable,
    pub(in crate::learn) family: Family,
    pub(in crate::learn) asked: Asked,
}

/// What a propositionaliser is made of besides its program: the task with its background rules, and what holds by them.
pub(in crate::learn) struct Parts<'a> {
    pub(in crate::learn) task: &'a Task,
    pub(in crate::learn) vocabulary: &'a Vocabulary,
    pub(in crate::learn) rules: &'a [&'a Clause],
    pub(in crate::learn) inertia: Inertia,
    pub(in crate::learn) initially: Option<Initially>,
}

impl Propositionaliser {
    /// A propositionaliser of what is to be learned; an error says why there can be none.
    pub(in crate::learn) fn new(
        parts: Parts<'_>,
        mut program: Program,
        (specs, numbers): (Vec<GroupSpec>, &[Numbers]),
        targets: &[TargetSpec],
        observed_next: bool,
    ) -> Result<Propositionaliser, String> {
        let Parts { task, vocabulary, rules, inertia, initially } = parts;
        let tracked = |kind: Symbol| is_tracked(task, vocabulary, kind);
        let mut dependence = Dependence::new(vocabulary, rules);
        let group =
            |t: &TargetSpec| specs.iter().position(|spec| spec.family == t.family).expect("each target has a group");
        let mut deeds: Vec<Vec<Deed>> = vec![Vec::new(); specs.len()];
        let mut bits: Vec<usize> = specs.iter().map(|spec| spec.table.len()).collect();
        let mut all: Vec<Target> = Vec::new();
        for (number, t) in targets.iter().enumerate() {
            let group = group(t);
            let mut bit = || {
                bits[group] += 1;
                bits[group] - 1
            };
            let defined = |name: Signature| program.pred(name).filter(|_| is_defined(rules, name));
            let mut deed = |signature: Signature, ends: bool| {
                let (pred, bit, columns) = (defined(signature)?, bit(), t.columns.clone());
                deeds[group].push(Deed { bit, target: number, pred, ends, columns });
                Some(bit)
            };
            let (starts, ends) = if is_ordinary(t.label) {
                (deed(t.label, false), None)
            } else {
                (deed(t.label.renamed(INITIATED), false), deed(t.label.renamed(TERMINATED), true))
            };
            let same = |other: &TargetSpec| other.label == t.label;
            let several = targets.iter().filter(|o| same(o)).count() > 1 || t.columns.last().is_some_and(Result::is_ok);
            let other_value = (t.label.has_value() && !t.direct && several).then(&mut bit);
            let first = targets.iter().position(same).unwrap_or(number);
            let (label, columns, direct) = (t.label, t.columns.clone(), t.direct);
            let given = Given { starts, ends, other_value };
            let acts = [label.renamed(INITIATED), label.renamed(TERMINATED)];
            let bodies = rules.iter().filter(|rule| {
                let head = Signature::of(&rule.head);
                acts.contains(&head) || head == label
            });
            let depends = follows(&dependence, bodies.copied(), targets);
            let partial = rules.iter().any(|rule| starts_uncovered(rule, label, targets));
            let place = all.iter().filter(|t| t.group == group).count();
            all.push(Target { group, label, columns, direct, given, depends, partial, first, place });
        }
        // What is not observed is told apart where it can have a truth at all.
        let mut absent = vec![None; specs.len()];
        for target in all.iter().filter(|t| t.given != Given::default()) {
            absent[target.group].get_or_insert_with(|| {
                bits[target.group] += 1;
                bits[target.group] - 1
            });
        }
        let mut groups: Vec<Group> = Vec::new();
        for (g, (spec, deeds)) in specs.into_iter().zip(deeds).enumerate() {
            let GroupSpec { table, family, asked } = &spec;
            let features = NumericFeature::of(table, asked, &vocabulary.measures, numbers, &program);
            let given = bits[g] - table.len();
            // Candidates are related by being candidates, and of an equivalence any two may be, by others.
            let closed = |t: &Target| t.group == g && task.bias.symmetries().is_equivalence(t.label);
            let all_related = family.candidates.is_some() || all.iter().any(closed);
            let is_known = |l: usize| {
                let pattern = &table.patterns()[l];
                !all_related
                    && !wraps(pattern.signature, &dependence, targets)
                    && all.iter().all(|t| t.is_known_by(pattern, g, family.symmetric))
            };
            let measured = |l: usize| vocabulary.measures[table.open_literals()[l].measure].predicate;
            let is_known_open = |l: usize| !all_related && !wraps(measured(l), &dependence, targets);
            let links = Links::new(table, is_known, is_known_open);
            let mut group = Group::new(spec, links, features, deeds, &program, tracked)?;
            (group.given, group.absent) = (given, absent[g]);
            groups.push(group);
        }
        let annotated = vocabulary
            .predicates
            .iter()
            .filter(|(s, p)| p.role == Role::Fluent && targets.iter().any(|t| t.label == **s))
            // Of what is annotated, candidates hold.
            .filter_map(|(s, _)| Some((*s, program.pred(kept(*s)).or(program.pred(*s))?)))
            .collect();
        let labels = task.labels().into_iter().flat_map(|label| [label, unknown(label)]).collect();
        let asked = dependence.of(task.bias.bodies.iter().map(Mode::signature));
        let is_input = |s: &Signature| vocabulary.predicates.get(s).is_some_and(|p| p.role == Role::Input);
        let facts = asked.filter(|s| is_input(s) && program.pred(*s).is_some()).collect();
        let missing = Missing { facts, ..Missing::default() };
        let looked_up = groups.iter().flat_map(Group::looked_up).chain(inertia.looked_up());
        let looked_up: Vec<Pred> = looked_up.collect();
        program.allow_repeats(&looked_up);
        let wrapping = all.iter().map(|t| wrapping(&groups[t.group].table, &dependence, targets)).collect();
        let open_wrapping = all
            .iter()
            .map(|t| {
                let open = groups[t.group].table.open_literals().iter();
                open.map(|o| wraps(vocabulary.measures[o.measure].predicate, &dependence, targets)).collect()
            })
            .collect();
        let mut observing = IndexSet::default();
        for mode in &task.bias.bodies {
            let signature = mode.signature();
            let columns = (0..signature.arity()).filter(|c| dependence.observes(signature, *c, &tracked));
            observing.extend(columns.map(|c| (signature, c)));
        }
        let mut labelled: IndexMap<Signature, Labelled, FxBuildHasher> = IndexMap::default();
        for (number, target) in all.iter().enumerate() {
            for (signature, unknown) in [(target.label, false), (unknown(target.label), true)] {
                let new = || Labelled { unknown, targets: Vec::new() };
                labelled.entry(signature).or_insert_with(new).targets.push(number);
            }
        }
        let rows = |t: &Target| [(); 2].map(|()| Relation::new(t.label.arity() - 1));
        let stray = all.iter().map(|t| Stray { lost: rows(t), uncovered: rows(t) }).collect();
        Ok(Propositionaliser {
            model: Model::new(&program),
            present: vec![Present::default(); groups.len()],
            tracked: IndexMap::default(),
            labelled,
            stray,
            spare: Point::default(),
            program,
            groups,
            targets: all,
            measures: vocabulary.measures.clone(),
            annotated,
            inertia,
            initially,
            wrapping,
            open_wrapping,
            observing,
            symmetries: task.bias.symmetries(),
            observed_next,
            segments: IndexMap::default(),
            interleaved: task.options.interleaved,
            both: task.options.both,
            count: 0,
            limit: usize::MAX,
            oversized: OversizedFrames::default(),
            labels,
            missing,
            stop: None,
        })
    }
}
