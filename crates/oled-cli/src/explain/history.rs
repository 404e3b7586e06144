//! The history of learned rules, from the log of `oled learn`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, anyhow};
use indexmap::IndexMap;
use oled::{Clause, Theory};
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
    from: BTreeSet<String>,
    #[serde(default)]
    to: BTreeSet<String>,
    #[serde(flatten)]
    figures: Figures,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Event {
    Started,
    Expanded,
    Pruned,
}

/// What a decision was made from.
#[derive(Default, Deserialize, Serialize)]
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
pub(super) struct History {
    head: String,
    body: BTreeSet<String>,
    /// The interpretation, and the literals of the bottom clause; `None` for a rule that was given.
    started: Option<(u64, usize)>,
    steps: Vec<Step>,
    pruned: Option<u64>,
}

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
        .map(|&n| &theory.clauses[n])
        .map(|c| (c.head.to_string(), c.body.iter().map(ToString::to_string).collect()))
        .collect();
    let of = |h: &History| clauses.iter().position(|(head, body)| *head == h.head && *body == h.body);
    let mut found: Vec<Option<History>> = clauses.iter().map(|_| None).collect();
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
        let key = (line.process, line.rule);
        let history = alive.entry(key).or_insert_with(|| History {
            head: line.head.clone(),
            body: line.from.clone(),
            started: None,
            steps: Vec::new(),
            pruned: None,
        });
        match line.event {
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
                let history = alive.swap_remove(&key).expect("it was just there");
                if let Some(at) = of(&history) {
                    found[at] = Some(history);
                }
            }
        }
    }
    for (_, history) in alive {
        if let Some(at) = of(&history) {
            found[at] = Some(history);
        }
    }
    Ok(found)
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
        return writeln!(text, "  not in the log: no rule ended with this head and body");
    };
    match history.started {
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
