//! What the library itself says, time point by time point.

use oled::lang::ec;
use oled::logic::{Model, Pred, Program, Role, Vocabulary};
use oled::{Atom, Clause, Frame, Problems, Recogniser, Signature, Symbol, Task, Term, Theory, Value};

use super::{Row, Said};

/// The library at work: a recogniser, and next to it all rules without anything that is left out for speed.
pub(super) struct Ours {
    task: Task,
    recogniser: Recogniser,
    program: Program,
    model: Model,
    /// The predicates whose rows are compared.
    compared: Vec<(Signature, Pred)>,
    /// The same of those that do not depend on time.
    always: Vec<(Signature, Pred)>,
    /// Inertial fluents, of which the recogniser tells what holds.
    fluents: Vec<(Signature, Pred)>,
    /// Each rule under a head of its own.
    covers: Vec<RuleCopy>,
}

struct RuleCopy {
    rule: usize,
    /// The head of the rule, and the predicate that has its rows.
    head: Signature,
    pred: Pred,
    /// What a fluent without arguments is called in the rule and in the copy; all of them share a predicate.
    name: Option<(Symbol, Symbol)>,
}

impl Ours {
    pub(super) fn new(task: &Task, theory: &Theory) -> Result<Ours, Problems> {
        let recogniser = Recogniser::new(task, theory)?;
        let mut wide = task.clone();
        let mut longer = theory.clone();
        let mut copies: Vec<(usize, &Clause, Signature)> = Vec::new();
        let (own_vocabulary, _) = Vocabulary::new(&task.bias, &task.rules(theory));
        for (i, clause) in theory.clauses.iter().enumerate().filter(|(_, c)| has_coverage(c)) {
            let mut copy = Clause { head: rename(&clause.head, i), ..clause.clone() };
            // What the rule is about has candidates, and what the copy is about has none.
            copy.body.extend(own_vocabulary.guard(clause));
            for mode in task.bias.examples.iter().chain(&task.bias.heads) {
                if about(mode.signature()) == about(Signature::of(&clause.head)) {
                    wide.bias.examples.push(oled::Mode { atom: rename(&mode.atom, i), ..mode.clone() });
                }
            }
            copies.push((i, clause, Signature::of(&copy.head)));
            longer.clauses.push(copy);
        }
        let rules = wide.rules(&longer);
        let (vocabulary, program) = wide.compile(&rules, |v| v.predicates.keys().copied().collect())?;
        let own = |signature: Signature| {
            copies.iter().any(|(_, clause, copy)| constant(clause).is_none() && about(*copy) == about(signature))
        };
        let of = |wanted: fn(Role) -> bool| {
            // What is initially true is evaluated apart from the rest, and where thresholds are open, what is measured and
            // not what is asked for is compared.
            let open = |s: Signature| vocabulary.measures.iter().any(|m| m.predicate == s);
            let compared = |s: Signature| s.name().as_str() != ec::INITIALLY && !own(s) && !open(s);
            let roles = vocabulary.predicates.iter().filter(|(s, p)| wanted(p.role) && compared(**s));
            roles.filter_map(|(s, _)| Some((*s, program.pred(*s)?))).collect()
        };
        let covers = copies.iter().filter_map(|(rule, clause, copy)| {
            let name = constant(clause).map(|name| (name, copy_name(*rule)));
            Some(RuleCopy { rule: *rule, head: Signature::of(&clause.head), pred: program.pred(*copy)?, name })
        });
        Ok(Ours {
            compared: of(|role| matches!(role, Role::Derived | Role::Type(_))),
            always: of(|role| role == Role::Static),
            fluents: of(|role| role == Role::Fluent),
            covers: covers.collect(),
            model: Model::new(&program),
            program,
            recogniser,
            task: task.clone(),
        })
    }

    /// What does not depend on time.
    pub(super) fn always(&self) -> Vec<Row> {
        self.rows(&self.always)
    }

    /// What is said of the next frame.
    pub(super) fn observe(&mut self, frame: &Frame, begins: bool) -> Said {
        if begins && !self.task.options.interleaved {
            self.recogniser.finish(&mut Vec::new());
            self.model.forget();
        }
        self.recogniser.observe(frame, &mut Vec::new());
        self.model.clear(&self.program);
        self.model.observe(&self.program, &frame.narrative);
        let recognised: Vec<Row> = self.recogniser.holding().map(|(s, values)| (s, values.to_vec())).collect();
        for (signature, values) in &recognised {
            let Some((_, pred)) = self.fluents.iter().find(|(s, _)| s == signature) else { continue };
            self.model.insert(*pred, values);
            if self.task.is_symmetric(*signature) {
                self.model.insert(*pred, &[values[1], values[0]]);
            }
        }
        self.model.advance(&self.program, frame.segment, frame.time);
        let covers = self.covers.iter().flat_map(|copy| {
            let rows = self.model.rows(copy.pred).rows();
            rows.filter_map(|row| Some((copy.rule, copy.written(row)?)))
        });
        Said { covers: covers.collect(), model: self.rows(&self.compared), recognised }
    }

    fn rows(&self, of: &[(Signature, Pred)]) -> Vec<Row> {
        let own = |value: &Value| self.covers.iter().any(|c| c.name.is_some_and(|(_, own)| *value == Value::Sym(own)));
        let rows = of.iter().flat_map(|(s, pred)| self.model.rows(*pred).rows().map(move |row| (*s, row)));
        rows.filter(|(_, row)| !row.iter().any(own)).map(|(s, row)| (s, row.to_vec())).collect()
    }

    pub(super) fn is_recognised(&self, signature: Signature) -> bool {
        self.recogniser.fluents().any(|s| s == signature)
    }

    pub(super) fn canonical(&self, signature: Signature, values: &mut [Value]) {
        self.task.canonical(signature, values);
    }
}

impl RuleCopy {
    /// The head with a row of the copy's, its time left out.
    fn written(&self, row: &[Value]) -> Option<Term> {
        let mut row = row.to_vec();
        if let Some((name, own)) = self.name {
            if row[0] != Value::Sym(own) {
                return None;
            }
            row[0] = Value::Sym(name);
        }
        let mut atom = self.head.fill(row.into_iter().chain([Value::Int(0)]).map(Term::Value));
        atom.args.pop();
        Some(if atom.args.is_empty() { Term::Value(Value::Sym(atom.name)) } else { Term::App(atom.name, atom.args) })
    }
}

/// Whether a rule is about time points; `initially` is not, and is judged by what it makes hold.
pub(super) fn has_coverage(clause: &Clause) -> bool {
    clause.head.name.as_str() != ec::INITIALLY && !clause.head.args.is_empty()
}

fn is_calculus(name: Symbol) -> bool {
    matches!(name.as_str(), ec::INITIATED | ec::TERMINATED | ec::HOLDS | ec::HAPPENS)
}

/// A fluent, whatever is said of it.
fn about(signature: Signature) -> Signature {
    if is_calculus(signature.name()) { signature.renamed(ec::HOLDS) } else { signature }
}

/// The fluent of a rule's head, if it has no arguments.
fn constant(clause: &Clause) -> Option<Symbol> {
    match &clause.head.args[0] {
        Term::Value(Value::Sym(name)) if is_calculus(clause.head.name) => Some(*name),
        _ => None,
    }
}

/// What the event, fluent or predicate of a copy is called; no text has such a name.
fn copy_name(number: usize) -> Symbol {
    Symbol::new(&format!("covers {number}"))
}

/// An atom about another event or fluent, or of another predicate.
fn rename(atom: &Atom, number: usize) -> Atom {
    let name = copy_name(number);
    let mut atom = atom.clone();
    if !is_calculus(atom.name) {
        atom.name = name;
        return atom;
    }
    let named = |fluent: &mut Term| match fluent {
        Term::App(inner, _) => *inner = name,
        constant => *constant = Term::Value(Value::Sym(name)),
    };
    match &mut atom.args[0] {
        Term::App(equals, args) if equals.as_str() == "=" => named(&mut args[0]),
        fluent => named(fluent),
    }
    atom
}
