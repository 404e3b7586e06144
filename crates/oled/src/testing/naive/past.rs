//! What atoms are about, so that it is known which replaces which.

use super::{Past, key};
use crate::lang::{Atom, Exclusive, Mark, Term, Value};
use crate::task::Task;

impl Past {
    /// Nothing yet, for the rules of a task.
    pub fn new(task: &Task) -> Past {
        let members = |set: &Exclusive| set.members.iter().map(|mode| mode.atom.clone()).collect();
        Past {
            horizon: task.bias.horizon,
            points: Vec::new(),
            types: task.bias.observed_types(),
            has_begun: true,
            exclusive: task.bias.exclusive.iter().map(members).collect(),
        }
    }

    /// The predicates whose atoms may be about the same as those of one.
    pub(super) fn with_others(&self, of: &str) -> Vec<String> {
        let mut found = vec![of.to_string()];
        while let Some(next) = self.exclusive.iter().find_map(|set| {
            let keys: Vec<String> = set.iter().map(key).collect();
            let near = keys.iter().any(|k| found.contains(k));
            keys.into_iter().find(|k| near && !found.contains(k))
        }) {
            found.push(next);
        }
        found
    }

    /// What an atom is about, as text: of several atoms about the same, the last one is known. Unless a declaration says
    /// it, that is everything but numbers and the values of fluents.
    pub(super) fn about(&self, atom: &Atom) -> String {
        fn marked(pattern: &Term, term: &Term, found: &mut Vec<String>) -> bool {
            match (pattern, term) {
                (Term::Mark(Mark::Input, _), _) => {
                    found.push(term.to_string());
                    true
                }
                (Term::Mark(..), _) => true,
                (Term::App(f, xs), Term::App(g, ys)) => {
                    f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| marked(x, y, found))
                }
                (pattern, term) => pattern == term,
            }
        }
        fn names(term: &Term) -> String {
            match term {
                Term::Value(Value::Sym(name)) => format!("'{name}'"),
                Term::App(equal, args) if equal.as_str() == "=" => format!("{}=", names(&args[0])),
                Term::App(name, args) => format!("{name}({})", args.iter().map(names).collect::<Vec<_>>().join(",")),
                _ => "_".into(),
            }
        }
        let untimed = &atom.args[..atom.args.len() - 1];
        for (i, set) in self.exclusive.iter().enumerate() {
            for member in set.iter().filter(|m| m.name == atom.name && m.args.len() == atom.args.len()) {
                let mut found = Vec::new();
                if member.args.iter().zip(untimed).all(|(pattern, term)| marked(pattern, term, &mut found)) {
                    return format!("set {i} of {}", found.join(","));
                }
            }
        }
        format!("{}({})", atom.name, untimed.iter().map(names).collect::<Vec<_>>().join(","))
    }
}
