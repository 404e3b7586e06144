//! Why nothing was learned, in plain words: the cause first, then the remedy.

use super::evidence::SUPPORT;
use super::question::Refused;
use crate::lang::{Symbol, did_you_mean};
use crate::learn::Missing;

/// What is known of a fluent without rules that start it.
pub(crate) struct Nothing<'a> {
    pub(crate) fluent: Symbol,
    /// Segments that are remembered, those in which the fluent is annotated, and all that there were.
    pub(crate) segments: usize,
    pub(crate) with_event: usize,
    pub(crate) begun: u64,
    /// Annotated intervals.
    pub(crate) intervals: u32,
    /// Time points at which it is annotated, and those of them at which it is about what is not observed.
    pub(crate) positives: u64,
    pub(crate) unobserved: u64,
    /// What did not come with the stream, and what came instead.
    pub(crate) missing: &'a Missing,
    /// Conditions that are true at some time points and false at others.
    pub(crate) conditions: usize,
    pub(crate) refused: Refused,
    pub(crate) penalty: f64,
    pub(crate) max_literals: usize,
    /// Whether the search was ended early.
    pub(crate) cut_short: bool,
}

impl Nothing<'_> {
    /// The first cause that applies, and what to do about it.
    pub(crate) fn tell(&self) -> String {
        let (cause, remedy) = self.cause();
        format!("no rule starts `{}`: {cause}. {remedy}.", self.fluent)
    }

    fn cause(&self) -> (String, String) {
        let Nothing { fluent, segments, with_event, refused, .. } = self;
        let forgotten = (*segments as u64) < self.begun;
        match () {
            () if *segments == 0 => ("there was nothing to learn from".into(), "Give a stream with frames".into()),
            () if self.cut_short => ("the search was ended before it found one".into(), "Give it more time".into()),
            () if *with_event == 0 => self.without_labels(),
            () if (self.intervals as usize) < SUPPORT && forgotten => (
                format!(
                    "{segments} of {} segments are remembered, with {}, and a rule must be right about {SUPPORT}",
                    self.begun,
                    count(self.intervals as usize, "annotated interval")
                ),
                "Let more be remembered with a larger `runs`, or a longer `window`".into(),
            ),
            () if (self.intervals as usize) < SUPPORT => (
                format!(
                    "it has {}, and a rule must be right about {SUPPORT}",
                    count(self.intervals as usize, "annotated interval")
                ),
                "Learn from more of the stream, or label more of it".into(),
            ),
            // Where most labels cannot be recognised, whatever the rules are, nothing else matters.
            () if 2 * self.unobserved > self.positives => unobserved(self.unobserved, self.positives),
            () if self.conditions == 0 && !self.missing.facts.is_empty() => {
                let facts: Vec<String> = self.missing.facts.iter().map(|fact| format!("`{fact}`")).collect();
                (
                    format!("facts that its conditions ask for never come: {}", facts.join(", ")),
                    "Compare the names and the number of arguments in modes.lp with those in the stream".into(),
                )
            }
            () if self.conditions == 0 => (
                "no condition of the modes is true at some time points and false at others".into(),
                "Declare more of what comes with the stream as conditions, with `modeb`".into(),
            ),
            () if self.max_literals < usize::MAX => (
                format!("no rule with at most {} fits well enough", count(self.max_literals, "condition")),
                "Allow more with a larger `max_literals`".into(),
            ),
            () => (
                format!(
                    "no combination of conditions fits `{fluent}` better than its literals cost, {:.4} each{}",
                    self.penalty,
                    refused.tell()
                ),
                "Declare conditions that have to do with it, or let rules in that fit worse with a smaller `penalty`"
                    .into(),
            ),
        }
    }

    /// Why a fluent is never annotated.
    fn without_labels(&self) -> (String, String) {
        let labels = &self.missing.labels;
        let never = format!("it is annotated in none of {}", count(self.segments, "segment"));
        if labels.is_empty() {
            return (never, format!("Label it with `holdsAt({}(…), T)` in `annotation`", self.fluent));
        }
        let mut names: Vec<String> = labels.iter().map(|(name, times)| format!("`{name}` ({times} times)")).collect();
        // Whatever came first.
        names.sort();
        let cause = format!("{never}; the stream has labels that nothing declares: {}", names.join(", "));
        let known = labels.keys().map(|name| name.as_str());
        let remedy = match did_you_mean(self.fluent.as_str(), known) {
            Some(near) => format!("Did you mean `{near}`? Give it the same name in modes.lp and in the stream"),
            None => "Declare them with `example` in modes.lp, or give them the names that are declared".into(),
        };
        (cause, remedy)
    }
}

/// That so many of the annotated time points are of what cannot hold, and what to do about it.
pub(super) fn unobserved(unobserved: u64, positives: u64) -> (String, String) {
    let cause = format!(
        "{unobserved} of the {positives} time points at which it is annotated are about entities that no fact of their frame \
         mentions, or about values that no head speaks of"
    );
    let remedy = "If it goes on while they are not observed, name the types that must be observed in `tracked` of task.toml \
                  (`tracked = []` for none); otherwise let a fact of each frame say who is there, and a `modeh` what is learned";
    (cause, remedy.into())
}

/// A number of things.
fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::Signature;

    /// What is known of `f` where nothing is wrong but the price of literals.
    fn told<'a>(missing: &'a Missing, change: impl FnOnce(&mut Nothing<'a>)) -> String {
        let mut nothing = Nothing {
            fluent: Symbol::new("f"),
            segments: 8,
            with_event: 5,
            begun: 8,
            intervals: 9,
            positives: 100,
            unobserved: 0,
            missing,
            conditions: 6,
            refused: Refused::default(),
            penalty: 0.002,
            max_literals: usize::MAX,
            cut_short: false,
        };
        change(&mut nothing);
        nothing.tell()
    }

    #[test]
    fn each_cause_is_told_with_its_remedy() {
        let fact = Signature::plain(Symbol::new("level"), 3);
        let missing = Missing { facts: vec![fact], ..Missing::default() };
        let mislabelled = Missing { labels: [(Symbol::new("ff"), 12)].into_iter().collect(), ..Missing::default() };
        let other = Missing { labels: [(Symbol::new("speeding"), 3)].into_iter().collect(), ..Missing::default() };
        let all = Missing::default();
        let refused = Refused { unsupported: 4, irrelevant: 2, unlinked: 1, unearned: 5 };
        for (told, expected) in [
            (told(&all, |n| n.segments = 0), "there was nothing to learn from. Give a stream with frames."),
            (told(&all, |n| n.cut_short = true), "the search was ended before it found one. Give it more time."),
            (
                told(&all, |n| n.with_event = 0),
                "it is annotated in none of 8 segments. Label it with `holdsAt(f(…), T)` in `annotation`.",
            ),
            (
                told(&mislabelled, |n| n.with_event = 0),
                "it is annotated in none of 8 segments; the stream has labels that nothing declares: `ff` (12 times). Did you \
                 mean `ff`? Give it the same name in modes.lp and in the stream.",
            ),
            (
                told(&other, |n| n.with_event = 0),
                "it is annotated in none of 8 segments; the stream has labels that nothing declares: `speeding` (3 times). \
                 Declare them with `example` in modes.lp, or give them the names that are declared.",
            ),
            (
                told(&all, |n| (n.segments, n.intervals) = (2, 2)),
                "2 of 8 segments are remembered, with 2 annotated intervals, and a rule must be right about 3. Let more be \
                 remembered with a larger `runs`, or a longer `window`.",
            ),
            (
                told(&all, |n| n.intervals = 1),
                "it has 1 annotated interval, and a rule must be right about 3. Learn from more of the stream, or label more \
                 of it.",
            ),
            (
                told(&all, |n| n.unobserved = 60),
                "60 of the 100 time points at which it is annotated are about entities that no fact of their frame mentions, \
                 or about values that no head speaks of. If it goes on while they are not observed, name the types that must be observed in `tracked` of task.toml \
                 (`tracked = []` for none); otherwise let a fact of each frame say who is there, and a `modeh` what is learned.",
            ),
            (
                told(&missing, |n| n.conditions = 0),
                "facts that its conditions ask for never come: `level(_, _, _)`. Compare the names and the number of \
                 arguments in modes.lp with those in the stream.",
            ),
            (
                told(&all, |n| n.conditions = 0),
                "no condition of the modes is true at some time points and false at others. Declare more of what comes with \
                 the stream as conditions, with `modeb`.",
            ),
            (
                told(&all, |n| n.max_literals = 1),
                "no rule with at most 1 condition fits well enough. Allow more with a larger `max_literals`.",
            ),
            (
                told(&all, |n| n.refused = refused),
                "no combination of conditions fits `f` better than its literals cost, 0.0020 each (refused: 4 that are right \
                 about too few intervals, 2 with a condition that speaks for nothing, 1 that relate nothing to each other, 5 \
                 with a condition whose difference could be chance). Declare conditions that have to do with it, or let rules in that fit worse with a smaller `penalty`.",
            ),
        ] {
            assert_eq!(told, format!("no rule starts `f`: {expected}"));
        }
    }
}
