//! Vocabulary: every predicate that declarations and rules speak of, and everything that is wrong with how they do.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use crate::lang::ec::{HAPPENS, HOLDS, INITIALLY, INITIATED, TERMINATED};
use crate::lang::{
    Atom, Bias, Clause, Diagnostic, Formula, Kind, Literal, Signature, Span, Symbol, TIME, Term, Value, did_you_mean,
    for_each_hole,
};

/// Where the rows of a predicate come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// From the stream.
    Input,
    /// From facts and rules that do not mention time: computed once.
    Static,
    /// From rules, at each time point.
    Derived,
    /// From inertia: `holdsAt` of a fluent that rules start and end.
    Fluent,
    /// From the stream: all values at the places of this type.
    Type(Symbol),
}

/// What is known of a predicate.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// Where its rows come from.
    pub role: Role,
    /// Whether its last argument is the time.
    pub timed: bool,
    /// The type of each hole, the time's included.
    pub types: Vec<Option<Symbol>>,
    /// Where it was first declared or defined.
    pub place: Span,
}

/// Every predicate of a task and what it consists of.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// In order of declaration.
    pub predicates: IndexMap<Signature, Predicate, FxBuildHasher>,
    /// The values of types that facts list: `distance(24).`
    pub enumerations: IndexMap<Symbol, Vec<Value>, FxBuildHasher>,
}

impl Vocabulary {
    /// Collects the vocabulary of declarations and rules, and says everything that is wrong with it.
    pub fn new(bias: &Bias, rules: &[&Clause]) -> (Vocabulary, Vec<Diagnostic>) {
        let mut check = Check { bias, vocabulary: Vocabulary::default(), problems: Vec::new() };
        check.inputs();
        check.heads(rules);
        check.type_predicates();
        check.timed(rules);
        for rule in rules {
            check.rule(rule);
        }
        check.types(rules);
        check.declarations();
        (check.vocabulary, check.problems)
    }
}

struct Check<'a> {
    bias: &'a Bias,
    vocabulary: Vocabulary,
    problems: Vec<Diagnostic>,
}

/// The time argument of an atom of the Event Calculus or of any timed predicate.
pub(crate) fn time_argument(atom: &Atom) -> Option<&Term> {
    atom.args.last()
}

fn atoms(rule: &Clause) -> impl Iterator<Item = &Atom> {
    rule.body.iter().filter_map(|l| match &l.formula {
        Formula::Atom(atom) => Some(atom),
        Formula::Compare(..) => None,
    })
}

impl Check<'_> {
    fn report(&mut self, problem: Diagnostic) {
        if !self.problems.contains(&problem) || problem.span.source.is_some() {
            self.problems.push(problem);
        }
    }

    fn declare(&mut self, signature: Signature, role: Role, timed: bool, place: &Span) {
        let types = vec![None; signature.arity()];
        self.vocabulary.predicates.entry(signature).or_insert_with(|| Predicate { role, timed, types, place: place.clone() });
    }

    fn inputs(&mut self) {
        for mode in &self.bias.inputs {
            self.declare(mode.signature(), Role::Input, true, &mode.atom.span);
        }
    }

    /// Declares what rules and declarations define. The three predicates of a fluent come together.
    fn heads(&mut self, rules: &[&Clause]) {
        let heads = rules.iter().map(|r| &r.head).chain(self.bias.heads.iter().map(|m| &m.atom));
        let examples: Vec<&Atom> = self.bias.examples.iter().map(|m| &m.atom).collect();
        let mut fluents: IndexMap<Signature, Span, FxBuildHasher> = IndexMap::default();
        let mut others: Vec<&Atom> = Vec::new();
        for head in heads {
            let signature = Signature::of(head);
            match head.name.as_str() {
                INITIATED | TERMINATED => {
                    fluents.entry(signature.renamed(HOLDS)).or_insert_with(|| head.span.clone());
                }
                INITIALLY => {
                    // initially(f) has no time argument: its fluent is found by adding one.
                    let mut timed = head.clone();
                    timed.args.push(Term::var("T"));
                    timed.name = Symbol::new(HOLDS);
                    fluents.entry(Signature::of(&timed)).or_insert_with(|| head.span.clone());
                    others.push(head);
                }
                _ => others.push(head),
            }
        }
        let defined: IndexSet<Signature, FxBuildHasher> = others.iter().map(|a| Signature::of(a)).collect();
        for atom in examples {
            let signature = Signature::of(atom);
            if atom.name.as_str() == HOLDS && !defined.contains(&signature) {
                fluents.entry(signature).or_insert_with(|| atom.span.clone());
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
                        Diagnostic::new(&head.span, format!("`{signature}` comes with the stream, so no rule can define it"))
                            .hint(format!("it is declared as input at {place}; give the head another name")),
                    );
                }
                Some(Role::Fluent) => {
                    self.report(
                        Diagnostic::new(&head.span, format!("`{signature}` has rules for its start and end and one of its own"))
                            .hint("define a fluent either with initiatedAt and terminatedAt or with holdsAt"),
                    );
                }
                _ => {
                    // Whether it is timed is found out from the rules.
                    let timed = matches!(head.name.as_str(), HAPPENS | HOLDS);
                    self.declare(signature, if timed { Role::Derived } else { Role::Static }, timed, &head.span);
                }
            }
        }
        self.arity_clashes(rules);
    }

    /// Heads and declarations that differ from an earlier one in the number of arguments only.
    fn arity_clashes(&mut self, rules: &[&Clause]) {
        let mut first: IndexMap<String, (Signature, Span), FxBuildHasher> = IndexMap::default();
        let declared = self.bias.modes().map(|m| &m.atom);
        let mut clashes = Vec::new();
        for atom in declared.chain(rules.iter().map(|r| &r.head)) {
            let signature = Signature::of(atom);
            let (other, place) = first.entry(signature.path()).or_insert_with(|| (signature, atom.span.clone()));
            if *other != signature {
                clashes.push(
                    Diagnostic::new(&atom.span, format!("`{signature}` has another number of arguments than `{other}`"))
                        .hint(format!("the other is at {}", place.place())),
                );
            }
        }
        clashes.into_iter().for_each(|c| self.report(c));
    }

    /// Each type is a predicate: `person(X, T)` is true of every person observed at T.
    fn type_predicates(&mut self) {
        let mut names: IndexSet<Symbol, FxBuildHasher> = IndexSet::default();
        for mode in self.bias.inputs.iter() {
            names.extend(mode.types().into_iter().flatten());
        }
        for name in names {
            if name.as_str() != TIME && !self.bias.kind_of(name).is_number() {
                let holes = vec![Term::var("X"), Term::var("T")];
                let signature = Signature::of(&Atom::new(name.as_str(), holes));
                self.declare(signature, Role::Type(name), true, &Span::default());
            }
        }
    }

    /// A head is timed if its last argument is the time of its body; found by repeating until nothing changes.
    fn timed(&mut self, rules: &[&Clause]) {
        loop {
            let mut changed = false;
            for rule in rules {
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
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        for rule in rules {
            let signature = Signature::of(&rule.head);
            if rule.head.name.as_str() == INITIALLY {
                self.vocabulary.predicates[&signature].role = Role::Derived;
            }
        }
    }

    fn is_timed(&self, atom: &Atom) -> bool {
        match self.vocabulary.predicates.get(&Signature::of(atom)) {
            Some(predicate) => predicate.timed,
            None => matches!(atom.name.as_str(), HAPPENS | HOLDS | INITIATED | TERMINATED),
        }
    }

    fn rule(&mut self, rule: &Clause) {
        self.event_calculus_form(&rule.head);
        for atom in atoms(rule) {
            self.event_calculus_form(atom);
            self.known(atom);
        }
        for literal in &rule.body {
            if let Formula::Compare(_, left, right) = &literal.formula {
                self.arithmetic(literal, left);
                self.arithmetic(literal, right);
            }
        }
        self.one_time(rule);
    }

    /// `holdsAt(F, T)` with a variable fluent names no relation.
    fn event_calculus_form(&mut self, atom: &Atom) {
        let name = atom.name.as_str();
        let expected = match name {
            HAPPENS | HOLDS | INITIATED | TERMINATED => 2,
            INITIALLY => 1,
            _ => return,
        };
        if atom.args.len() != expected {
            let form = if expected == 1 { format!("{name}(fluent)") } else { format!("{name}(fluent, T)") };
            self.report(
                Diagnostic::new(&atom.span, format!("`{name}` takes {expected} argument(s), here {}", atom.args.len()))
                    .hint(format!("its form is `{form}`")),
            );
        } else if let Term::Var(variable) = &atom.args[0] {
            self.report(
                Diagnostic::new(&atom.span.find_word(variable.as_str()), format!("the first argument of `{name}` is a variable"))
                    .hint("name the event or fluent: variables stand for its arguments only"),
            );
        }
    }

    fn known(&mut self, atom: &Atom) {
        let signature = Signature::of(atom);
        if self.vocabulary.predicates.contains_key(&signature) {
            return;
        }
        let path = signature.path();
        let predicates = &self.vocabulary.predicates;
        if let Some((other, predicate)) = predicates.iter().find(|(s, _)| s.path() == path) {
            let problem = Diagnostic::new(&atom.span, format!("`{signature}` has another number of arguments than `{other}`"))
                .hint(match &predicate.place.source {
                    Some(_) => format!("the other is at {}", predicate.place.place()),
                    None => "it is the predicate of a type".into(),
                });
            return self.report(problem);
        }
        let near = did_you_mean(&path, predicates.keys().map(|s| s.path()).collect::<Vec<_>>().iter().map(String::as_str))
            .and_then(|near| predicates.keys().find(|s| s.path() == near))
            .map(|s| format!("did you mean `{s}`?"));
        let hint = near.unwrap_or_else(|| {
            format!("declare it in modes.lp with `input({})` if it comes with the stream, or define it with a rule", marked(signature))
        });
        self.report(Diagnostic::new(&atom.span, format!("unknown predicate `{signature}`")).hint(hint));
    }

    /// Comparisons are between values, so compound terms have no place there.
    fn arithmetic(&mut self, literal: &Literal, term: &Term) {
        match term {
            Term::App(name, args) if crate::lang::is_operation(name.as_str(), args.len()) => {
                args.iter().for_each(|a| self.arithmetic(literal, a));
            }
            Term::App(name, args) => {
                let known = ["abs", "sqrt", "min", "max"];
                let problem = Diagnostic::new(&literal.span, format!("`{name}` with {} argument(s) is no operation", args.len()));
                self.report(match did_you_mean(name.as_str(), known) {
                    Some(near) => problem.hint(format!("did you mean `{near}`?")),
                    None => problem.hint("operations are + - * / ^ abs sqrt min max"),
                });
            }
            Term::Mark(..) => self.report(
                Diagnostic::new(&literal.span, format!("`{term}` is a place marker, which only declarations have"))
                    .hint("variables start with an upper-case letter"),
            ),
            Term::Var(_) | Term::Value(_) => {}
        }
    }

    /// All timed atoms of a rule share one time variable, and the head ends in it.
    fn one_time(&mut self, rule: &Clause) {
        let mut time: Option<&Term> = None;
        let head_timed = self.is_timed(&rule.head);
        let timed: Vec<&Atom> =
            head_timed.then_some(&rule.head).into_iter().chain(atoms(rule).filter(|a| self.is_timed(a))).collect();
        for atom in timed {
            let Some(argument) = time_argument(atom) else { continue };
            let wrong = match argument {
                Term::Var(name) if name.as_str() != "_" => time.is_some_and(|t| t != argument),
                _ => true,
            };
            if wrong {
                let wanted = time.map_or_else(|| "a variable such as `T`".to_string(), |t| format!("`{t}`"));
                let span = atom.span.find_word(&argument.to_string());
                self.report(
                    Diagnostic::new(&span, format!("the time of `{atom}` must be {wanted}, not `{argument}`"))
                        .hint("all conditions of a rule speak of one time point; what it starts or ends changes at the next"),
                );
            } else {
                time = Some(argument);
            }
        }
        if let (Some(time), false) = (time, head_timed || rule.head.name.as_str() == INITIALLY) {
            self.report(
                Diagnostic::new(&rule.head.span, format!("`{}` does not end in the time `{time}` of its body", rule.head))
                    .hint("what depends on a time point is true at that time point only: make the time the last argument"),
            );
        }
    }

    // ---- types

    /// Types of columns, from the declarations and through the variables of rules; clashes are reported.
    fn types(&mut self, rules: &[&Clause]) {
        for mode in self.bias.modes() {
            self.type_from_mode(&mode.atom, &mode.types());
        }
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
        while rules.iter().fold(false, |changed, rule| self.type_head(rule) || changed) {}
        for rule in rules {
            self.type_clashes(rule);
        }
    }

    fn type_from_mode(&mut self, atom: &Atom, types: &[Option<Symbol>]) {
        let signature = Signature::of(atom);
        let mut all = vec![signature];
        if matches!(atom.name.as_str(), HOLDS | INITIATED | TERMINATED) {
            all.extend([HOLDS, INITIATED, TERMINATED].map(|n| signature.renamed(n)));
        }
        for signature in all {
            let Some(predicate) = self.vocabulary.predicates.get_mut(&signature) else { continue };
            let mut clash = None;
            for (column, kind) in types.iter().enumerate() {
                match (&predicate.types[column], kind) {
                    (None, Some(kind)) => predicate.types[column] = Some(*kind),
                    (Some(a), Some(b)) if a != b && !compatible(self.bias, *a, *b) => clash = Some((*a, *b, column)),
                    _ => {}
                }
            }
            if let Some((a, b, column)) = clash {
                let place = predicate.place.place();
                self.report(
                    Diagnostic::new(&atom.span, format!("argument {} of `{signature}` is a `{b}` here and a `{a}` elsewhere", column + 1))
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

    fn type_head(&mut self, rule: &Clause) -> bool {
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
        let mut changed = false;
        let mut names = vec![signature];
        if matches!(rule.head.name.as_str(), INITIATED | TERMINATED) {
            names.extend([HOLDS, INITIATED, TERMINATED].map(|n| signature.renamed(n)));
        } else if rule.head.name.as_str() == INITIALLY {
            let mut timed = rule.head.clone();
            timed.args.push(Term::var("T"));
            let holds = Signature::of(&timed).renamed(HOLDS);
            names.extend([holds, holds.renamed(INITIATED), holds.renamed(TERMINATED)]);
        }
        for name in names {
            let Some(predicate) = self.vocabulary.predicates.get_mut(&name) else { continue };
            for &(column, kind) in &found {
                if predicate.types[column].is_none() {
                    predicate.types[column] = Some(kind);
                    changed = true;
                }
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
            return Some(Diagnostic::new(&span, format!("`{value}` is not a `{kind}`")).hint(format!("the values of `{kind}` are {wanted}")));
        }
        let known = self.vocabulary.enumerations.get(&kind)?;
        // The facts themselves, and types that the stream has values of too, are open.
        let observed = self.bias.inputs.iter().any(|m| m.types().contains(&Some(kind)));
        if known.contains(&value) || observed || atom.name == kind {
            return None;
        }
        let list: Vec<String> = known.iter().map(ToString::to_string).collect();
        Some(
            Diagnostic::new(&span, format!("`{value}` is not a `{kind}`"))
                .hint(format!("known are {}; add the fact `{kind}({value}).` to background.lp if it should be one", list.join(", "))),
        )
    }

    /// Modes must speak of predicates that exist, and of types that have values.
    fn declarations(&mut self) {
        let bodies: Vec<&Atom> =
            self.bias.bodies.iter().map(|m| &m.atom).chain(self.bias.comparisons.iter().map(|c| &c.mode.atom)).collect();
        for atom in bodies {
            self.known(atom);
        }
        let observed: IndexSet<Symbol, FxBuildHasher> =
            self.bias.inputs.iter().flat_map(|m| m.types().into_iter().flatten()).collect();
        let mut reported = IndexSet::<Symbol, FxBuildHasher>::default();
        for mode in self.bias.modes() {
            for kind in mode.types().into_iter().flatten() {
                if self.only_in_modes(kind, &observed) && reported.insert(kind) {
                    let near = did_you_mean(kind.as_str(), observed.iter().map(|s| s.as_str()));
                    let problem = Diagnostic::new(&mode.atom.span.find_word(kind.as_str()), format!("the type `{kind}` has no values"));
                    self.problems.push(match near {
                        Some(near) => problem.hint(format!("did you mean `{near}`?")),
                        None => problem.hint(format!("use it in an input declaration, or list its values as facts in background.lp: `{kind}(…).`")),
                    });
                }
            }
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

/// Whether values of two types may meet: all numbers may.
fn compatible(bias: &Bias, a: Symbol, b: Symbol) -> bool {
    bias.kind_of(a).is_number() && bias.kind_of(b).is_number()
}

/// A signature with place markers, as a suggestion for a declaration.
fn marked(signature: Signature) -> String {
    let arity = signature.arity();
    let term = |i: usize| Term::Mark(crate::lang::Mark::Input, Symbol::new(if i + 1 == arity { TIME } else { "type" }));
    signature.fill((0..arity).map(term)).to_string()
}
