//! Types: what variables and constants range over, from the declarations and through the variables of rules.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::rounds::Rounds;
use super::skeleton::family;
use super::{Check, Predicate, Role, atoms};
use crate::lang::{Atom, Bias, Clause, Diagnostic, Kind, Signature, Symbol, TIME, Term, Value, for_each_hole};

impl Check<'_> {
    /// Types of columns, from the declarations and through the variables of rules; clashes are reported.
    pub(super) fn types(&mut self, rules: &[&Clause]) {
        for mode in self.bias.modes() {
            self.type_from_mode(&mode.atom, &mode.types());
        }
        self.type_candidates();
        for rule in rules {
            if let ([], [Term::Value(value)]) = (rule.body.as_slice(), rule.head.args.as_slice()) {
                self.vocabulary.enumerations.entry(rule.head.name).or_default().push(*value);
            }
        }
        let names: Vec<Symbol> = self.bias.modes().flat_map(|m| m.types().into_iter().flatten()).collect();
        let unary: Vec<Signature> = self.vocabulary.predicates.keys().copied().filter(|s| s.arity() == 1).collect();
        for signature in unary {
            let predicate = &mut self.vocabulary.predicates[&signature];
            // The facts of a type: `distance(24).`
            if predicate.role == Role::Static && names.contains(&signature.name()) {
                predicate.types[0] = Some(signature.name());
            }
        }
        for (signature, predicate) in &mut self.vocabulary.predicates {
            if let Role::Type(name) = predicate.role {
                predicate.types[0] = Some(name);
            }
            if predicate.timed {
                debug_assert!(signature.arity() > 0, "timed predicates have a time");
                if let Some(last) = predicate.types.last_mut() {
                    *last = Some(Symbol::new(TIME));
                }
            }
        }
        // Heads take the types of their variables, until nothing changes.
        let is_past = |(i, p): (usize, &Predicate)| matches!(p.role, Role::Past(_)).then_some(i);
        let pasts: Vec<usize> = self.vocabulary.predicates.values().enumerate().filter_map(is_past).collect();
        let mut rounds = Rounds::new(self, rules);
        loop {
            self.type_pasts(&pasts).into_iter().for_each(|signature| rounds.changed(signature, None));
            if !rounds.again() {
                break;
            }
            while let Some(i) = rounds.next() {
                self.type_head(rules[i]).into_iter().for_each(|signature| rounds.changed(signature, Some(i)));
            }
        }
        for rule in rules {
            self.type_clashes(rule);
        }
    }

    fn type_from_mode(&mut self, atom: &Atom, types: &[Option<Symbol>]) {
        for signature in family(Signature::of(atom)) {
            let Some(predicate) = self.vocabulary.predicates.get_mut(&signature) else { continue };
            let mut clash = None;
            for (column, (known, kind)) in predicate.types.iter_mut().zip(types).enumerate() {
                match (&known, kind) {
                    (None, Some(kind)) => *known = Some(*kind),
                    (Some(a), Some(b)) if a != b && !compatible(self.bias, *a, *b) => clash = Some((*a, *b, column)),
                    _ => {}
                }
            }
            if let Some((a, b, column)) = clash {
                let place = predicate.place.place();
                self.report(
                    Diagnostic::new(
                        &atom.span,
                        format!("argument {} of `{signature}` is a `{b}` here and a `{a}` elsewhere", column + 1),
                    )
                    .hint(format!("the other declaration is at {place}")),
                );
                return;
            }
        }
    }

    /// The types that variables have in a rule, with the literal each comes from; the first one wins.
    fn variable_types<'r>(&self, rule: &'r Clause) -> IndexMap<Symbol, (Symbol, &'r Atom), FxBuildHasher> {
        let mut types = IndexMap::default();
        for atom in atoms(rule).chain([&rule.head]) {
            self.for_each_typed(atom, |term, kind| {
                if let Term::Var(name) = term {
                    types.entry(*name).or_insert((kind, atom));
                }
            });
        }
        types
    }

    fn for_each_typed<'r>(&self, atom: &'r Atom, mut f: impl FnMut(&'r Term, Symbol)) {
        let Some(predicate) = self.vocabulary.predicates.get(&Signature::of(atom)) else { return };
        let mut column = 0;
        for_each_hole(&atom.args, &mut |term| {
            if let Some(kind) = predicate.types[column] {
                f(term, kind);
            }
            column += 1;
        });
    }

    /// Gives the types of variables to the head of a rule; returns the predicates of which more is known then.
    fn type_head(&mut self, rule: &Clause) -> Vec<Signature> {
        let types = self.variable_types(rule);
        let signature = Signature::of(&rule.head);
        let mut found = Vec::new();
        let mut column = 0;
        for_each_hole(&rule.head.args, &mut |term| {
            if let Term::Var(name) = term
                && let Some((kind, _)) = types.get(name)
            {
                found.push((column, *kind));
            }
            column += 1;
        });
        let mut changed = Vec::new();
        for name in family(signature) {
            let Some(predicate) = self.vocabulary.predicates.get_mut(&name) else { continue };
            let before = changed.len();
            for &(column, kind) in &found {
                // `initially` has no time.
                if let Some(unknown @ None) = predicate.types.get_mut(column) {
                    *unknown = Some(kind);
                    changed.truncate(before);
                    changed.push(name);
                }
            }
        }
        changed
    }

    /// What looks back has the types of what it looks back at, and a number of time units before the time. Returns the
    /// predicates of which more is known then.
    fn type_pasts(&mut self, pasts: &[usize]) -> Vec<Signature> {
        let mut changed = Vec::new();
        for &i in pasts {
            let (&signature, &Predicate { role: Role::Past(past), .. }) =
                self.vocabulary.predicates.get_index(i).expect("a place among the predicates")
            else {
                continue;
            };
            let Some(base) = self.vocabulary.predicates.get(&past.base) else { continue };
            let types = past.types(&base.types);
            let known = &mut self.vocabulary.predicates[i].types;
            if *known != types {
                *known = types;
                changed.push(signature);
            }
        }
        changed
    }

    fn type_clashes(&mut self, rule: &Clause) {
        let types = self.variable_types(rule);
        let mut problems = Vec::new();
        for atom in atoms(rule).chain([&rule.head]) {
            self.for_each_typed(atom, |term, kind| match term {
                Term::Var(name) => {
                    let (first, place) = types[name];
                    let place = self.written(place);
                    if first != kind && !compatible(self.bias, first, kind) && name.as_str() != "_" {
                        problems.push(
                            Diagnostic::new(
                                &atom.span.find_word(name.as_str()),
                                format!("`{}` is a `{kind}` here and a `{first}` in `{place}`", name.as_str()),
                            )
                            .hint("use two variables, or give both arguments the same type"),
                        );
                    }
                }
                Term::Value(value) => problems.extend(self.constant_clash(atom, *value, kind)),
                _ => {}
            });
        }
        problems.into_iter().for_each(|p| self.report(p));
    }

    fn constant_clash(&self, atom: &Atom, value: Value, kind: Symbol) -> Option<Diagnostic> {
        let span = atom.span.find_word(&value.to_string());
        if !self.bias.kind_of(kind).has(value) {
            let wanted = match self.bias.kind_of(kind) {
                Kind::Symbol => "names",
                Kind::Int => "integers",
                _ => "numbers",
            };
            return Some(
                Diagnostic::new(&span, format!("`{value}` is not a `{kind}`"))
                    .hint(format!("the values of `{kind}` are {wanted}")),
            );
        }
        let known = self.vocabulary.enumerations.get(&kind)?;
        // The facts themselves, and types that the stream has values of too, are open.
        let observed = self.bias.inputs.iter().any(|m| m.types().contains(&Some(kind)));
        if atom.name == kind || observed || known.contains(&value) {
            return None;
        }
        let list: Vec<String> = known.iter().map(ToString::to_string).collect();
        Some(Diagnostic::new(&span, format!("`{value}` is not a `{kind}`")).hint(format!(
            "known are {}; add the fact `{kind}({value}).` to background.lp if it should be one",
            list.join(", ")
        )))
    }
}

/// Whether values of two types may meet: all numbers may.
fn compatible(bias: &Bias, a: Symbol, b: Symbol) -> bool {
    bias.kind_of(a).is_number() && bias.kind_of(b).is_number()
}
