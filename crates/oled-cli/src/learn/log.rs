//! The log of learning: a line of JSON for each decision.

use std::io::{self, Write};
use std::path::Path;

use oled::event::{Event, Observer, What};
use oled::induce::{Decision, Mask};
use oled::learn::Grounds;
use oled::{Learned, Learner, Literal};
use oled_data::Digest;
use serde_json::{Value, json};

use crate::growing::Growing;
use crate::progress::say;

/// A line of JSON for each decision, where a log is wanted, and warnings.
pub(super) struct Log {
    output: Option<Growing>,
    /// Knows the literals of bodies.
    learner: Box<dyn Learner>,
    heads: Vec<String>,
    quiet: bool,
    error: Option<io::Error>,
}

impl Observer for Log {
    fn on(&mut self, event: &Event) {
        if let (What::TooMany { variable, assignments, segment, time }, false) = (&event.what, self.quiet) {
            let (head, variable, segment) = (&self.heads[event.process], variable.as_str(), segment.as_str());
            say(&format!(
                "warning: {head}: at time {time} of segment `{segment}` the variable `{variable}` and those that occur with \
                 it can be assigned in {assignments} ways, too many to be tried: conditions on them count as false \
                 there\n  hint: narrow the modes that introduce `{variable}`, or set `variables` lower"
            ));
        }
        if let (What::Limited { limit, most, what }, false) = (&event.what, self.quiet) {
            let option = limit.as_str().replace('_', "-");
            say(&format!("warning: {what}\n  hint: `--{option}` is {most}; set it higher, or to `none`"));
        }
        // After a line that is missing no other may follow.
        let Some(output) = self.output.as_mut().filter(|_| self.error.is_none()) else { return };
        let body = |mask: &Mask| texts(&self.learner.body(event.process, mask.clone()));
        let mut line = json!({
            "interpretation": event.interpretation,
            "head": self.heads[event.process],
            "process": event.process,
            "rule": event.rule,
        });
        let more = match &event.what {
            What::Given { body: at } => json!({"event": "given", "body": body(at)}),
            What::Started { bottom } => json!({"event": "started", "bottom": body(bottom)}),
            What::Expanded { from, decision } => {
                let mut more = figures("expanded", decision);
                more["from"] = json!(body(from));
                more["to"] = json!(body(&decision.body));
                more
            }
            What::Pruned { body: at, decision } => {
                let mut more = figures("pruned", decision);
                more["body"] = json!(body(at));
                more
            }
            What::Chosen { clause, value } => json!({"event": "chosen", "body": texts(&clause.body), "value": value}),
            What::Dropped { clause, value } => json!({"event": "dropped", "body": texts(&clause.body), "value": value}),
            What::Limited { limit, most, what } => {
                json!({"event": "limited", "limit": limit.as_str(), "most": most, "what": what})
            }
            What::TooMany { variable, assignments, segment, time } => json!({
                "event": "too_many", "variable": variable.as_str(), "assignments": assignments,
                "segment": segment.as_str(), "time": time,
            }),
        };
        if let (Value::Object(line), Value::Object(more)) = (&mut line, more) {
            line.extend(more);
        }
        if let Err(error) = writeln!(output, "{line}") {
            self.error.get_or_insert(error);
        }
    }
}

fn texts(body: &[Literal]) -> Vec<String> {
    body.iter().map(ToString::to_string).collect()
}

fn figures(name: &str, d: &Decision) -> Value {
    json!({
        "event": name, "score": d.own, "best": d.best, "gap": d.gap, "epsilon": d.epsilon, "tau": d.tau, "seen": d.n, "tie": d.tie,
    })
}

impl Log {
    /// A log of what a learner does, into a file if there is one; `written` is what it had when the checkpoint was written
    /// that learning goes on from.
    pub(super) fn new(
        path: Option<&Path>,
        learner: &mut dyn Learner,
        quiet: bool,
        written: Option<Digest>,
    ) -> anyhow::Result<Log> {
        let output = path.map(|path| Growing::open(path, written)).transpose()?;
        let heads = learner.heads().iter().map(ToString::to_string).collect();
        Ok(Log { output, learner: learner.copy(), heads, quiet, error: None })
    }

    /// Brings all to disk; returns what the log has.
    pub(super) fn sync(&mut self) -> anyhow::Result<Option<Digest>> {
        self.check()?;
        self.output.as_mut().map(Growing::sync).transpose()
    }

    /// Whether all lines could be written so far.
    fn check(&self) -> anyhow::Result<()> {
        match (&self.error, &self.output) {
            (Some(error), Some(output)) => Err(output.failed(io::Error::new(error.kind(), error.to_string()))),
            _ => Ok(()),
        }
    }

    /// Tells what the last look at all that is remembered has changed, where a learner takes one: what is printed is
    /// what was chosen last.
    pub(super) fn last(&mut self, learner: &mut dyn Learner, learned: &Learned) {
        let Some(output) = self.output.as_mut().filter(|_| self.error.is_none()) else { return };
        let printed = learned.rules.iter().filter(|rule| matches!(rule.grounds, Grounds::Replayed(_)));
        let printed: Vec<_> = printed.map(|rule| (rule.id, &rule.clause)).collect();
        if learned.fits.is_empty() {
            return;
        }
        let at_work: Vec<_> = learner.at_work().into_iter().map(|(head, rule, _)| (head, rule)).collect();
        let theory = learner.theory();
        let dropped = at_work.iter().copied().zip(&theory.clauses);
        let dropped = dropped.filter(|(id, _)| !printed.iter().any(|(other, _)| id == other));
        let chosen = printed.iter().copied().filter(|(id, _)| !at_work.contains(id));
        let dropped = dropped.map(|(id, clause)| ("dropped", id, clause));
        for (event, (head, rule), clause) in dropped.chain(chosen.map(|(id, clause)| ("chosen", id, clause))) {
            let line = json!({
                "interpretation": learned.interpretations, "head": self.heads[head], "process": head, "rule": rule,
                "event": event, "body": texts(&clause.body),
            });
            if let Err(error) = writeln!(output, "{line}") {
                self.error.get_or_insert(error);
            }
        }
    }

    pub(super) fn flush(&mut self) -> anyhow::Result<()> {
        match &mut self.output {
            Some(output) => output.flush().map_err(|error| output.failed(error)),
            None => Ok(()),
        }
    }

    pub(super) fn finish(mut self) -> anyhow::Result<()> {
        self.check()?;
        self.flush()
    }
}
