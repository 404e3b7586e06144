//! The search for a rule, beside plain simulation and beside all bodies that there are.

use std::collections::BTreeSet;

use super::*;
use crate::calculus::Precedence;
use crate::induce::{Numbers, RuleKind};
use crate::interrupt::Interrupt;
use crate::lang::{Comparison, Monotone, Symbol};
use crate::learn::ProgressListener;
use crate::replay::bins::Bins;
use crate::replay::classes::{Classes, spread};
use crate::replay::delta::Delta;
use crate::replay::evidence::{Evidence, SUPPORT, for_each_run};
use crate::replay::extension::Extensions;
use crate::replay::literal::Slot;
use crate::replay::objective::{Balance, Price};
use crate::replay::runs::{Definition, Label, Run, Runs};
use crate::replay::scale::{Fineness, Scale};
use crate::replay::simulate::{Actions, fit};
use crate::replay::watch::Watch;

/// Numbers that look random (`SplitMix64`).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        let number = spread(self.0);
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (number % bound as u64) as usize
    }
}

const LITERALS: usize = 4;
const VALUES: u16 = 5;
const SLOTS: usize = 2;

/// A small record: what is true and annotated of a few instances, with few or several items a class.
fn record(random: &mut Random, most_items: usize) -> (Classes, Runs) {
    let mut bins = Bins::default();
    for value in 0..VALUES {
        bins.insert(f64::from(value));
    }
    let slot = |monotone: Monotone| Slot {
        numbers: Numbers::Reals,
        comparison: if monotone == Monotone::Up { Comparison::LessOrEqual } else { Comparison::GreaterOrEqual },
        monotone,
        negated: false,
    };
    let scale = |monotone| Scale::new(slot(monotone), bins.order(), Fineness::Fine, &[]);
    let scales = vec![scale(Monotone::Up), scale(Monotone::Down)];
    let item = |random: &mut Random| {
        let places = (0..SLOTS).map(|_| random.below(VALUES as usize + 1) as u16).collect::<Vec<u16>>();
        (random.below(1 << LITERALS) as u64, places)
    };
    let classes = (0..12).map(|_| (0..=random.below(most_items)).map(|_| item(random)).collect()).collect();
    let classes = Classes::of_items(LITERALS, scales, classes);
    let mut tracks = Vec::new();
    for _ in 0..2 + random.below(6) {
        // What is annotated goes on for a while, as it does in streams.
        let (mut label, mut track) = (Label::No, Vec::new());
        for _ in 0..=random.below(12) {
            label = match random.below(6) {
                0 => Label::Unknown,
                1 => Label::Yes,
                2 => Label::No,
                _ => label,
            };
            track.push(Run { class: random.below(12) as u32, length: 1 + random.below(4) as u32, label });
        }
        tracks.push(track);
    }
    let mut runs = Runs::of_tracks(tracks);
    runs.both = Precedence::ALL[random.below(2)];
    (classes, runs)
}

/// All bodies, of any length.
fn bodies() -> Vec<Vec<Condition>> {
    let mut all = vec![Vec::new()];
    let add = |all: &mut Vec<Vec<Condition>>, conditions: Vec<Condition>| {
        let longer: Vec<Vec<Condition>> =
            all.iter().flat_map(|body| conditions.iter().map(|c| with(body, *c)).collect::<Vec<_>>()).collect();
        all.extend(longer);
    };
    (0..LITERALS as u16).for_each(|literal| add(&mut all, vec![Condition::Literal(literal)]));
    (0..SLOTS as u16).for_each(|slot| {
        add(&mut all, (1..VALUES).map(|cut| Condition::Threshold(slot, cut)).collect());
    });
    all
}

/// Asks the question that a theory of some random rules has.
fn asked(random: &mut Random, classes: &Classes, runs: &Runs, test: impl FnOnce(&Question<'_>, RuleKind, &Actions)) {
    let definition = if random.below(3) == 0 { Definition::While } else { Definition::Persists };
    let kinds = [RuleKind::Initiation, RuleKind::Termination];
    let kind = if definition == Definition::While { RuleKind::Observed } else { kinds[random.below(2)] };
    let all = bodies();
    let mut actions = Actions::given(classes, runs);
    for _ in 0..random.below(3) {
        let kind = if definition == Definition::While { kind } else { kinds[random.below(2)] };
        actions.add(classes, runs, kind, &all[1 + random.below(all.len() - 1)]);
    }
    let ends = kind == RuleKind::Termination;
    // Errors that cost the same, and others.
    let balance = [Balance::default(), Balance::new(1.0, 5.0), Balance::new(3.0, 1.0)][random.below(3)];
    ask((classes, runs), (definition, balance), ends, &actions, |question| test(question, kind, &actions));
}

/// Asks for a rule to be added to what is done already.
fn ask(
    (classes, runs): (&Classes, &Runs),
    (definition, balance): (Definition, Balance),
    ends: bool,
    actions: &Actions,
    test: impl FnOnce(&Question<'_>),
) {
    let delta = Delta::new(runs, actions, definition, ends);
    let extensions = Extensions::new(classes);
    let (interrupt, listener) = (Interrupt::never(), ProgressListener::default());
    let question = Question {
        classes,
        runs,
        definition,
        ends,
        flips: &delta.flips,
        extensions: &extensions,
        evidence: &Evidence::new(runs, &extensions, definition, ends),
        fit: delta.fit,
        cost: 0.0,
        price: Price::new(runs, classes.choices(), balance),
        effort: Effort::Thorough,
        max_literals: usize::MAX,
        is_linked: &|_| true,
        is_allowed: &|_| true,
        watch: Watch { interrupt: &interrupt, listener: &listener, fluent: Symbol::new("f"), number: 0, count: 1 },
    };
    assert_eq!(delta.fit, fit(runs, actions, definition), "what the theory does by itself");
    test(&question);
}

/// The definition of a question.
fn definition_of(kind: RuleKind) -> Definition {
    if kind == RuleKind::Observed { Definition::While } else { Definition::Persists }
}

#[test]
fn what_a_rule_more_brings_is_what_simulation_says() {
    for seed in 0..400 {
        let mut random = Random(seed);
        let (classes, runs) = record(&mut random, 1 + seed as usize % 3);
        let all = bodies();
        let base = all[random.below(all.len())].clone();
        asked(&mut random, &classes, &runs, |question, kind, actions| {
            let root = question.root();
            let node = base.iter().fold(question.root(), |node, c| question.refined(&node, *c));
            let runs_of = |node: &Node| node.witnesses.iter().map(|w| (w.run, w.item)).collect::<Vec<_>>();
            assert_eq!(runs_of(&node), runs_of(&question.node(&root, &base)), "literal by literal, and at once");
            let mut sums = Sums::new(&classes);
            sums.sum_up(question, &node, 0.5, Wanted::All);
            let mut count = 0;
            let mut check = |condition: Condition, sum: &Sum| {
                let mut more = actions.clone();
                more.add(&classes, &runs, kind, &with(&base, condition));
                let simulated = fit(&runs, &more, definition_of(kind));
                assert_eq!(
                    question.value(question.reached(sum), 0.0),
                    question.price.worth_of(&simulated),
                    "seed {seed}: {base:?} with {condition:?}"
                );
                count += 1;
            };
            for literal in (0..LITERALS).filter(|l| !base.contains(&Condition::Literal(*l as u16))) {
                check(Condition::Literal(literal as u16), &sums.literals[literal]);
            }
            let used = |slot: u16| base.iter().any(|c| matches!(c, Condition::Threshold(s, _) if *s == slot));
            for slot in (0..SLOTS as u16).filter(|slot| !used(*slot)) {
                let digits = |cut| classes.digits(Condition::Threshold(slot, cut));
                sums.for_each_cut(slot as usize, digits, |cut, sum, _| check(Condition::Threshold(slot, cut), sum));
            }
            assert!(count > 0 || base.len() == LITERALS + SLOTS);
        });
    }
}

#[test]
fn no_rule_is_better_than_the_one_that_is_found_by_more_than_the_gap() {
    let (mut found, mut exact) = (0, 0);
    for seed in 0..900 {
        let mut random = Random(1_000_000 + seed);
        let (classes, runs) = record(&mut random, 1 + seed as usize % 2);
        asked(&mut random, &classes, &runs, |question, kind, actions| {
            let incumbent = question.price.worth_of(&question.fit);
            let root = question.root();
            let answer = Search::new(question).answer(incumbent);
            let mut best = incumbent;
            for body in bodies().into_iter().skip(1) {
                let mut more = actions.clone();
                more.add(&classes, &runs, kind, &body);
                let worth = question.price.worth_of(&fit(&runs, &more, definition_of(kind)));
                let value = worth - question.price.of_rule(&classes, &body);
                if value > best
                    && plainly_supported(question, kind, &body)
                    && question.is_relevant(&body)
                    && question.has_earned_conditions(&root, &body)
                {
                    best = value;
                }
            }
            let own = answer.best.as_ref().map_or(incumbent, |(_, value)| *value);
            assert!(own <= best + LEAST_GAIN, "seed {seed}: {own} is more than the best of all, {best}");
            assert!(
                best <= own + answer.gap + LEAST_GAIN,
                "seed {seed}: {best}, but {own} with a gap of {}",
                answer.gap
            );
            found += u32::from(answer.best.is_some());
            exact += u32::from(answer.best.is_some() && best <= own + LEAST_GAIN);
        });
    }
    assert!(found > 100, "{found} questions had an answer");
    assert!(f64::from(exact) >= 0.95 * f64::from(found), "{exact} of {found} answers are the best of all");
}

/// Whether a body is right about enough annotated intervals, run by run.
fn plainly_supported(question: &Question<'_>, kind: RuleKind, body: &[Condition]) -> bool {
    let mut intervals = BTreeSet::new();
    for_each_run(question.runs, definition_of(kind), question.ends, |class, _, interval| {
        intervals.extend(interval.filter(|_| question.classes.covers(class, body)));
    });
    intervals.len() >= SUPPORT
}

#[test]
fn what_speaks_for_a_rule_is_what_runs_say() {
    let (mut supported, mut relevant) = (0, 0);
    for seed in 0..200 {
        let mut random = Random(2_000_000 + seed);
        let (classes, runs) = record(&mut random, 1 + seed as usize % 3);
        asked(&mut random, &classes, &runs, |question, kind, _| {
            let share = |body: &[Condition]| {
                let (mut seen, mut held) = (0, 0);
                for_each_run(&runs, definition_of(kind), question.ends, |class, share, _| {
                    if classes.covers(class, body) {
                        (seen, held) = (seen + share.seen, held + share.held);
                    }
                });
                held as f64 / f64::max(seen as f64, 1.0)
            };
            let root = question.root();
            for body in bodies().into_iter().skip(1) {
                let speaks = |at| {
                    let (all, rest) = (share(&body), share(&without(&body, at)));
                    let speaks = if question.ends { all < rest } else { all > rest };
                    speaks || body.len() == 1 && all == rest
                };
                let each = (0..body.len()).all(speaks);
                assert_eq!(question.is_relevant(&body), each, "seed {seed}: {body:?}");
                let (more, rest) = body.split_last().unwrap();
                let enough = question.is_supported(&question.node(&root, rest), *more);
                assert_eq!(enough, plainly_supported(question, kind, &body), "seed {seed}: {body:?}");
                supported += u32::from(enough);
                relevant += u32::from(each);
            }
        });
    }
    assert!(supported > 1000 && relevant > 1000, "{supported} {relevant}");
}

/// Three annotated intervals that two literals tell, and so many false alarms of the first that the second one keeps out.
fn with_false_alarms(count: usize) -> (Classes, Runs) {
    let classes =
        Classes::of_items(2, Vec::new(), [0b00, 0b01, 0b11, 0b10].map(|bits| vec![(bits, Vec::new())]).to_vec());
    let run = |class, length, label| Run { class, length, label };
    let right = vec![run(2, 1, Label::No), run(2, 20, Label::Yes), run(0, 9, Label::No), run(3, 30, Label::No)];
    let wrong = vec![run(1, 30, Label::No), run(0, 9, Label::No)];
    let tracks = std::iter::repeat_n(right, 3).chain(std::iter::repeat_n(wrong, count));
    (classes, Runs::of_tracks(tracks.collect()))
}

#[test]
fn what_makes_a_difference_once_is_no_reason_for_a_condition() {
    let kinds = [Definition::Persists, Definition::While];
    for ((count, expected), definition) in [(1, false), (2, true)].into_iter().flat_map(|case| kinds.map(|d| (case, d)))
    {
        let (classes, runs) = with_false_alarms(count);
        let mut actions = Actions::given(&classes, &runs);
        for (ends, run) in actions.ends.iter_mut().zip(&runs.all) {
            *ends = run.class == 0;
        }
        ask((&classes, &runs), (definition, Balance::default()), false, &actions, |question| {
            let (first, second) = (Condition::Literal(0), Condition::Literal(1));
            let root = question.root();
            assert!(question.has_earned_conditions(&root, &[first]), "it tells the annotated intervals");
            assert!(question.is_relevant(&[first, second]));
            assert_eq!(
                question.has_earned_conditions(&root, &[first, second]),
                expected,
                "{count} false alarms, {definition:?}"
            );
        });
    }
}

#[test]
fn what_mends_one_error_is_no_reason_for_a_rule() {
    // Three intervals that something else starts; some of them are ended too early, and start again with the second literal.
    for (count, expected) in [(1, false), (2, true)] {
        let classes =
            Classes::of_items(2, Vec::new(), [0b00, 0b01, 0b10, 0b11].map(|bits| vec![(bits, Vec::new())]).to_vec());
        let run = |class, length, label| Run { class, length, label };
        let whole = vec![run(1, 1, Label::No), run(3, 20, Label::Yes), run(0, 9, Label::No)];
        let ended = vec![run(1, 1, Label::No), run(0, 9, Label::Yes), run(2, 11, Label::Yes), run(0, 9, Label::No)];
        let tracks = std::iter::repeat_n(whole, 3).chain(std::iter::repeat_n(ended, count));
        let runs = Runs::of_tracks(tracks.collect());
        let mut actions = Actions::given(&classes, &runs);
        for ((starts, ends), run) in actions.starts.iter_mut().zip(&mut actions.ends).zip(&runs.all) {
            (*starts, *ends) = (run.class == 1, run.class == 0);
        }
        ask((&classes, &runs), (Definition::Persists, Balance::default()), false, &actions, |question| {
            let root = question.root();
            assert_eq!(question.is_earned(&root, &[Condition::Literal(1)]), expected, "{count} ended too early");
        });
    }
}
