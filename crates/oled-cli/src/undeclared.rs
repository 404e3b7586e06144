//! Undeclared: facts of a stream that no declaration knows are passed over, and counted: a misspelt name is told at the end.

use indexmap::IndexMap;
use oled::lang::nearest_path;
use oled::{Facts, Signature, Task};
use rustc_hash::FxBuildHasher;

/// How many facts of which predicates the task does not declare. Only the narrative counts: labels that a task does not
/// ask for are nobody's mistake.
pub(crate) struct Undeclared {
    known: Vec<Signature>,
    /// By the number of a signature, so that a fact that is declared costs one look.
    declared: Vec<bool>,
    passed: IndexMap<Signature, u64, FxBuildHasher>,
}

/// So many predicates are named.
const NAMED: usize = 3;

impl Undeclared {
    /// Nothing counted yet.
    pub(crate) fn new(task: &Task) -> Undeclared {
        let known: Vec<Signature> = task.bias.inputs.iter().map(oled::Mode::signature).chain(task.labels()).collect();
        let mut declared = vec![false; known.iter().map(|s| s.index() + 1).max().unwrap_or(0)];
        known.iter().for_each(|s| declared[s.index()] = true);
        Undeclared { known, declared, passed: IndexMap::default() }
    }

    /// Counts the facts of a frame.
    pub(crate) fn count(&mut self, narrative: &Facts) {
        for (signature, _) in narrative.iter() {
            if !self.declared.get(signature.index()).is_some_and(|d| *d) {
                *self.passed.entry(signature).or_default() += 1;
            }
        }
    }

    /// What was counted so far, to be written.
    pub(crate) fn passed(&self) -> &IndexMap<Signature, u64, FxBuildHasher> {
        &self.passed
    }

    /// Goes on with what was written.
    pub(crate) fn restore(&mut self, passed: IndexMap<Signature, u64, FxBuildHasher>) {
        self.passed = passed;
    }

    /// What to tell, if anything was passed over.
    pub(crate) fn warning(&self) -> Option<String> {
        let mut passed: Vec<(Signature, u64)> = self.passed.iter().map(|(s, n)| (*s, *n)).collect();
        passed.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let total: u64 = passed.iter().map(|(_, count)| count).sum();
        let first = passed.first()?.0;
        let predicates = match passed.len() {
            1 => "a predicate".to_string(),
            n => format!("{n} predicates"),
        };
        let mut names: Vec<String> = passed.iter().take(NAMED).map(|(s, n)| format!("`{s}` ({n})")).collect();
        if passed.len() > NAMED {
            names.push("…".into());
        }
        let facts = if total == 1 { "1 fact".to_string() } else { format!("{total} facts") };
        let were = if total == 1 { "was" } else { "were" };
        let hint = match passed.iter().find_map(|(s, _)| self.nearest(*s)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("if rules need such facts, declare them: `input({}).`", first.fill(first.markers())),
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
}
