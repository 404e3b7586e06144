//! Theories load in work that grows as they do: what is counted are the steps of all plans, and large ones load at all.

use oled::{FactReader, Frame, Recogniser, Signature, Source, Symbol, Task, Theory, parse_theory};

fn task() -> Task {
    let modes = "input(happensAt(e0(+lamp), +time)). input(happensAt(e1(+lamp), +time)).
                 input(power(+lamp, +watt, +time)). type(watt, real). horizon(5).
                 example(holdsAt(lit(+lamp), +time)).";
    Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap()
}

fn parse(rules: &[String]) -> Theory {
    parse_theory("large.lp", &rules.join("\n")).unwrap()
}

/// Rules that have nothing to do with each other.
fn independent(count: usize) -> Vec<String> {
    let rule = |i| format!("initiatedAt(lit{i}(L), T) :- happensAt(e1(L), T), power(L, W, T), W > {i}.");
    (0..count).map(rule).collect()
}

/// Predicates each of which uses the one before, `not` or not, now or in the past.
fn chain(count: usize, condition: &str) -> Vec<String> {
    let link = |i: usize| {
        let before = condition.replace("{}", &format!("p{}(L, T)", i - 1));
        format!("p{i}(L, T) :- happensAt(e1(L), T), {before}.")
    };
    let mut rules = vec!["p0(L, T) :- happensAt(e0(L), T).".to_string()];
    rules.extend((1..count).map(link));
    rules.push(format!("initiatedAt(lit(L), T) :- p{}(L, T).", count - 1));
    rules
}

/// Chains of every kind.
const CHAINS: [&str; 4] = ["{}", "not {}", "power(L, W, T), {}", "ago({}, 1)"];

/// The steps of the plans of all predicates.
fn steps(rules: &[String]) -> usize {
    let (task, theory) = (task(), parse(rules));
    let all = |vocabulary: &oled::logic::Vocabulary| vocabulary.predicates.keys().copied().collect::<Vec<Signature>>();
    task.compile(&task.rules(&theory), all).unwrap().1.size()
}

#[test]
fn twice_as_many_rules_have_twice_as_many_steps() {
    let grows = |what: &str, small: usize, large: usize| {
        assert!(large <= small * 21 / 10, "{what}: {small} steps, then {large}");
    };
    grows("independent rules", steps(&independent(500)), steps(&independent(1000)));
    for condition in CHAINS {
        grows(condition, steps(&chain(500, condition)), steps(&chain(1000, condition)));
        let reversed = |count| chain(count, condition).into_iter().rev().collect::<Vec<_>>();
        grows(condition, steps(&reversed(500)), steps(&reversed(1000)));
    }
}

#[test]
fn thousands_of_rules_load() {
    // With work in the square of their number these would take minutes.
    let mut loaded = Recogniser::new(&task(), &parse(&independent(5000))).unwrap();
    assert_eq!(loaded.fluents().count(), 5000);
    for condition in CHAINS {
        loaded = Recogniser::new(&task(), &parse(&chain(2000, condition))).unwrap();
        assert_eq!(loaded.fluents().count(), 1);
    }
}

#[test]
fn a_long_chain_derives_what_its_links_say() {
    // Longer than what is written out where it is used.
    for (count, condition, is_lit) in [(200, "{}", true), (200, "not {}", false), (201, "not {}", true)] {
        let mut recogniser = Recogniser::new(&task(), &parse(&chain(count, condition))).unwrap();
        let mut reader = FactReader::default();
        let mut frame = Frame::new(Symbol::new("hall"), 1);
        for fact in ["happensAt(e0(l1), 1)", "happensAt(e1(l1), 1)"] {
            reader.read(fact, &mut frame.narrative).unwrap();
        }
        recogniser.observe(&frame, &mut Vec::new());
        let mut frame = Frame::new(Symbol::new("hall"), 2);
        reader.read("happensAt(e1(l1), 2)", &mut frame.narrative).unwrap();
        recogniser.observe(&frame, &mut Vec::new());
        assert_eq!(recogniser.holding().count() == 1, is_lit, "{count} links of `{condition}`");
    }
}
