//! Which bodies fire on which head instances: by masks, against deriving each body's rule by brute force, and against
//! looking its literals up one by one.

use std::collections::BTreeSet;

use oled::calculus::Outcome;
use oled::event::{Event, EventKind};
use oled::induce::{Ledger, Mask, Tally};
use oled::testing::{deterministic, generate, naive};
use oled::{Atom, Clause, FactReader, Frame, Learner, Oled, Settings, Source, Symbol, Task, Term, Value, parse_theory};
use proptest::prelude::*;

const MODES: &str = "
    modeh(initiatedAt(g(+entity, +entity), +time)).
    modeb(happensAt(a(+entity), +time)).
    modeb(not happensAt(b(+entity), +time)).
    modeb(link(+entity, +entity, +time)).
    modeb(link(+entity, -entity, +time)).
    modeb(not link(+entity, +entity, +time)).
    modeb(over(+entity, #limit, +time)).
    modeb(size(+entity, -number, +time)).
    modeb(small(+number, +time)).
    modeb(recent(+entity, +time)).
    modeb(not linked(+entity, +entity, +time)).
    comparison(over(+entity, #limit, +time), 2, smaller).
";

const BACKGROUND: &str = "
    limit(1). limit(3).
    over(X, L, T) :- size(X, N, T), limit(L), N > L.
    small(N, T) :- size(_, N, T), N < 3.
    recent(X, T) :- since(happensAt(a(X), T), D), D > 0, D <= 3.
    linked(X, Y, T) :- ago(link(X, Y, T), 2).
    linked(X, Y, T) :- lasting(link(Y, X, T), D), D >= 2.
";

/// With so many limits more there are literals beyond the first 128.
fn task(symmetric: bool, limits: i64) -> Task {
    let modes = if symmetric { generate::symmetric_modes() } else { generate::modes() };
    let modes = Source::new("modes.lp", format!("{}{MODES}", modes.text));
    let more = (0..limits).map(|limit| format!("limit({}).", 4 - limit)).collect::<Vec<_>>().concat();
    Task::parse(&modes, &Source::new("background.lp", format!("{more}{BACKGROUND}"))).unwrap()
}

/// The instances that a body fires on, by a rule of its own.
fn fires(task: &Task, learner: &Oled, body: &Mask, past: &naive::Past, facts: &[Atom], time: i64) -> BTreeSet<String> {
    let table = learner.table(0);
    let literals: Vec<String> = body.iter().map(|i| table.literals()[i].to_string()).collect();
    let mut text = "hit(X0, X1, T) :- entity(X0, T), entity(X1, T), X0 != X1".to_string();
    // Existential variables range over their types; literals that mention none of them do not need one.
    for (i, introduced) in table.introduced().iter().enumerate() {
        let name = format!("Y{i}");
        let used = literals.iter().any(|l| l.contains(&format!("{name},")) || l.contains(&format!("{name})")));
        if used {
            text += &match introduced.kind.as_str() {
                "entity" => [", entity(", &name, ", T)"].concat(),
                _ => [", size(_, ", &name, ", T)"].concat(),
            };
        }
    }
    let text = [vec![text], literals].concat().join(", ");
    let rule = parse_theory("hit.lp", &(text + ".")).unwrap();
    let rules: Vec<&Clause> = task.background.clauses.iter().chain(&rule.clauses).collect();
    let model = naive::perfect_model_after(past, &rules, facts, time).unwrap();
    model.iter().filter(|a| a.name.as_str() == "hit").map(|a| format!("{} {}", a.args[0], a.args[1])).collect()
}

/// The two names of a pair in order.
fn sorted(pair: &str) -> String {
    let mut names: Vec<&str> = pair.split(' ').collect();
    names.sort_unstable();
    names.join(" ")
}

proptest! {
    #![proptest_config(deterministic(150))]

    #[test]
    fn masks_tell_which_bodies_fire(
        frames in generate::frames(),
        bodies in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..5), 6),
        symmetric in any::<bool>(),
        limits in prop_oneof![3 => Just(0), 1 => Just(40)],
    ) {
        let task = task(symmetric, limits);
        let settings = Settings { observed_next: false, ..Settings::default() };
        let mut learner = Oled::new(&task, |_| settings.clone()).unwrap();
        let count = learner.table(0).len();
        prop_assert_eq!(count > 200, limits > 0, "{} literals", count);
        prop_assert!(learner.table(0).introduced().len() > 2 && learner.table(0).components().len() > 1);
        let bodies: Vec<Mask> = bodies.iter().map(|b| b.iter().map(|i| i.index(count)).collect()).collect();
        let mut lookup = learner.propositionaliser().lookup();
        let mut looked_up = vec![0; bodies.len()];
        let mut ledger = Ledger::default();
        let mut by_hand = vec![Tally::default(); bodies.len()];
        let background: Vec<&Clause> = task.background.clauses.iter().collect();
        let start = naive::Past::new(&task);
        let mut past = start.clone();
        let mut pairs: BTreeSet<String> = BTreeSet::new();
        for pair in frames.windows(2) {
            learner.propositionaliser().observe(&pair[0]);
            // The next frame is looked at by a copy, which is thrown away.
            let Some(interpretation) = learner.propositionaliser().clone().observe(&pair[1]) else {
                past = start.clone();
                pairs.clear();
                continue;
            };
            let time = pair[0].time;
            let mut facts: Vec<Atom> = pair[0].narrative.atoms(time).collect();
            let mut entities: Vec<Value> = Vec::new();
            for (signature, values) in pair[0].narrative.iter() {
                let columns = if signature.to_string().starts_with("link") { 2 } else { 1 };
                for value in &values[..columns] {
                    if !entities.contains(value) {
                        entities.push(*value);
                    }
                }
            }
            facts.extend(entities.iter().map(|e| Atom::new("entity", vec![Term::Value(*e), Term::Value(Value::Int(time))])));
            // Those who were linked once and have both been there since, in both orders; pairs of a symmetric fluent in one.
            let here = |pair: &String| pair.split(' ').all(|name| entities.iter().any(|e| e.to_string() == name));
            pairs.retain(here);
            for (signature, values) in pair[0].narrative.iter() {
                if signature.to_string().starts_with("link") && values[0] != values[1] {
                    let both = [(0, 1), (1, 0)].map(|(a, b)| format!("{} {}", values[a], values[b]));
                    pairs.extend(both.into_iter().filter(|pair| !symmetric || *pair == sorted(pair)));
                }
            }
            let instances = &interpretation.groups[0];
            prop_assert_eq!(instances.len(), pairs.len());
            for instance in instances {
                let truths: Vec<Mask> = std::iter::once(&instance.truth).chain(&instance.others).cloned().collect();
                ledger.record(&truths, Outcome::Begins);
            }
            lookup.observe(&pair[0]);
            prop_assert_eq!(lookup.instances(0), instances.len());
            for (body, count) in bodies.iter().zip(&mut looked_up) {
                for (k, instance) in instances.iter().enumerate() {
                    let fires = lookup.fires(0, k, body);
                    prop_assert_eq!(fires, instance.fires(body));
                    *count += i64::from(fires);
                }
            }
            for (body, tally) in bodies.iter().zip(&mut by_hand) {
                let mut expected = fires(&task, &learner, body, &past, &facts, time);
                if symmetric {
                    expected = expected.iter().map(|pair| sorted(pair)).collect();
                }
                expected.retain(|pair| pairs.contains(pair));
                let found = instances.iter().filter(|i| i.fires(body)).count();
                prop_assert_eq!(found, expected.len(), "{:?}", learner.table(0).body(body).iter().map(ToString::to_string).collect::<Vec<_>>());
                for _ in 0..expected.len() {
                    *tally += Tally::of(Outcome::Begins, 1);
                }
            }
            let model = naive::perfect_model_after(&past, &background, &facts, time).unwrap();
            past.points.push((time, model));
        }
        for ((body, tally), count) in bodies.iter().zip(by_hand).zip(looked_up) {
            prop_assert_eq!(ledger.covered(body), tally);
            prop_assert_eq!(ledger.covered(body).total(), count);
        }
    }
}

#[test]
fn too_many_assignments_are_told_once_with_their_variable() {
    let task = task(false, 0);
    let mut learner = Oled::new(&task, |_| Settings::default()).unwrap();
    let mut reader = FactReader::default();
    let mut events: Vec<Event> = Vec::new();
    for time in 1..=4 {
        let mut frame = Frame::new(Symbol::new("crowd"), time);
        // A pair that is linked leads to two others, and each may be any of 70 or nobody.
        for entity in 0..if time == 1 { 5 } else { 70 } {
            reader.read(&format!("happensAt(a(e{entity}), {time})"), &mut frame.narrative).unwrap();
        }
        reader.read(&format!("link(e0, e1, {time})"), &mut frame.narrative).unwrap();
        learner.observe(&frame, &mut events);
    }
    learner.theory(&mut events);
    let [Event { interpretation: 2, process: 0, rule: 0, what, .. }] = &events[..] else { panic!("{events:?}") };
    let EventKind::AssignmentOverflow { variable, assignments, segment, time } = what else { panic!("{what:?}") };
    assert_eq!((variable.as_str(), *assignments, segment.as_str(), *time), ("Y0", 71 * 71, "crowd", 2));
}
