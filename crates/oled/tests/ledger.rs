//! The ledger against counting by hand, on random truths and bodies.

use oled::calculus::Outcome;
use oled::induce::{
    Counts, Ledger, Mask, Pruning, Rule, RuleKind, Score, Settings, Tally, Verdict, epsilon, for_each_refinement,
};
use oled::testing::deterministic;
use proptest::prelude::*;

const LITERALS: usize = 9;

/// The numbers that literals have in a table with many of them, in the same order.
const HIGH: [usize; LITERALS] = [0, 1, 2, 127, 128, 191, 192, 700, 1023];

/// One more than the number of the last literal.
fn table(wide: bool) -> usize {
    if wide { HIGH[LITERALS - 1] + 1 } else { LITERALS }
}

/// A mask, in a table with many literals by other numbers.
fn numbered(mask: &Mask, wide: bool) -> Mask {
    mask.iter().map(|l| if wide { HIGH[l] } else { l }).collect()
}

/// The same for the truths of instances.
fn widened(instances: &[(Vec<Mask>, Outcome)], wide: bool) -> Vec<(Vec<Mask>, Outcome)> {
    let truths = |truths: &Vec<Mask>| truths.iter().map(|truth| numbered(truth, wide)).collect();
    instances.iter().map(|(all, outcome)| (truths(all), *outcome)).collect()
}

/// All bodies.
fn bodies(wide: bool) -> impl Iterator<Item = Mask> {
    let body = |bits: usize| (0..LITERALS).filter(|i| bits >> i & 1 == 1).collect();
    (0..1 << LITERALS).map(body).map(move |body| numbered(&body, wide))
}

fn mask() -> impl Strategy<Value = Mask> {
    prop::collection::vec(0..LITERALS, 0..LITERALS).prop_map(|l| l.into_iter().collect())
}

/// Instances with one truth, or several where there are existential variables.
fn instances() -> impl Strategy<Value = Vec<(Vec<Mask>, Outcome)>> {
    let truths = prop_oneof![3 => prop::collection::vec(mask(), 1..=1), 1 => prop::collection::vec(mask(), 1..5)];
    prop::collection::vec((truths, prop::sample::select(&Outcome::ALL[..])), 0..40)
}

fn count(instances: &[(Vec<Mask>, Outcome)], body: &Mask) -> Tally {
    let mut tally = Tally::default();
    for (truths, outcome) in instances {
        if truths.iter().any(|t| body.fires_on(t)) {
            tally += Tally::of(*outcome, 1);
        }
    }
    tally
}

fn ledger(instances: &[(Vec<Mask>, Outcome)]) -> Ledger {
    let mut ledger = Ledger::default();
    instances.iter().for_each(|(truths, outcome)| ledger.record(truths, *outcome));
    ledger
}

proptest! {
    #![proptest_config(deterministic(400))]

    #[test]
    fn every_body_is_counted_exactly(instances in instances(), wide in any::<bool>()) {
        let instances = widened(&instances, wide);
        let ledger = ledger(&instances);
        for body in bodies(wide) {
            prop_assert_eq!(ledger.covered(&body), count(&instances, &body), "{:?}", body);
        }
    }

    #[test]
    fn ledgers_add_up(a in instances(), b in instances(), wide in any::<bool>()) {
        let (a, b) = (widened(&a, wide), widened(&b, wide));
        let mut sum = ledger(&a);
        sum.merge(&ledger(&b));
        let both = ledger(&[a, b].concat());
        for body in bodies(wide) {
            prop_assert_eq!(sum.covered(&body), both.covered(&body));
        }
    }

    #[test]
    fn ledgers_are_a_commutative_group(a in instances(), b in instances(), c in instances(), wide in any::<bool>()) {
        let [a, b, c] = [a, b, c].map(|instances| ledger(&widened(&instances, wide)));
        let sum = |a: &Ledger, b: &Ledger| {
            let mut sum = a.clone();
            sum.merge(b);
            sum
        };
        let rows = |ledger: &Ledger| {
            let mut rows: Vec<String> = ledger.rows().map(|(mask, tally)| format!("{mask:?} {tally:?}")).collect();
            rows.sort();
            rows
        };
        let nothing = Ledger::default();
        prop_assert_eq!(rows(&sum(&a, &b)), rows(&sum(&b, &a)));
        prop_assert_eq!(rows(&sum(&sum(&a, &b), &c)), rows(&sum(&a, &sum(&b, &c))));
        prop_assert_eq!(rows(&sum(&a, &nothing)), rows(&sum(&nothing, &a)));
        let mut inverse = Ledger::default();
        a.rows().for_each(|(mask, tally)| inverse.add(mask.clone(), Tally::default() - tally));
        prop_assert!(sum(&a, &inverse).is_empty());
    }

    #[test]
    fn what_came_later_is_told_apart(
        a in instances(), b in instances(), literals in mask(), wide in any::<bool>()
    ) {
        let (a, b, literals) = (widened(&a, wide), widened(&b, wide), numbered(&literals, wide));
        let mut all = ledger(&a);
        let before = all.within(&literals);
        b.iter().for_each(|(truths, outcome)| all.record(truths, *outcome));
        let mut later = Ledger::default();
        all.since(&before).for_each(|(mask, tally)| later.add(mask.clone(), tally));
        for body in bodies(wide).filter(|body| body.fires_on(&literals)) {
            prop_assert_eq!(later.covered(&body), count(&b, &body));
        }
    }

    /// A rule remembers the candidate that saved it; looking at all of them every time gives the same verdicts and figures.
    #[test]
    fn rules_are_given_up_as_if_all_candidates_were_looked_at_each_time(
        before in instances(), instances in instances(), bottom in mask(), body in mask(), depth in 1..4usize,
        kind in prop::sample::select(&[RuleKind::Initiation, RuleKind::Termination][..]),
        score in prop::sample::select(&[Score::Paper, Score::Terminations, Score::FScore, Score::Foil][..]),
        threshold in 0.3..1.0f64, wide in any::<bool>(),
    ) {
        let implied = vec![Mask::EMPTY; table(wide)];
        let (before, instances) = (widened(&before, wide), widened(&instances, wide));
        let (bottom, body) = (numbered(&bottom, wide), numbered(&body, wide));
        let (prune_initiation, prune_termination) = (threshold, threshold);
        // A bound that is small after few instances.
        let pruning = Pruning::Guarded;
        let settings = Settings { delta: 0.5, depth, score, pruning, prune_initiation, prune_termination, ..Settings::default() };
        let mut stream = ledger(&before);
        let mut rule = Rule::new(1, bottom.clone(), body.and(&bottom), &settings, &stream);
        for (seen, (truths, outcome)) in instances.iter().enumerate() {
            stream.record(truths, *outcome);
            rule.count(*outcome, |body| truths.iter().any(|t| body.fires_on(t)));
            rule.count_all(Tally::of(*outcome, 1));
            let seen = &instances[..=seen];
            let all = count(seen, &Mask::EMPTY);
            let own = Counts::new(kind, score, count(seen, &rule.body), all);
            let figure = |body: &Mask| Counts::new(kind, score, count(seen, body), all).score(kind, score, own);
            let mut best = figure(&rule.body);
            let none = std::iter::empty();
            for_each_refinement(none, &rule.body, &bottom, depth, &implied, |c| best = best.max(figure(&c.body)));
            let epsilon = epsilon(settings.delta, rule.n(kind, &settings));
            let prune = own.denominator(kind, score) > 0 && threshold - best > epsilon;
            match rule.prune(kind, &settings, &implied, &stream) {
                Verdict::Prune(decision) => {
                    prop_assert!(prune);
                    prop_assert_eq!((decision.figures.own, decision.figures.best), (figure(&rule.body), best));
                }
                verdict => {
                    prop_assert_eq!(verdict, Verdict::Keep);
                    prop_assert!(!prune);
                }
            }
        }
    }

    #[test]
    fn refinements_are_all_and_only_those_that_say_something_new(
        instances in instances(), body in mask(), bottom in mask(), depth in 1..5usize, wide in any::<bool>()
    ) {
        let (instances, body, bottom) = (widened(&instances, wide), numbered(&body, wide), numbered(&bottom, wide));
        // Literals 0 to 3, or 4, are a chain of thresholds: each implies the ones above it.
        let mut implied = vec![Mask::EMPTY; table(wide)];
        let chain: Vec<usize> = numbered(&Mask::first(4 + usize::from(wide)), wide).iter().collect();
        chain.iter().enumerate().for_each(|(i, l)| implied[*l] = chain[i + 1..].iter().copied().collect());
        let ledger = ledger(&instances);
        let mut found = Vec::new();
        for_each_refinement(ledger.rows(), &body, &bottom, depth, &implied, |c| found.push(c));
        for candidate in &found {
            prop_assert_eq!(candidate.covered, count(&instances, &candidate.body), "{:?}", candidate.body);
        }
        let closure = |m: &Mask| m.iter().fold(m.clone(), |mask, l| mask.with(&implied[l]));
        let mut expected = Vec::new();
        for added in bodies(wide).filter(|added| !added.is_empty()) {
            let fits = added.len() <= depth && added.fires_on(&bottom);
            // No added literal follows from the body and the other added ones.
            let needed = added.iter().all(|l| !closure(&body.with(&added.without(&Mask::of(l)))).has(l));
            // Nor may it be implied in the other direction among themselves.
            if fits && needed {
                expected.push(body.with(&added));
            }
        }
        // Of equal scores the first counts as better, so the order matters: by size, then by literals.
        let bodies: Vec<Mask> = found.into_iter().map(|c| c.body).collect();
        expected.sort_by_key(|b| (b.len(), b.without(&body).iter().collect::<Vec<_>>()));
        prop_assert_eq!(bodies, expected);
    }
}

/// Two people, both orders; the fluent holds at some of five consecutive time points; a clause that fires on everything.
fn vector(holds: [bool; 5]) -> (Tally, Tally) {
    let mut all = Tally::default();
    for pair in holds.windows(2) {
        for _order in 0..2 {
            all += Tally::of(Outcome::new(pair[0], pair[1]), 1);
        }
    }
    (all, all)
}

#[test]
fn the_micro_vectors_of_the_published_systems_hold() {
    // Times 1 to 5, the event at 3, 4 and 5.
    let (covered, all) = vector([false, false, true, true, true]);
    assert_eq!(all.total(), 8);
    assert_eq!(Counts::new(RuleKind::Initiation, Score::Paper, covered, all), Counts { tp: 6, fp: 2, fn_: 0 });
    assert_eq!(Counts::new(RuleKind::Termination, Score::Terminations, covered, all), Counts { tp: 0, fp: 0, fn_: 6 });
    assert_eq!(Counts::new(RuleKind::Termination, Score::Paper, covered, all), Counts { tp: 0, fp: 0, fn_: 6 });
    // Times 5 to 9, the event at 5 and 6.
    let (covered, all) = vector([true, true, false, false, false]);
    assert_eq!(Counts::new(RuleKind::Initiation, Score::Paper, covered, all), Counts { tp: 2, fp: 6, fn_: 0 });
    assert_eq!(Counts::new(RuleKind::Termination, Score::Terminations, covered, all), Counts { tp: 2, fp: 0, fn_: 2 });
    // A clause that never fires lets everything persist.
    let none = Tally::default();
    assert_eq!(Counts::new(RuleKind::Termination, Score::Paper, none, all), Counts { tp: 2, fp: 0, fn_: 0 });
    assert_eq!(Counts::new(RuleKind::Initiation, Score::Paper, none, all), Counts { tp: 0, fp: 0, fn_: 2 });
}
