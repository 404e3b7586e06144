//! RTEC's own unit tests, read from where they are, and what the library says of them.

mod prolog;

use std::fmt;
use std::path::{Path, PathBuf};

use oled::{Every, Ticks};
use oled::{FactReader, Frame, Interval, Precedence, Recogniser, Source, Symbol, Task, Theory, parse_theory};

use prolog::{Clause, Term, clauses};

/// A file of tests, and the rules that say in our language what its own say.
struct Suite {
    file: &'static str,
    rules: Rules,
}

/// Declarations, background and theory.
type Rules = (&'static str, &'static str, &'static [&'static str]);

const TOY: &str = include_str!("toy-modes.lp");
const VOTING: (&str, &str) = (include_str!("voting-modes.lp"), include_str!("voting-background.lp"));

const ALLEN: Rules = (include_str!("allen-modes.lp"), "", &[include_str!("allen.lp")]);

const SUITES: [Suite; 8] = [
    Suite { file: "RTEC_version_1", rules: (TOY, "", &[include_str!("toy1.lp")]) },
    Suite { file: "RTEC_version_1_dg", rules: (TOY, "", &[include_str!("toy1.lp")]) },
    Suite { file: "RTEC_version_2_cycles_deadlines", rules: (TOY, "", &[include_str!("toy2.lp")]) },
    Suite { file: "voting_motion_cycles_nodeadlines", rules: (VOTING.0, VOTING.1, &[include_str!("voting.lp")]) },
    Suite {
        file: "voting_motion_cycles_deadlines_notextended",
        rules: (VOTING.0, VOTING.1, &[include_str!("voting.lp"), include_str!("voting-deadlines.lp")]),
    },
    Suite {
        file: "voting_motion_cycles_deadlines_extended",
        rules: (VOTING.0, VOTING.1, &[include_str!("voting.lp"), include_str!("voting-deadlines.lp")]),
    },
    Suite { file: "allen/hierarchies", rules: ALLEN },
    Suite { file: "allen/personDoor", rules: ALLEN },
];

/// What became of a test.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// The same intervals.
    Identical,
    /// Other intervals: expected, and found.
    Different(String, String),
}

/// A test with what became of it.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) file: &'static str,
    pub(crate) group: String,
    pub(crate) number: String,
    pub(crate) verdict: Verdict,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} {}: ", self.file, self.group, self.number)?;
        match &self.verdict {
            Verdict::Identical => write!(f, "identical"),
            Verdict::Different(expected, found) => write!(f, "expected {expected}, found {found}"),
        }
    }
}

/// Where the tests are: in the folder that `OLED_RTEC` names, or beside the project.
pub(crate) fn folder() -> PathBuf {
    let usual = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/rtec");
    std::env::var_os("OLED_RTEC").map_or_else(usual, PathBuf::from).join("unit-tests/RTEC-tests")
}

/// All tests of the package, one after the other.
pub(crate) fn run(folder: &Path) -> Vec<Outcome> {
    SUITES.iter().flat_map(|suite| suite.run(folder)).collect()
}

/// A test: what happens, which fluent is meant, when it is asked for, and what is expected then.
struct Case {
    group: String,
    number: String,
    scenario: String,
    /// How many arguments its narratives have: they come whole, or by windows.
    arity: usize,
    expected: Vec<Span>,
    /// The last query time, and from when on its window goes.
    window: (i64, i64),
}

/// From a time point up to another, which is not part of it; open where there is none.
type Span = (i64, Option<i64>);

impl Suite {
    fn run(&self, folder: &Path) -> Vec<Outcome> {
        let read = |path: PathBuf| {
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        let tests = clauses(&read(folder.join(format!("tests/{}.prolog", self.file))));
        let mut stories: Vec<Clause> = Vec::new();
        for scenario in ["initiation", "termination_from_another_fluent", "interval_manipulation", "holds_at_t"] {
            stories.extend(clauses(&read(folder.join(format!("scenarios/{scenario}/toy_event_stream.prolog")))));
        }
        for scenario in ["hierarchy", "unsorted", "deadlines", "cycles", "cycles_unsorted"] {
            stories.extend(clauses(&read(folder.join(format!("scenarios/{scenario}/toy_event_stream.prolog")))));
        }
        for number in 1..=6 {
            stories.extend(clauses(&read(folder.join(format!("scenarios/voting/narrative{number}.prolog")))));
        }
        let cases = tests.iter().filter_map(|(head, _)| case(head));
        for scenario in ["hierarchies/hierarchies", "personDoor/person_door"] {
            stories.extend(clauses(&read(folder.join(format!("scenarios/allen/{scenario}_event_stream.prolog")))));
        }
        let verdict = |case: &Case| {
            let fluent = asked(&tests, case).unwrap_or_else(|| panic!("no fluent for {} {}", case.group, case.number));
            judge(self.rules, case, &fluent, &stories)
        };
        let outcome =
            |case: Case| Outcome { verdict: verdict(&case), file: self.file, group: case.group, number: case.number };
        cases.map(outcome).collect()
    }
}

/// The test that a fact declares, if it is one.
fn case(head: &Term) -> Option<Case> {
    let (name, args) = head.app()?;
    let arity = ["testcase", "testcaseE", "testcaseSE"].iter().position(|kind| *kind == name)? + 1;
    let [scenario, group, number, expected, Term::Tuple(times), ..] = args else { return None };
    let [_, window, _, end] = &times[..] else { return None };
    let (window, end) = (window.int()?, end.int()?);
    let span = |term: &Term| match term {
        Term::Tuple(ends) => Some((ends.first()?.int()?, ends.get(1)?.int())),
        _ => None,
    };
    let expected = expected.list().last()?.list().iter().filter_map(span).collect();
    let (group, number, scenario) = (group.to_string(), number.to_string(), scenario.to_string());
    Some(Case { group, number, scenario, arity, expected, window: (end, end - window) })
}

/// The fluent that a test asks for: that of the first clause whose conditions its number meets.
fn asked(tests: &[Clause], case: &Case) -> Option<String> {
    let number: f64 = case.number.parse().ok()?;
    let value = |term: &Term| term.to_string().parse::<f64>().unwrap_or(number);
    tests.iter().find_map(|(head, body)| {
        let ("check", [group, wanted, _]) = head.app()? else { return None };
        let mut meets = group.to_string() == case.group && value(wanted) == number;
        let mut fluent = None;
        for goal in body {
            match goal.app()? {
                ("member", [_, numbers]) => meets &= numbers.list().iter().any(|n| value(n) == number),
                ("<", [_, most]) => meets &= number < value(most),
                (">=", [_, least]) => meets &= number >= value(least),
                ("holdsFor", [what, _]) => fluent = Some(what.to_string()),
                _ => {}
            }
        }
        fluent.filter(|_| meets)
    })
}

/// What the narratives of a test tell, in the order of time.
fn facts(stories: &[Clause], case: &Case) -> Vec<(i64, String)> {
    let mut facts = Vec::new();
    for (head, body) in stories {
        let Some(("updateSDE", args)) = head.app() else { continue };
        if args.len() != case.arity || args[0].to_string() != case.scenario {
            continue;
        }
        for goal in body {
            let Some(("assertz", [fact])) = goal.app() else { continue };
            match fact.app() {
                Some(("happensAtIE", [event, time])) => {
                    facts.extend(time.int().map(|time| (time, format!("happensAt({event}, {time})"))));
                }
                Some(("holdsForIESI", [fluent, Term::Tuple(ends)])) => {
                    let fluent = fluent.to_string();
                    let fluent = fluent.trim_end_matches("=true");
                    let (Some(first), Some(end)) = (ends[0].int(), ends[1].int()) else { continue };
                    facts.extend((first..end).map(|time| (time, format!("holdsAt({}, {time})", valued(fluent)))));
                }
                _ => {}
            }
        }
    }
    facts.sort();
    facts.dedup();
    facts
}

/// A fluent as our rules have it: of `visible_person` both values are asked for.
fn valued(fluent: &str) -> String {
    let is_true = fluent.starts_with("visible_person") && !fluent.contains('=');
    format!("{fluent}{}", if is_true { "=true" } else { "" })
}

/// Runs a test.
fn judge((modes, background, theory): Rules, case: &Case, fluent: &str, stories: &[Clause]) -> Verdict {
    let source = |name: &str, text: &str| Source::new(name, text);
    let mut task = Task::parse(&source("modes.lp", modes), &source("background.lp", background))
        .unwrap_or_else(|problems| panic!("{problems}"));
    task.options.tracked = Some(Vec::new());
    task.options.both = Precedence::End;
    let theory = parse_theory("rules.lp", &theory.concat()).unwrap_or_else(|problems| panic!("{problems}"));
    let (end, start) = case.window;
    let derived = theory.clauses.iter().any(|rule| {
        let name = |text: &str| text.split(['(', '=']).next().map(str::to_string);
        rule.head.name.as_str() == "holdsAt" && name(&rule.head.args[0].to_string()) == name(fluent)
    });
    let found = intervals(&task, &theory, &facts(stories, case), end);
    let wanted = fluent.trim_end_matches("=true").replace("(_)", "(chris)");
    let mut spans: Vec<Span> = found
        .iter()
        .filter(|interval| interval.fluent().to_string().replace(' ', "") == wanted)
        // What is seen after the query is not known to it.
        .map(|interval| (interval.first, Some(interval.last + 1).filter(|_| interval.last <= end)))
        .filter(|(first, _)| *first <= end + 1)
        // What was over when the window began is told no more; what others make of it is told one time point longer.
        .filter(|(_, last)| last.is_none_or(|last| last > start + i64::from(!derived)))
        .collect();
    spans.sort_unstable();
    if spans == case.expected {
        return Verdict::Identical;
    }
    let written = |spans: &[Span]| {
        let span = |(first, last): &Span| format!("({first},{})", last.map_or("inf".into(), |last| last.to_string()));
        format!("[{}]", spans.iter().map(span).collect::<Vec<_>>().join(","))
    };
    Verdict::Different(written(&case.expected), written(&spans))
}

/// What is recognised up to the time point after a query, with a time point at every tick.
fn intervals(task: &Task, theory: &Theory, facts: &[(i64, String)], end: i64) -> Vec<Interval> {
    let segment = Symbol::new("main");
    let mut frames = vec![Frame::new(segment, 0)];
    for (time, fact) in facts.iter().filter(|(time, _)| *time <= end) {
        if frames.last().is_none_or(|frame| frame.time < *time) {
            frames.push(Frame::new(segment, *time));
        }
        let frame = frames.last_mut().expect("there is a first frame");
        FactReader::default().read(fact, &mut frame.narrative).unwrap_or_else(|error| panic!("{fact}: {error:?}"));
    }
    frames.push(Frame::new(segment, end + 1));
    let mut recogniser = Recogniser::new(task, theory).unwrap_or_else(|problems| panic!("{problems}"));
    let mut ticks = Ticks::new(task, Every::Tick(1)).skipping(task.settles(theory));
    let mut closed = Vec::new();
    for frame in &frames {
        while let Some(tick) = ticks.before(frame) {
            recogniser.observe(&tick, &mut closed);
        }
        recogniser.observe(frame, &mut closed);
    }
    closed.extend(recogniser.open());
    closed
}
