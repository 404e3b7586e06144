//! The history of learned rules, from the log of `oled learn`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, anyhow};
use indexmap::IndexMap;
use oled::lang::for_each_hole;
use oled::{Atom, Clause, Formula, Literal, Symbol, Term, Theory};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A line of the log; which fields it has depends on the event.
#[derive(Deserialize)]
struct Line {
    interpretation: u64,
    head: String,
    process: usize,
    rule: u64,
    event: Event,
    #[serde(default)]
    bottom: Vec<String>,
    #[serde(default)]
    body: BTreeSet<String>,
    #[serde(default)]
    from: BTreeSet<String>,
    #[serde(default)]
    to: BTreeSet<String>,
    value: Option<f64>,
    #[serde(flatten)]
    figures: Figures,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Event {
    Given,
    Started,
    Expanded,
    Pruned,
    Chosen,
    Dropped,
    /// Nothing that is about one rule.
    #[serde(other)]
    Other,
}

/// What a decision was made from.
#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(default)]
struct Figures {
    score: Option<f64>,
    best: Option<f64>,
    gap: Option<f64>,
    epsilon: Option<f64>,
    tau: Option<f64>,
    seen: Option<f64>,
    tie: bool,
}

/// What happened to a rule.
#[derive(Clone)]
pub(super) struct History {
    head: String,
    body: BTreeSet<String>,
    /// The body it was given with, if it was.
    given: Option<BTreeSet<String>>,
    /// The interpretation, and the literals of the bottom clause; `None` for a rule that was given.
    started: Option<(u64, usize)>,
    steps: Vec<Step>,
    pruned: Option<u64>,
    choices: Vec<Choice>,
}

/// A rule comes into the theory, or goes.
#[derive(Clone, Serialize)]
struct Choice {
    interpretation: u64,
    chosen: bool,
    /// What the theory is worth from then on, if it was told.
    value: Option<f64>,
}

#[derive(Clone)]
struct Step {
    interpretation: u64,
    added: Vec<String>,
    /// Those that the added ones imply.
    dropped: Vec<String>,
    figures: Figures,
}

/// The histories of some rules of a theory, as far as the log tells them.
pub(super) fn read(path: &Path, theory: &Theory, numbers: &[usize]) -> anyhow::Result<Vec<Option<History>>> {
    let clauses: Vec<(String, BTreeSet<String>)> = numbers
        .iter()
        .map(|&n| as_in_a_log(&theory.clauses[n]))
        .map(|c| (c.head.to_string(), c.body.iter().map(ToString::to_string).collect()))
        .collect();
    let mut found: Vec<Option<History>> = clauses.iter().map(|_| None).collect();
    // A rule of the theory is what a history ended with, or what it began with where rules were given.
    let mut keep = |history: History| {
        let of = |b: &BTreeSet<String>| clauses.iter().position(|(head, body)| *head == history.head && body == b);
        if let Some(at) = history.given.as_ref().and_then(of).filter(|at| found[*at].is_none()) {
            found[at] = Some(history.clone());
        }
        if let Some(at) = of(&history.body) {
            found[at] = Some(history);
        }
    };
    let mut alive: IndexMap<(usize, u64), History, FxBuildHasher> = IndexMap::default();
    let file = File::open(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    for (i, text) in BufReader::new(file).lines().enumerate() {
        let text = text.with_context(|| format!("cannot read `{}`", path.display()))?;
        if text.trim().is_empty() {
            continue;
        }
        let line: Line = serde_json::from_str(&text).map_err(|error| {
            let place = format!("{}:{}", path.display(), i + 1);
            anyhow!("{place}: this is no line of a log: {error}\nhint: `oled learn --log FILE` writes one")
        })?;
        if matches!(line.event, Event::Other) {
            continue;
        }
        let key = (line.process, line.rule);
        let history = alive.entry(key).or_insert_with(|| History {
            head: line.head.clone(),
            body: line.from.clone(),
            given: None,
            started: None,
            steps: Vec::new(),
            pruned: None,
            choices: Vec::new(),
        });
        match line.event {
            Event::Chosen | Event::Dropped => {
                let chosen = matches!(line.event, Event::Chosen);
                let Line { interpretation, value, .. } = line;
                history.choices.push(Choice { interpretation, chosen, value });
                history.body = line.body;
            }
            Event::Other => {}
            Event::Given => {
                history.body = line.body.clone();
                history.given = Some(line.body);
            }
            Event::Started => history.started = Some((line.interpretation, line.bottom.len())),
            Event::Expanded => {
                let (added, dropped) = (line.to.difference(&line.from), line.from.difference(&line.to));
                let (added, dropped) = (added.cloned().collect(), dropped.cloned().collect());
                history.steps.push(Step { interpretation: line.interpretation, added, dropped, figures: line.figures });
                history.body = line.to;
            }
            Event::Pruned => {
                history.pruned = Some(line.interpretation);
                // A rule that was given up is kept only for a theory that was printed before.
                keep(alive.swap_remove(&key).expect("it was just there"));
            }
        }
    }
    alive.into_values().for_each(keep);
    Ok(found)
}

/// A clause with the names that the variables of heads have in a log: `X0`, `X1` and so on, and `T`.
fn as_in_a_log(clause: &Clause) -> Clause {
    let mut holes = Vec::new();
    for_each_hole(&clause.head.args, &mut |term| holes.push(term.clone()));
    let mut names: Vec<(Symbol, Term)> = Vec::new();
    let last = holes.len().saturating_sub(1);
    for (i, hole) in holes.into_iter().enumerate() {
        if let Term::Var(name) = hole {
            let new = if i == last { Term::var("T") } else { Term::var(&format!("X{}", names.len())) };
            names.push((name, new));
        }
    }
    let atom = |a: &Atom| Atom { args: a.args.iter().map(|t| renamed(t, &names)).collect(), ..a.clone() };
    let literal = |l: &Literal| Literal {
        formula: match &l.formula {
            Formula::Atom(a) => Formula::Atom(atom(a)),
            Formula::Compare(op, a, b) => Formula::Compare(*op, renamed(a, &names), renamed(b, &names)),
        },
        ..l.clone()
    };
    Clause { head: atom(&clause.head), body: clause.body.iter().map(literal).collect(), ..clause.clone() }
}

fn renamed(term: &Term, names: &[(Symbol, Term)]) -> Term {
    match term {
        Term::Var(name) => names.iter().find(|(n, _)| n == name).map_or_else(|| term.clone(), |(_, t)| t.clone()),
        Term::App(name, args) => Term::App(*name, args.iter().map(|a| renamed(a, names)).collect()),
        term => term.clone(),
    }
}

/// A rule and its history, for people.
pub(super) fn to_text(number: usize, clause: &Clause, history: Option<&History>) -> String {
    let rule: String = clause.to_string().lines().map(|line| ["  ", line, "\n"].concat()).collect();
    let mut text = format!("rule {}\n{rule}", number + 1);
    write(&mut text, history).expect("strings can be written to");
    text
}

fn write(text: &mut String, history: Option<&History>) -> std::fmt::Result {
    let Some(history) = history else {
        return writeln!(text, "  not in the log: no rule began or ended with this head and body");
    };
    for Choice { interpretation, chosen, value } in &history.choices {
        let what = if *chosen { "chosen" } else { "dropped" };
        write!(text, "  {what} at time point {interpretation}")?;
        match value {
            Some(value) => writeln!(text, ": the theory is worth {value:.3} from then on")?,
            None => writeln!(text)?,
        }
    }
    match history.started {
        _ if !history.choices.is_empty() => {}
        Some((at, 1)) => writeln!(text, "  started at interpretation {at} from a bottom clause of 1 literal")?,
        Some((at, n)) => writeln!(text, "  started at interpretation {at} from a bottom clause of {n} literals")?,
        None => writeln!(text, "  given to start from")?,
    }
    for Step { interpretation, added, dropped, figures } in &history.steps {
        writeln!(text, "  expanded at interpretation {interpretation}")?;
        added.iter().try_for_each(|literal| writeln!(text, "    + {literal}"))?;
        dropped.iter().try_for_each(|literal| writeln!(text, "    - {literal}, which is implied now"))?;
        let number =
            |x: Option<f64>, digits: usize| x.map_or_else(|| "unknown".to_string(), |x| format!("{x:.digits$}"));
        let Figures { score, best, gap, epsilon, tau, seen, tie } = figures;
        writeln!(
            text,
            "    score {} to {}, gap {}, epsilon {}, tau {}, N {}{}",
            number(*score, 3),
            number(*best, 3),
            number(*gap, 4),
            number(*epsilon, 4),
            number(*tau, 4),
            seen.map_or_else(|| "unknown".to_string(), |n| n.to_string()),
            if *tie { ": a tie, broken" } else { "" },
        )?;
    }
    history.pruned.map_or(Ok(()), |at| writeln!(text, "  given up at interpretation {at}"))
}

/// The same as data.
pub(super) fn to_json(number: usize, clause: &Clause, history: Option<&History>) -> Value {
    let mut object = json!({"rule": number + 1, "clause": clause.to_string(), "found": history.is_some()});
    let Some(history) = history else { return object };
    if !history.choices.is_empty() {
        object["choices"] = json!(history.choices);
        return object;
    }
    object["started"] = json!(history.started.map(|(at, n)| json!({"interpretation": at, "bottom": n})));
    let steps = history.steps.iter().map(|step| {
        let mut entry = json!({"interpretation": step.interpretation, "added": step.added, "dropped": step.dropped});
        if let (Value::Object(entry), Value::Object(figures)) = (&mut entry, json!(step.figures)) {
            entry.extend(figures);
        }
        entry
    });
    object["expanded"] = steps.collect();
    object["pruned"] = json!(history.pruned);
    object
}
