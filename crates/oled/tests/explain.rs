//! Explanation: the rules that it names are those that the trace of recognition has, and those whose bodies brute force finds
//! true.

use std::collections::BTreeSet;

use oled::explain::{Explainer, Finding, Moment};
use oled::testing::{deterministic, generate, naive};
use oled::{Signature, Source, Symbol, Task, Value, calculus};
use proptest::prelude::*;

type Fired = BTreeSet<(usize, String)>;

/// All instances of a fluent of the generated tasks.
fn instances(holds: Signature) -> Vec<Vec<Value>> {
    let entities = ["e1", "e2", "e3", "e4", "e5"].map(|e| Value::Sym(Symbol::new(e)));
    let values = ["low", "high"].map(|v| Value::Sym(Symbol::new(v)));
    let second: &[Value] = if holds.has_value() { &values } else { &entities };
    let of = |first: Value| match holds.arity() {
        2 => vec![vec![first]],
        _ => second.iter().map(|other| vec![first, *other]).collect(),
    };
    entities.into_iter().flat_map(of).collect()
}

/// The rules that findings name, of those that fired; what is said of each is true, and only of them.
fn named(holds: Signature, values: &[Value], findings: &[Finding], into: &mut Fired) -> Result<(), TestCaseError> {
    for finding in findings {
        let all_true = finding.conditions.iter().all(|c| c.truth == Some(true));
        prop_assert_eq!(finding.fired, all_true, "{:?}", finding);
        if finding.fired {
            into.insert((finding.rule, calculus::fluent(holds, values).to_string()));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(deterministic(800))]

    #[test]
    fn the_rules_that_are_named_are_those_that_fired(
        background in generate::background(),
        candidates in generate::candidates(),
        theory in generate::theory(),
        frames in generate::frames(),
        symmetric in any::<bool>(),
    ) {
        let modes = if symmetric { generate::symmetric_modes() } else { generate::modes() };
        let Ok(task) = Task::parse(&modes, &Source::new("background.lp", background + &candidates)) else {
            return Ok(());
        };
        let theory = oled::parse_theory("theory.lp", &theory).unwrap();
        let Ok(mut explainer) = Explainer::new(&task, &theory) else { return Ok(()) };
        let truth = naive::points(&task, &theory, &frames).expect("the engine accepted it");
        let fluents: Vec<Signature> = explainer.recogniser().fluents().collect();
        let mut before: Option<Moment> = None;
        for (frame, truth) in frames.iter().zip(&truth) {
            let now = explainer.observe(frame);
            let before_now = before.take().filter(|before| before.segment == frame.segment);
            // What is said of this moment: what began here, or by what was derived here, and what ended.
            let (mut asked, mut all) = (Fired::new(), Fired::new());
            for &holds in &fluents {
                for values in instances(holds) {
                    let mut values = values.into_boxed_slice();
                    task.canonical(holds, &mut values);
                    let held = truth.holding.contains(&calculus::fluent(holds, &values).to_string());
                    let starts = before_now.is_none().then_some(None).into_iter().chain([Some(&now)]);
                    for start in starts {
                        named(holds, &values, &explainer.began(start, &now, holds, &values), &mut asked)?;
                        named(holds, &values, &explainer.beginnings(start, &now, holds, &values), &mut all)?;
                    }
                    if held {
                        let ended = explainer.ended(&now, holds, &values);
                        // Another value ends it by a rule that is about that.
                        let own = |f: &&Finding| theory.clauses[f.rule].head.name.as_str() == "terminatedAt";
                        for other in ended.iter().filter(|f| !own(f)) {
                            prop_assert!(holds.has_value() && other.fired);
                            prop_assert!(other.conditions.iter().all(|c| c.truth == Some(true)), "{:?}", other);
                            prop_assert!(truth.fired.iter().any(|(rule, _)| *rule == other.rule));
                        }
                        named(holds, &values, &ended.iter().filter(own).cloned().collect::<Vec<_>>(), &mut asked)?;
                    }
                    let endings = explainer.endings(&now, holds, &values);
                    let own: Vec<_> =
                        endings.into_iter().filter(|f| theory.clauses[f.rule].head.name.as_str() == "terminatedAt").collect();
                    named(holds, &values, &own, &mut all)?;
                }
            }
            prop_assert_eq!(&asked, &all, "{}", theory);
            let mut traced = Fired::new();
            // Deadlines have rules for what is no fluent too, which nobody asks about.
            let about = |rule: usize| {
                let head = Signature::of(&theory.clauses[rule].head);
                fluents.iter().copied().find(|holds| {
                    let of = |name: &str| head == holds.renamed(name);
                    of("holdsAt") || of("initiatedAt") || of("terminatedAt")
                        || holds.without_time().is_some_and(|holds| holds.renamed("initially") == head)
                })
            };
            for (rule, row) in now.fired() {
                let Some(holds) = about(rule) else { continue };
                let mut row = row.to_vec();
                task.canonical(holds, &mut row);
                traced.insert((rule, calculus::fluent(holds, &row).to_string()));
            }
            prop_assert_eq!(&traced, &asked, "{}", theory);
            let fired: Fired = truth.fired.iter().filter(|(rule, _)| about(*rule).is_some()).cloned().collect();
            prop_assert_eq!(&traced, &fired, "at {} of {}: {}", frame.time, frame.segment, theory);
            before = Some(now);
        }
    }
}
