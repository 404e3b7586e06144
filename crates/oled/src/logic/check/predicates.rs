//! Predicates: what declarations and heads of rules define, and whether they agree about it.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::rounds::Rounds;
use super::skeleton::{Skeleton, family, is_bare};
use super::{Check, Predicate, Role, atoms, time_argument};
use crate::lang::ec::{CANDIDATES, HAPPENS, HOLDS, INITIALLY, INITIATED, TERMINATED, persisting};
use crate::lang::{Atom, Clause, Diagnostic, Mode, Signature, Span, Symbol, TIME, Term, did_you_mean};
use crate::logic::past::looks_back;

impl Check<'_> {
    pub(super) fn declare(&mut self, signature: Signature, role: Role, timed: bool, place: &Span) {
        let types = vec![None; signature.arity()];
        self.vocabulary.predicates.entry(signature).or_insert_with(|| Predicate {
            role,
            timed,
            types,
            place: place.clone(),
        });
    }

    pub(super) fn inputs(&mut self) {
        for mode in &self.bias.inputs {
            // `input(person(+person, +time))` lists what the type's own predicate lists anyway.
            let of_type = matches!(mode.types().as_slice(), [Some(kind), _] if *kind == mode.atom.name);
            if !of_type {
                self.declare(mode.signature(), Role::Input, true, &mode.atom.span);
            }
        }
    }

    /// Declares what rules and declarations define. The three predicates of a fluent come together, unless rules say of it
    /// when it holds: its kind is that of its rules, whatever the declarations allow.
    pub(super) fn heads(&mut self, rules: &[&Clause]) {
        let labels: Vec<Signature> = self.bias.examples.iter().map(Mode::signature).collect();
        let mut fluents: IndexMap<Signature, Span, FxBuildHasher> = IndexMap::default();
        let mut others: Vec<&Atom> = Vec::new();
        for head in rules.iter().map(|r| &r.head) {
            if let Some(holds) = persisting(head) {
                fluents.entry(holds).or_insert_with(|| head.span.clone());
            }
            if !matches!(head.name.as_str(), INITIATED | TERMINATED) {
                others.push(head);
            }
        }
        let mut defined: IndexSet<Signature, FxBuildHasher> = others.iter().map(|a| Signature::of(a)).collect();
        for head in self.bias.heads.iter().map(|m| &m.atom) {
            // What has no rules yet may get rules of either kind.
            let holds = persisting(head).or((head.name.as_str() == HOLDS).then(|| Signature::of(head)));
            match holds {
                Some(holds) if defined.contains(&holds) => {}
                Some(holds) => _ = fluents.entry(holds).or_insert_with(|| head.span.clone()),
                None => {
                    defined.insert(Signature::of(head));
                    others.push(head);
                }
            }
        }
        for atom in self.bias.examples.iter().map(|m| &m.atom) {
            let signature = Signature::of(atom);
            if defined.contains(&signature) {
                continue;
            }
            if atom.name.as_str() == HOLDS {
                fluents.entry(signature).or_insert_with(|| atom.span.clone());
            } else {
                others.push(atom);
            }
        }
        for (&holds, span) in &fluents {
            if let Some(other) = self.vocabulary.predicates.get(&holds) {
                let place = other.place.place();
                self.report(
                    Diagnostic::new(span, format!("`{holds}` comes with the stream and is defined by rules too"))
                        .hint(format!("it is declared as input at {place}; rename one of the two")),
                );
                continue;
            }
            self.declare(holds, Role::Fluent, true, span);
            self.declare(holds.renamed(INITIATED), Role::Derived, true, span);
            self.declare(holds.renamed(TERMINATED), Role::Derived, true, span);
        }
        for head in others {
            let signature = Signature::of(head);
            match self.vocabulary.predicates.get(&signature).map(|p| p.role) {
                Some(Role::Input) => {
                    let place = self.vocabulary.predicates[&signature].place.place();
                    self.report(
                        Diagnostic::new(
                            &head.span,
                            format!("`{signature}` comes with the stream, so no rule can define it"),
                        )
                        .hint(format!("it is declared as input at {place}; give the head another name")),
                    );
                }
                Some(Role::Fluent) => self.two_definitions(head, rules),
                _ => {
                    // A label is about a time point, and so are candidates; of others it is found out from the rules.
                    let timed =
                        matches!(head.name.as_str(), HAPPENS | HOLDS | CANDIDATES) || labels.contains(&signature);
                    self.declare(signature, if timed { Role::Derived } else { Role::Static }, timed, &head.span);
                }
            }
        }
        self.arity_clashes(rules);
    }

    /// A rule for `holdsAt` of a fluent that other rules start, end or declare `initially`.
    fn two_definitions(&mut self, head: &Atom, rules: &[&Clause]) {
        let signature = Signature::of(head);
        let of_fluent = |name: fn(&str) -> bool| {
            let heads = rules.iter().map(|r| &r.head);
            heads.filter(|h| name(h.name.as_str())).find(|h| persisting(h) == Some(signature))
        };
        let acts = of_fluent(|name| name != INITIALLY);
        let Some(other) = acts.or_else(|| of_fluent(|name| name == INITIALLY)) else { return };
        let place = other.span.place();
        let problem = if acts.is_none() {
            let message = format!("`{}` holds while conditions are met, so nothing holds initially", fluent(other));
            let problem = Diagnostic::new(&other.span, message)
                .hint("take this away, or define the fluent with initiatedAt and terminatedAt instead of holdsAt");
            // Said once, however many rules there are.
            if self.problems.contains(&problem) {
                return;
            }
            problem
        } else {
            let message = format!("`{signature}` has rules for its start and end and one of its own");
            Diagnostic::new(&head.span, message).hint(format!(
                "define a fluent either with initiatedAt and terminatedAt, as at {place}, or with holdsAt"
            ))
        };
        self.report(problem);
    }

    /// Heads and declarations that differ from an earlier one of the same predicate or fluent in the number of arguments only.
    fn arity_clashes(&mut self, rules: &[&Clause]) {
        let mut first: IndexMap<String, (Skeleton, &Atom), FxBuildHasher> = IndexMap::default();
        let declared = self.bias.modes().map(|m| &m.atom);
        let mut clashes = Vec::new();
        for atom in declared.chain(rules.iter().map(|r| &r.head)) {
            let skeleton = Skeleton::of(atom);
            let of_family = Skeleton { signature: family(skeleton.signature)[0], ..skeleton };
            let (known, other) = *first.entry(of_family.path()).or_insert((of_family, atom));
            if known != of_family {
                let message = format!("`{skeleton}` has another number of arguments than `{}`", Skeleton::of(other));
                clashes
                    .push(Diagnostic::new(&atom.span, message).hint(format!("the other is at {}", other.span.place())));
            }
        }
        clashes.into_iter().for_each(|c| self.report(c));
    }

    /// Each type is a predicate: `person(X, T)` is true of every person observed at T.
    pub(super) fn type_predicates(&mut self) {
        for name in self.bias.observed_types() {
            let signature = Signature::plain(name, 2);
            self.declare(signature, Role::Type(name), true, &Span::default());
        }
    }

    /// A head is timed if its last argument is the time of its body; found in rounds, until nothing changes.
    pub(super) fn timed(&mut self, rules: &[&Clause]) {
        let mut rounds = Rounds::new(self, rules);
        while rounds.again() {
            while let Some(i) = rounds.next() {
                let rule = rules[i];
                let signature = Signature::of(&rule.head);
                if self.vocabulary.predicates.get(&signature).is_none_or(|p| p.role != Role::Static)
                    || rule.head.name.as_str() == INITIALLY
                {
                    continue;
                }
                let time = atoms(rule).find(|a| self.is_timed(a)).and_then(time_argument);
                if time.is_some() && time == time_argument(&rule.head) {
                    let predicate = &mut self.vocabulary.predicates[&signature];
                    (predicate.role, predicate.timed) = (Role::Derived, true);
                    rounds.changed(signature, Some(i));
                }
            }
        }
        for rule in rules {
            let signature = Signature::of(&rule.head);
            if rule.head.name.as_str() == INITIALLY {
                self.vocabulary.predicates[&signature].role = Role::Derived;
            }
        }
    }

    pub(super) fn is_timed(&self, atom: &Atom) -> bool {
        match self.vocabulary.predicates.get(&Signature::of(atom)) {
            Some(Predicate { role: Role::Past(past), .. }) => {
                self.vocabulary.predicates.get(&past.base).is_none_or(|base| base.timed)
            }
            Some(predicate) => predicate.timed,
            None => matches!(atom.name.as_str(), HAPPENS | HOLDS | INITIATED | TERMINATED),
        }
    }

    /// What bodies may ask for. Of events without arguments, which share a signature, those that are named
    /// somewhere; all, where a declaration has a place marker for the name.
    pub(super) fn names(&mut self, rules: &[&Clause]) {
        let named = |(s, p): &(&Signature, &Predicate)| !is_bare(**s) && !matches!(p.role, Role::Past(_));
        for (&signature, predicate) in self.vocabulary.predicates.iter().filter(named) {
            self.named.insert(Skeleton { signature, name: None }, predicate.place.clone());
        }
        let bias = self.bias;
        let declared = [&bias.inputs, &bias.heads, &bias.examples].into_iter().flatten().map(|m| &m.atom);
        for atom in declared.chain(rules.iter().map(|r| &r.head)).filter(|a| is_bare(Signature::of(a))) {
            let Skeleton { signature, name } = Skeleton::of(atom);
            for signature in family(signature) {
                self.named.entry(Skeleton { signature, name }).or_insert_with(|| atom.span.clone());
            }
        }
    }

    /// Modes must speak of predicates that exist, and of types that have values.
    pub(super) fn declarations(&mut self) {
        let bodies: Vec<&Atom> = self
            .bias
            .bodies
            .iter()
            .map(|m| &m.atom)
            .chain(self.bias.comparisons.iter().map(|c| &c.mode.atom))
            .chain(self.bias.exclusive.iter().flat_map(|e| e.members.iter().map(|m| &m.atom)))
            .collect();
        for atom in bodies.into_iter().filter(|a| !looks_back(a)) {
            self.known(atom);
        }
        let observed: IndexSet<Symbol, FxBuildHasher> =
            self.bias.inputs.iter().flat_map(|m| m.types().into_iter().flatten()).collect();
        let mut reported = IndexSet::<Symbol, FxBuildHasher>::default();
        for mode in self.bias.modes() {
            for kind in mode.types().into_iter().flatten() {
                if self.only_in_modes(kind, &observed) && reported.insert(kind) {
                    let near = did_you_mean(kind.as_str(), observed.iter().map(|s| s.as_str()));
                    let problem = Diagnostic::new(
                        &mode.atom.span.find_word(kind.as_str()),
                        format!("the type `{kind}` has no values"),
                    );
                    self.problems.push(match near {
                        Some(near) => problem.hint(format!("did you mean `{near}`?")),
                        None => problem.hint(format!(
                            "use it in an input declaration, or list its values as facts in background.lp: `{kind}(…).`"
                        )),
                    });
                }
            }
        }
    }

    /// A symmetric fluent is labelled or defined, and its two arguments are of one type.
    pub(super) fn symmetries(&mut self) {
        let bias = self.bias;
        for declared in &bias.symmetric {
            let name = declared.name;
            let place = declared.span.find_word(name.as_str());
            let fail = |message: String| Diagnostic::new(&place, message);
            let problem = match self.vocabulary.predicates.get(&declared.holds) {
                Some(Predicate { role: Role::Input, place, .. }) => {
                    fail(format!("`{name}/2` comes with the stream, so it is as the stream has it"))
                        .hint(format!("it is declared as input at {}; give the fluent another name", place.place()))
                }
                Some(_) if declared.transitive && self.vocabulary.candidates.contains_key(&declared.holds) => fail(
                    format!("`{name}/2` is an equivalence, which has no candidates"),
                )
                .hint("who is with somebody is with all that this one is with; put the condition into its rules"),
                Some(predicate) => match predicate.types[..2] {
                    [Some(a), Some(b)] if a == b => continue,
                    [Some(a), Some(b)] => fail(format!("`{name}/2` is about a `{a}` and a `{b}`, which are no pair"))
                        .hint("the arguments of a symmetric fluent are of one type"),
                    _ => fail(format!("the types of the arguments of `{name}/2` are not known"))
                        .hint(format!("declare them with `example(holdsAt({name}(+type, +type), +time)).`")),
                },
                None => {
                    let fluents = self.vocabulary.predicates.iter().filter(|(s, p)| {
                        matches!(p.role, Role::Fluent | Role::Derived) && s.name().as_str() == HOLDS && s.arity() == 3
                    });
                    let names: Vec<Symbol> = fluents.filter_map(|(s, _)| s.inner_name()).collect();
                    let near = did_you_mean(name.as_str(), names.iter().map(|s| s.as_str()));
                    fail(format!("no fluent `{name}/2` is labelled or defined")).hint(match near {
                        Some(near) if near != name.as_str() => format!("did you mean `{near}`?"),
                        _ => "fluents with two arguments can be symmetric, those with values cannot".to_string(),
                    })
                }
            };
            self.report(problem);
        }
    }

    /// Whether nothing but modes gives a type its values.
    fn only_in_modes(&self, kind: Symbol, observed: &IndexSet<Symbol, FxBuildHasher>) -> bool {
        !observed.contains(&kind)
            && kind.as_str() != TIME
            && !self.bias.kind_of(kind).is_number()
            && !self.bias.types.iter().any(|t| t.name == kind)
            && !self.vocabulary.predicates.iter().any(|(s, p)| s.name() == kind && p.role == Role::Static)
    }
}

/// The fluent of a head, as it is written.
fn fluent(head: &Atom) -> &Term {
    &head.args[0]
}
