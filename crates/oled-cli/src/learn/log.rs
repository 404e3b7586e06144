//! The log of learning: a line of JSON for each decision.

use std::io::{self, Write};
use std::path::Path;

use oled::event::{Event, EventKind, Observer};
use oled::induce::Figures;
use oled::{Clause, Learned};
use oled_data::Digest;
use serde_json::{Value, json};

use crate::progress::say;
use crate::resumable_file::ResumableFile;

/// A line of JSON for each decision, where a log is wanted, and warnings.
pub(crate) struct Log {
    output: Option<ResumableFile>,
    quiet: bool,
    error: Option<io::Error>,
}

impl Observer for Log {
    fn on(&mut self, event: &Event) {
        if let (EventKind::AssignmentOverflow { variable, assignments, segment, time }, false) =
            (&event.what, self.quiet)
        {
            let (head, variable, segment) = (&event.head, variable.as_str(), segment.as_str());
            say(&format!(
                "warning: {head}: at time {time} of segment `{segment}` the variable `{variable}` and those that occur with \
                 it can be assigned in {assignments} ways, too many to be tried: conditions on them count as false \
                 there\n  hint: narrow the modes that introduce `{variable}`, or set `variables` lower"
            ));
        }
        if let (EventKind::Limited { limit, most, what }, false) = (&event.what, self.quiet) {
            let option = limit.as_str().replace('_', "-");
            say(&format!("warning: {what}\n  hint: `--{option}` is {most}; set it higher, or to `none`"));
        }
        // After a line that is missing no other may follow.
        let Some(output) = self.output.as_mut().filter(|_| self.error.is_none()) else { return };
        let mut line = json!({
            "interpretation": event.interpretation,
            "head": event.head.to_string(),
            "process": event.process,
            "rule": event.rule,
        });
        let more = match &event.what {
            EventKind::Given { clause } => json!({"event": "given", "body": body(clause)}),
            EventKind::Started { bottom } => json!({"event": "started", "bottom": body(bottom)}),
            EventKind::Expanded { from, to, figures } => {
                let mut more = decided("expanded", figures);
                more["from"] = json!(body(from));
                more["to"] = json!(body(to));
                more
            }
            EventKind::Pruned { clause, figures } => {
                let mut more = decided("pruned", figures);
                more["body"] = json!(body(clause));
                more
            }
            EventKind::Chosen { clause, value } => json!({"event": "chosen", "body": body(clause), "value": value}),
            EventKind::Dropped { clause, value } => json!({"event": "dropped", "body": body(clause), "value": value}),
            EventKind::Limited { limit, most, what } => {
                json!({"event": "limited", "limit": limit.as_str(), "most": most, "what": what})
            }
            EventKind::AssignmentOverflow { variable, assignments, segment, time } => json!({
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

/// The conditions of a rule.
fn body(clause: &Clause) -> Vec<String> {
    clause.body.iter().map(ToString::to_string).collect()
}

fn decided(name: &str, f: &Figures) -> Value {
    json!({
        "event": name, "score": f.own, "best": f.best, "gap": f.gap, "epsilon": f.epsilon, "tau": f.tau, "seen": f.n, "tie": f.tie,
    })
}

impl Log {
    /// A log of what a learner does, into a file if there is one; `written` is what it had when the checkpoint was written
    /// that learning goes on from.
    pub(crate) fn new(path: Option<&Path>, quiet: bool, written: Option<Digest>) -> anyhow::Result<Log> {
        let output = path.map(|path| ResumableFile::open(path, written)).transpose()?;
        Ok(Log { output, quiet, error: None })
    }

    /// Whether there is a file that it goes to.
    pub(super) fn is_kept(&self) -> bool {
        self.output.is_some()
    }

    /// Brings all to disk; returns what the log has.
    pub(super) fn sync(&mut self) -> anyhow::Result<Option<Digest>> {
        self.check()?;
        self.output.as_mut().map(ResumableFile::sync).transpose()
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
    pub(super) fn last(&mut self, learned: &Learned) {
        let Some(output) = self.output.as_mut().filter(|_| self.error.is_none()) else { return };
        let Some(before) = &learned.before else { return };
        let printed: Vec<_> = learned.rules.iter().map(|rule| (rule.id, &rule.clause)).collect();
        let dropped = before.iter().filter(|(id, _)| !printed.iter().any(|(other, _)| id == other));
        let chosen = printed.iter().filter(|(id, _)| !before.iter().any(|(other, _)| id == other));
        let dropped = dropped.map(|(id, clause)| ("dropped", *id, clause));
        for (event, (head, rule), clause) in dropped.chain(chosen.map(|(id, clause)| ("chosen", *id, *clause))) {
            let line = json!({
                "interpretation": learned.interpretations, "head": clause.head.to_string(), "process": head, "rule": rule,
                "event": event, "body": body(clause),
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
