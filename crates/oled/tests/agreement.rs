//! Two ways of computing the same thing: the engine against brute force, on random tasks and streams.

use std::collections::{BTreeMap, BTreeSet};

use oled::logic::{Model, Program, Role, Vocabulary};
use oled::testing::{deterministic, generate, naive};
use oled::{
    Atom, FactReader, Facts, Frame, Precedence, Recogniser, Signature, Source, Task, Term, Value, parse_source,
};
use proptest::prelude::*;

fn task(background: &str) -> Option<Task> {
    Task::parse(&generate::modes(), &Source::new("background.lp", background)).ok()
}

/// Whether the problems of a text are of a kind that random rules have.
fn expected(problem: &str) -> bool {
    [
        "is unsafe",
        "might never end",
        "looks back at itself",
        "counts itself",
        "depends on its own negation",
        "is a `entity` here",
        "is not a",
    ]
    .iter()
    .any(|p| problem.contains(p))
        || problem.contains("` here and a `")
}

/// The frames of all segments in the order of their times, if they are to be mixed.
fn mixed(mut frames: Vec<Frame>, interleaved: bool) -> Vec<Frame> {
    if interleaved {
        frames.sort_by_key(|frame| frame.time);
    }
    frames
}

proptest! {
    #![proptest_config(deterministic(1500))]

    #[test]
    fn the_model_of_a_time_point_is_the_perfect_model(background in generate::background(), frames in generate::frames(), interleaved in any::<bool>()) {
        let Some(task) = task(&background) else {
            let (_, problems) = Task::read(&generate::modes(), &Source::new("b.lp", background));
            for problem in &problems {
                prop_assert!(expected(&problem.message), "{problem}");
            }
            // Unstratified programs are unstratified for both.
            let circles = ["depends on its own negation", "looks back at itself", "counts itself"];
            let negation = problems.iter().any(|p| circles.iter().any(|c| p.message.contains(c)));
            if negation {
                let (theory, _) = parse_source(&problems[0].span.source.clone().unwrap());
                let rules: Vec<_> = theory.clauses.iter().collect();
                prop_assert!(naive::perfect_model(&rules, &[], 0).is_none());
            }
            return Ok(());
        };
        let rules: Vec<_> = task.background.clauses.iter().collect();
        let (vocabulary, _) = Vocabulary::new(&task.bias, &rules);
        let wanted: Vec<Signature> = vocabulary.predicates.keys().copied().collect();
        let program = Program::new(&task.bias, &vocabulary, &rules, &wanted).unwrap();
        let mut model = Model::new(&program);
        let mut pasts: BTreeMap<String, naive::Past> = BTreeMap::new();
        for frame in &mixed(frames, interleaved) {
            model.clear(&program);
            model.observe(&program, &frame.narrative);
            model.advance(&program, frame.segment, frame.time);
            let mut derived = BTreeSet::new();
            for (&signature, predicate) in vocabulary.predicates.iter().filter(|(_, p)| !matches!(p.role, Role::Past(_))) {
                for row in model.rows(program.pred(signature).unwrap()).rows() {
                    let time = predicate.timed.then_some(Value::Int(frame.time));
                    derived.insert(signature.fill(row.iter().copied().chain(time).map(Term::Value)).to_string());
                }
            }
            let mut facts: Vec<Atom> = frame.narrative.atoms(frame.time).collect();
            for (signature, values) in frame.narrative.iter() {
                let names = signature.to_string();
                let entities = if names.starts_with("link") { 2 } else { 1 };
                facts.extend(values[..entities].iter().map(|v| {
                    Atom::new("entity", vec![Term::Value(*v), Term::Value(Value::Int(frame.time))])
                }));
            }
            let past = pasts.entry(frame.segment.to_string()).or_insert_with(|| naive::Past::new(&task));
            let truth = naive::perfect_model_after(past, &rules, &facts, frame.time).expect("the engine accepted it");
            let naive: BTreeSet<String> = truth.iter().map(ToString::to_string).collect();
            past.points.push((frame.time, truth));
            prop_assert_eq!(&derived, &naive, "{}", background);
        }
    }

    #[test]
    fn only_what_is_wanted_is_derived_and_it_is_the_same(background in generate::background(), frames in generate::frames()) {
        let Some(task) = task(&background) else { return Ok(()) };
        let rules: Vec<_> = task.background.clauses.iter().collect();
        let (vocabulary, _) = Vocabulary::new(&task.bias, &rules);
        let all: Vec<Signature> = vocabulary.predicates.keys().copied().collect();
        let Some(&wanted) = all.iter().find(|s| s.to_string().starts_with("d3")) else { return Ok(()) };
        let whole = Program::new(&task.bias, &vocabulary, &rules, &all).unwrap();
        let part = Program::new(&task.bias, &vocabulary, &rules, &[wanted]).unwrap();
        let (mut a, mut b) = (Model::new(&whole), Model::new(&part));
        for frame in &frames {
            for (program, model) in [(&whole, &mut a), (&part, &mut b)] {
                model.clear(program);
                model.observe(program, &frame.narrative);
                model.advance(program, frame.segment, frame.time);
            }
            let rows = |m: &Model, p: &Program| m.rows(p.pred(wanted).unwrap()).rows().map(<[Value]>::to_vec).collect::<BTreeSet<_>>();
            prop_assert_eq!(rows(&a, &whole), rows(&b, &part), "{}", background);
        }
    }

    #[test]
    fn recognition_is_the_axioms(
        background in generate::background(),
        candidates in generate::candidates(),
        theory in generate::theory(),
        frames in generate::frames(),
        tracked in any::<bool>(),
        symmetric in 0..4_u8,
        interleaved in any::<bool>(),
        both in prop::sample::select(&Precedence::ALL[..]),
        resumed in any::<bool>(),
    ) {
        let modes = match symmetric {
            0 => generate::modes(),
            1 => generate::symmetric_modes(),
            _ => generate::equivalence_modes(),
        };
        // Equivalences have no candidates.
        let background = if symmetric < 2 { background + &candidates } else { background };
        let Ok(mut task) = Task::parse(&modes, &Source::new("background.lp", &*background)) else { return Ok(()) };
        (task.options.interleaved, task.options.both) = (interleaved, both);
        let frames = mixed(frames, interleaved);
        if !tracked {
            task.options.tracked = Some(Vec::new());
        }
        let theory = oled::parse_theory("theory.lp", &theory).unwrap();
        let mut recogniser = match Recogniser::new(&task, &theory) {
            Ok(recogniser) => recogniser,
            Err(problems) => {
                for problem in problems.diagnostics() {
                    let of_fluents = ["unknown predicate", "start and end", "holds while conditions are met"];
                    let known = expected(&problem.message) || of_fluents.iter().any(|p| problem.message.contains(p));
                    prop_assert!(known, "{problem}");
                }
                return Ok(());
            }
        };
        let truth = naive::axioms(&task, &theory, &frames).expect("the engine accepted it");
        let mut intervals = Vec::new();
        for (frame, truth) in frames.iter().zip(&truth) {
            recogniser.observe(frame, &mut intervals);
            let holding: BTreeSet<String> = recogniser
                .holding()
                .map(|(s, v)| oled::calculus::fluent(s, v).to_string())
                .collect();
            prop_assert_eq!(&holding, truth, "at {} of {}: {} {}", frame.time, frame.segment, theory, background);
            // Whoever is stopped after any time point goes on with what was saved.
            if resumed {
                let saved = recogniser.save();
                recogniser = Recogniser::new(&task, &theory).unwrap();
                recogniser.restore(&saved).unwrap();
            }
        }
        recogniser.finish(&mut intervals);
        // The intervals say the same as the frames.
        let mut covered: BTreeSet<(String, i64, String)> = BTreeSet::new();
        for interval in &intervals {
            for frame in frames.iter().filter(|f| f.segment == interval.segment && f.time >= interval.first && f.time <= interval.last) {
                prop_assert!(covered.insert((frame.segment.to_string(), frame.time, interval.fluent().to_string())), "intervals do not overlap");
            }
        }
        let expected: BTreeSet<(String, i64, String)> = frames.iter().zip(&truth)
            .flat_map(|(f, atoms)| atoms.iter().map(move |a| (f.segment.to_string(), f.time, a.clone()))).collect();
        prop_assert_eq!(covered, expected, "{} {}", theory, background);
    }

    #[test]
    fn parsing_what_was_printed_gives_the_same(background in generate::background(), theory in generate::theory()) {
        for text in [background, theory] {
            let first = oled::parse_theory("a.lp", &text).unwrap();
            let again = oled::parse_theory("b.lp", &first.to_string()).unwrap();
            prop_assert_eq!(&first, &again);
            prop_assert_eq!(first.to_string(), again.to_string());
        }
    }

    #[test]
    fn terms_of_all_shapes_are_printed_as_they_are_read(term in term()) {
        let clause = oled::parse_theory("t.lp", &format!("p({term}) :- X < ({term}).")).unwrap();
        let again = oled::parse_theory("u.lp", &clause.to_string()).unwrap();
        prop_assert_eq!(&clause, &again, "{}", clause);
        prop_assert_eq!(&clause.clauses[0].head.args[0], &term, "{}", clause);
    }

    #[test]
    fn the_fast_reader_of_facts_equals_the_parser(term in ground(), time in any::<i64>()) {
        prop_assume!(time != i64::MIN);
        let text = format!("p({term}, {time})");
        let mut facts = Facts::default();
        let read = FactReader::default().read(&text, &mut facts).unwrap();
        let atom = oled::parse_atom(&text).unwrap();
        let (signature, values) = Signature::split(&atom).unwrap();
        prop_assert_eq!(read, time);
        prop_assert!(facts.iter().eq([(signature, &values[..values.len() - 1])]));
    }
}

fn name() -> impl Strategy<Value = oled::Symbol> {
    prop_oneof![
        4 => "[a-m][a-zA-Z0-9_]{0,4}",
        1 => ".{0,5}",
    ]
    .prop_map(|s| oled::Symbol::new(&s))
    .prop_filter("words with a meaning", |s| {
        !["not", "abs", "sqrt", "min", "max", "mod", "is", "-", "+", "*", "/", "^", "="].contains(&s.as_str())
    })
}

fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_filter("the parser has no literal for it", |i| *i != i64::MIN).prop_map(Value::Int),
        any::<f64>().prop_filter_map("finite", Value::real)
    ]
}

fn ground() -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![number().prop_map(Term::Value), name().prop_map(|s| Term::Value(Value::Sym(s)))];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            3 => (name(), prop::collection::vec(inner.clone(), 1..3)).prop_map(|(f, args)| Term::App(f, args)),
            1 => (name(), prop::collection::vec(inner, 1..3), number())
                .prop_map(|(f, args, v)| Term::App(oled::Symbol::new("="), vec![Term::App(f, args), Term::Value(v)])),
        ]
    })
    .prop_filter(
        "a fluent with a value stands in an argument",
        |t| !matches!(t, Term::App(f, a) if f.as_str() == "=" && matches!(a[0], Term::App(g, _) if g.as_str() == "=")),
    )
    .prop_filter("equations do not nest without brackets", |t| !nested_equation(t, false))
}

fn nested_equation(t: &Term, inside: bool) -> bool {
    match t {
        Term::App(f, args) => {
            let equation = f.as_str() == "=";
            (equation && inside) || args.iter().any(|a| nested_equation(a, equation))
        }
        _ => false,
    }
}

fn term() -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![
        number().prop_map(Term::Value),
        name().prop_map(|s| Term::Value(Value::Sym(s))),
        "[A-Z][a-z0-9_]{0,3}|_".prop_map(|s| Term::var(&s)),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let operation = |ops: &'static [&'static str]| prop::sample::select(ops);
        prop_oneof![
            (name(), prop::collection::vec(inner.clone(), 1..3)).prop_map(|(f, args)| Term::App(f, args)),
            (operation(&["+", "-", "*", "/", "//", "^"]), inner.clone(), inner.clone())
                .prop_map(|(f, a, b)| Term::App(oled::Symbol::new(f), vec![a, b])),
            (operation(&["min", "max", "mod"]), inner.clone(), inner.clone())
                .prop_map(|(f, a, b)| Term::App(oled::Symbol::new(f), vec![a, b])),
            (operation(&["abs", "sqrt", "-"]), inner).prop_map(|(f, a)| Term::App(oled::Symbol::new(f), vec![a])),
        ]
    })
}
