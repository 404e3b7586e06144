//! Undeclared: facts of a stream that no declaration knows are passed over, and counted: a misspelt name is told at the end.

use std::borrow::Cow;

use indexmap::IndexMap;
use oled::lang::nearest_path;
use oled::{Facts, Signature, Task};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

/// How many facts of which predicates the task does not declare. Only the narrative counts: labels that a task does not
/// ask for are nobody's mistake.
pub(crate) struct Undeclared {
    known: Vec<Signature>,
    /// By the number of a signature, so that a fact that is declared costs one look.
    declared: Vec<bool>,
    passed: Passed,
}

/// What was passed over.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Passed {
    /// How many facts of each predicate, of the first of them.
    counts: IndexMap<Signature, u64, FxBuildHasher>,
    /// How many facts of others.
    others: u64,
}

/// So many predicates are named.
const NAMED: usize = 3;

/// So many are counted one by one: a stream whose facts are all of their own form fills neither memory nor checkpoints.
const COUNTED: usize = 1000;

/// A predicate is shown by as many characters.
const SHOWN: usize = 100;

impl Undeclared {
    /// Nothing counted yet.
    pub(crate) fn new(task: &Task) -> Undeclared {
        let known: Vec<Signature> = task.bias.inputs.iter().map(oled::Mode::signature).chain(task.labels()).collect();
        let mut declared = vec![false; known.iter().map(|s| s.index() + 1).max().unwrap_or(0)];
        known.iter().for_each(|s| declared[s.index()] = true);
        Undeclared { known, declared, passed: Passed::default() }
    }

    /// Counts the facts of a frame.
    pub(crate) fn count(&mut self, narrative: &Facts) {
        for (signature, _) in narrative.iter() {
            if !self.declared.get(signature.index()).is_some_and(|d| *d) {
                let Passed { counts, others } = &mut self.passed;
                if let Some(count) = counts.get_mut(&signature) {
                    *count += 1;
                } else if counts.len() < COUNTED {
                    counts.insert(signature, 1);
                } else {
                    *others += 1;
                }
            }
        }
    }

    /// What was counted so far, to be written.
    pub(crate) fn passed(&self) -> &Passed {
        &self.passed
    }

    /// Goes on with what was written.
    pub(crate) fn restore(&mut self, passed: Passed) {
        self.passed = passed;
    }

    /// What to tell, if anything was passed over.
    pub(crate) fn warning(&self) -> Option<String> {
        let mut passed: Vec<(Signature, u64)> = self.passed.counts.iter().map(|(s, n)| (*s, *n)).collect();
        passed.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let total = passed.iter().map(|(_, count)| count).sum::<u64>() + self.passed.others;
        let first = passed.first()?.0;
        let predicates = match passed.len() {
            1 => "a predicate".to_string(),
            n if self.passed.others > 0 => format!("more than {n} predicates"),
            n => format!("{n} predicates"),
        };
        let mut names: Vec<String> =
            passed.iter().take(NAMED).map(|(s, n)| format!("`{}` ({n})", cut(&s.to_string()))).collect();
        if passed.len() > NAMED {
            names.push("…".into());
        }
        let facts = if total == 1 { "1 fact".to_string() } else { format!("{total} facts") };
        let were = if total == 1 { "was" } else { "were" };
        let hint = match passed.iter().find_map(|(s, _)| self.nearest(*s)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "if rules need such facts, declare them: `input({}).`",
                cut(&first.fill(first.markers()).to_string())
            ),
        };
        let names = names.join(", ");
        Some(format!(
            "warning: {facts} of {predicates} that the task does not declare {were} passed over: {names}\nhint: {hint}"
        ))
    }

    fn nearest(&self, signature: Signature) -> Option<Signature> {
        let paths: Vec<String> = self.known.iter().map(|s| s.path()).collect();
        let path = signature.path();
        // The same names with another number of arguments are nearest of all.
        let near =
            if paths.contains(&path) { path.as_str() } else { nearest_path(&path, paths.iter().map(String::as_str))? };
        self.known.iter().copied().find(|s| s.path() == near)
    }
}

/// As much of a text as a line has room for.
fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oled::{FactReader, Source};

    fn warning(facts: &[&str]) -> Option<String> {
        let modes = "input(happensAt(walking(+person), +time)). input(seen(+person, +time)). example(holdsAt(alone(+person), +time)).";
        let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap();
        let mut undeclared = Undeclared::new(&task);
        let mut narrative = Facts::default();
        for fact in facts {
            FactReader::default().read(fact, &mut narrative).unwrap();
        }
        undeclared.count(&narrative);
        undeclared.warning()
    }

    #[test]
    fn what_is_declared_is_not_told() {
        assert_eq!(warning(&["happensAt(walking(p1), 1)", "holdsAt(alone(p1), 1)"]), None);
    }

    #[test]
    fn a_misspelt_name_gets_a_suggestion() {
        assert_eq!(
            warning(&["weather(rain, 1)", "happensAt(wlking(p1), 1)", "happensAt(wlking(p2), 1)"]).unwrap(),
            "warning: 3 facts of 2 predicates that the task does not declare were passed over: \
             `happensAt(wlking(_), _)` (2), `weather(_, _)` (1)\nhint: did you mean `happensAt(walking(_), _)`?"
        );
        assert!(warning(&["seen(p1, near, 1)"]).unwrap().ends_with("hint: did you mean `seen(_, _)`?"));
    }

    #[test]
    fn what_is_like_nothing_can_be_declared() {
        assert_eq!(
            warning(&["weather(rain, 1)"]).unwrap(),
            "warning: 1 fact of a predicate that the task does not declare was passed over: `weather(_, _)` (1)\n\
             hint: if rules need such facts, declare them: `input(weather(+type, +time)).`"
        );
    }

    #[test]
    fn a_fact_with_very_many_arguments_makes_a_short_warning() {
        let long = format!("p({}1)", "a, ".repeat(100_000));
        let warning = warning(&[&long]).unwrap();
        assert!(warning.len() < 600 && warning.contains("…` (1)"), "{warning}");
    }

    #[test]
    fn facts_that_are_all_of_their_own_form_fill_no_checkpoint() {
        let modes = "input(happensAt(walking(+person), +time)).";
        let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap();
        let mut undeclared = Undeclared::new(&task);
        let count = |undeclared: &mut Undeclared, forms: usize| {
            let mut narrative = Facts::default();
            for i in 0..forms {
                FactReader::default().read(&format!("form{i}(a, 1)"), &mut narrative).unwrap();
            }
            undeclared.count(&narrative);
            oled::state::encode(undeclared.passed()).len()
        };
        let size = count(&mut undeclared, COUNTED);
        assert!(count(&mut undeclared, 10 * COUNTED) < size + 1100, "counters grow, and nothing else does");
        let mut again = Undeclared::new(&task);
        again.restore(undeclared.passed().clone());
        let warning = again.warning().unwrap();
        assert!(warning.contains("11000 facts of more than 1000 predicates"), "{warning}");
    }
}
