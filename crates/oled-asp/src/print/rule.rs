//! One rule: its literals, and the conditions that the library adds by itself.

use oled::lang::ec;
use oled::lang::for_each_hole;
use oled::logic::{Look, Measure, Role, plain as plain_of};
use oled::{Atom, Clause, Comparison, Formula, Literal, Signature, Symbol, Term};

use super::term::{is_operation, term, variable};
use super::{Printer, time_variable};

/// A body under construction.
#[derive(Default)]
struct Body {
    literals: Vec<String>,
    /// How many variables of its own it has.
    fresh: usize,
}

impl Body {
    fn fresh(&mut self) -> String {
        self.fresh += 1;
        format!("V{}'", self.fresh)
    }

    /// Literals with conditions of their own end in a semicolon, and then so may all.
    fn written(&self) -> String {
        let separator = if self.literals.iter().any(|l| l.starts_with("#false")) { "; " } else { ", " };
        self.literals.join(separator)
    }
}

impl Printer<'_> {
    /// A rule of background or theory. The rule of a predicate whose threshold is open says what is measured.
    pub fn clause(&self, clause: &Clause) -> String {
        let clause = &*self.task.bias.clock.plain(clause);
        match self.measure(&clause.head) {
            Some(measure) => self.definition(clause, measure),
            None => {
                let body = self.body(clause);
                let head = self.atom_at(&clause.head, self.head_time(clause).as_deref());
                if body.is_empty() { format!("{head}.") } else { format!("{head} :- {body}.") }
            }
        }
    }

    /// A rule under another head: `covers(3, initiatedAt(open(D)), T)`, for which the head is written as a term.
    pub fn clause_as(&self, name: &str, number: usize, clause: &Clause) -> String {
        let clause = &*self.task.bias.clock.plain(clause);
        let mut untimed = clause.head.clone();
        if self.is_timed(&clause.head) {
            untimed.args.pop();
        }
        let time = self.head_time(clause).unwrap_or_else(|| "_always".into());
        let (head, body) = (super::atom(&untimed), self.body(clause));
        format!("{name}({number},{head},{time}){}.", if body.is_empty() { body } else { format!(" :- {body}") })
    }

    /// The time point of a rule, if it has one.
    fn head_time(&self, clause: &Clause) -> Option<String> {
        let timed = self.is_timed(&clause.head) || clause.head.name.as_str() == ec::INITIALLY;
        let name = time_variable(self, clause).map_or_else(|| "T".into(), variable);
        timed.then(|| self.time(&name))
    }

    fn body(&self, clause: &Clause) -> String {
        let clause = &self.guarded(clause);
        let mut body = Body::default();
        clause.body.iter().for_each(|literal| self.literal(literal, &mut body));
        for (kind, variable) in self.unbound(clause) {
            let time = self.head_time(clause).expect("fluents and labels have times");
            body.literals.push(super::term::apply(kind, &[term(&variable), time]));
        }
        for (left, right) in self.different(clause) {
            body.literals.push(format!("{} != {}", term(&left), term(&right)));
        }
        // Where nothing else says which time points there are.
        let is_bound = |literal: &Literal| {
            let timed = |atom: &Atom| looked_at(literal).is_some() || self.is_timed(atom);
            !literal.negated && atom_of(literal).is_some_and(timed)
        };
        if let Some(time) = self.head_time(clause)
            && !clause.body.iter().any(is_bound)
        {
            body.literals.push(format!("_at({time})"));
        }
        body.written()
    }

    /// A rule is about candidates, where its fluent has some.
    fn guarded(&self, clause: &Clause) -> Clause {
        let mut clause = clause.clone();
        clause.body.extend(self.vocabulary.guard(&clause));
        clause
    }

    fn literal(&self, literal: &Literal, body: &mut Body) {
        match &literal.formula {
            Formula::Compare(op, left, right) => {
                body.literals.push(compare(*op, literal.negated, &term(left), &term(right)));
            }
            Formula::Atom(atom) if gathered(atom).is_some() => {
                let condition = gathered(atom).map(|plain| self.gathered(&plain)).unwrap_or_default();
                body.literals.push(if literal.negated { format!("not {condition}") } else { condition });
            }
            Formula::Atom(atom) => match (look(atom), self.measure(atom)) {
                (Some((inner, numbers)), _) => {
                    let time = self.time(&inner.args.last().map(term).unwrap_or_default());
                    let mut untimed = inner;
                    untimed.args.pop();
                    let mut args = vec![super::atom(&untimed)];
                    args.extend(numbers.iter().map(term).chain([time]));
                    let condition = format!("_{}({})", atom.name.as_str(), args.join(","));
                    body.literals.push(if literal.negated { format!("not {condition}") } else { condition });
                }
                (None, Some(measure)) => self.open(literal.negated, atom, measure, body),
                (None, None) => {
                    let atom = self.atom(atom);
                    body.literals.push(if literal.negated { format!("not {atom}") } else { atom });
                }
            },
        }
    }

    /// `_gathered("count …",G,N,T)`: what it counts, for whom, how many.
    fn gathered(&self, plain: &Atom) -> String {
        let (time, rest) = plain.args.split_last().expect("what is counted has a time");
        let mut args = vec![super::gathering(plain.name)];
        args.extend(rest.iter().map(term).chain([self.time(&term(time))]));
        format!("_gathered({})", args.join(","))
    }

    /// A condition whose threshold is open: what is measured compares so with the threshold; or nothing of it does.
    fn open(&self, negated: bool, atom: &Atom, measure: &Measure, body: &mut Body) {
        let (measured, mut threshold) = self.measured(atom, measure);
        if is_operation(&threshold) {
            // Without a value it makes the literal false, negated or not.
            let name = body.fresh();
            body.literals.push(format!("{name} = {}", term(&threshold)));
            threshold = Term::var(&name);
        }
        let value = body.fresh();
        let measured = measured.replace("_any_value", &value);
        let compared = compare(measure.comparison, false, &value, &plain(&threshold));
        if negated {
            body.literals.push(format!("#false : {measured}, {compared}"));
        } else {
            body.literals.extend([measured, compared]);
        }
    }

    /// The rule of a predicate whose threshold is open, without the comparison.
    fn definition(&self, clause: &Clause, measure: &Measure) -> String {
        let (measured, threshold) = self.measured(&clause.head, measure);
        let mut rest = clause.clone();
        let mut value = Term::var("_");
        rest.body.retain(|literal| match &literal.formula {
            Formula::Compare(_, left, right) if *left == threshold || *right == threshold => {
                value = if *left == threshold { right.clone() } else { left.clone() };
                false
            }
            _ => true,
        });
        let body = self.body(&rest);
        format!("{} :- {body}, V' = {}.", measured.replace("_any_value", "V'"), term(&value))
    }

    /// `_measured(close(X,Y,_any),_any_value,T)`, and the threshold.
    fn measured(&self, atom: &Atom, measure: &Measure) -> (String, Term) {
        let mut holes: Vec<Term> = Vec::new();
        for_each_hole(&atom.args, &mut |term| holes.push(term.clone()));
        let threshold = std::mem::replace(&mut holes[measure.column], Term::var("_any"));
        let mut args = vec![String::new(), "_any_value".into()];
        let mut untimed = measure.predicate.fill(holes);
        if self.is_timed(atom) {
            let time = untimed.args.pop().expect("the time is the last argument");
            args.push(self.time(&term(&time)));
        }
        args[0] = super::atom(&untimed).replace("V'_any", "_any");
        (format!("_measured({})", args.join(",")), threshold)
    }

    fn measure(&self, atom: &Atom) -> Option<&Measure> {
        let signature = Signature::of(atom);
        self.vocabulary.measures.iter().find(|m| m.predicate == signature)
    }

    /// The variables of a fluent or label in a head that nothing binds, with their types, over which they range.
    fn unbound(&self, clause: &Clause) -> Vec<(Symbol, Term)> {
        let signature = Signature::of(&clause.head);
        let calculus = matches!(clause.head.name.as_str(), ec::INITIATED | ec::TERMINATED | ec::INITIALLY | ec::HOLDS);
        let Some(predicate) = self.vocabulary.predicates.get(&signature) else { return Vec::new() };
        if !calculus && !self.task.labels().contains(&signature) {
            return Vec::new();
        }
        let mut bound: Vec<Term> = Vec::new();
        for literal in clause.body.iter().filter(|l| !l.negated) {
            match &literal.formula {
                Formula::Atom(atom) => for_each_hole(&atom.args, &mut |t| bound.push(t.clone())),
                Formula::Compare(Comparison::Equal, left, right) => bound.extend([left.clone(), right.clone()]),
                Formula::Compare(..) => {}
            }
        }
        let mut found = Vec::new();
        let mut column = 0;
        for_each_hole(&clause.head.args, &mut |term| {
            if let (Term::Var(_), Some(kind)) = (term, predicate.types[column])
                && !bound.contains(term)
                && self.is_type(kind)
            {
                bound.push(term.clone());
                found.push((kind, term.clone()));
            }
            column += 1;
        });
        found
    }

    /// Whether the stream has values of this type, so that it is a predicate.
    pub(super) fn is_type(&self, kind: Symbol) -> bool {
        self.vocabulary.predicates.get(&Signature::plain(kind, 2)).is_some_and(|p| p.role == Role::Type(kind))
    }

    /// The arguments of a head that are declared with one type, and so are about different ones.
    fn different(&self, clause: &Clause) -> Vec<(Term, Term)> {
        let head = &clause.head;
        if head.name.as_str() == ec::TERMINATED {
            return Vec::new();
        }
        let fluent = fluent(head);
        let bias = &self.task.bias;
        let mut modes = bias.examples.iter().chain(&bias.heads).filter(|m| !m.atom.args.is_empty());
        let Some(mode) = modes.find(|m| self::fluent(&m.atom) == fluent) else { return Vec::new() };
        let types = mode.types();
        let mut terms: Vec<Term> = Vec::new();
        let timed = usize::from(head.name.as_str() != ec::INITIALLY);
        for_each_hole(&head.args[..head.args.len() - timed], &mut |t| terms.push(t.clone()));
        let mut pairs = Vec::new();
        for (b, right) in terms.iter().enumerate() {
            for (a, left) in terms.iter().enumerate().take(b) {
                let same = types[a].is_some_and(|kind| types[b] == Some(kind) && !bias.kind_of(kind).is_number());
                if same && matches!((left, right), (Term::Var(_), Term::Var(_))) {
                    pairs.push((left.clone(), right.clone()));
                }
            }
        }
        pairs
    }
}

/// What a head or a declaration is about, whatever the predicate of the calculus.
fn fluent(atom: &Atom) -> Signature {
    let of_fluents = [ec::INITIATED, ec::TERMINATED, ec::INITIALLY, ec::HOLDS, ec::CANDIDATES];
    if !of_fluents.contains(&atom.name.as_str()) {
        return Signature::of(atom);
    }
    Signature::of(&Atom::new(ec::HOLDS, vec![atom.args[0].clone(), Term::var("T")]))
}

/// A term where a name of our own may stand for a variable.
fn plain(of: &Term) -> String {
    match of {
        Term::Var(name) if name.as_str().ends_with('\'') => name.as_str().to_string(),
        other => term(other),
    }
}

/// A comparison. Equal values are equal terms, but the order of clingo's terms is another one.
fn compare(op: Comparison, negated: bool, left: &str, right: &str) -> String {
    let (yes, no) = if negated { (0, 1) } else { (1, 0) };
    match (op, negated) {
        (Comparison::Equal, false) | (Comparison::NotEqual, true) => {
            // A call is written last: what has a value gives it to what has none.
            if left.starts_with('@') { format!("{right} = {left}") } else { format!("{left} = {right}") }
        }
        (Comparison::Equal, true) | (Comparison::NotEqual, false) => format!("{left} != {right}"),
        (Comparison::Less, _) => format!("@less({left},{right}) = {yes}"),
        (Comparison::LessOrEqual, _) => format!("@less({right},{left}) = {no}"),
        (Comparison::Greater, _) => format!("@less({right},{left}) = {yes}"),
        (Comparison::GreaterOrEqual, _) => format!("@less({left},{right}) = {no}"),
    }
}

/// The atom of a literal, whatever its sign.
pub(super) fn atom_of(literal: &Literal) -> Option<&Atom> {
    match &literal.formula {
        Formula::Atom(atom) => Some(atom),
        Formula::Compare(..) => None,
    }
}

/// The atom that a condition looks back at, and its numbers.
pub(super) fn look(atom: &Atom) -> Option<(Atom, Vec<Term>)> {
    let [inner @ Term::App(name, args), numbers @ ..] = atom.args.as_slice() else { return None };
    let numbers = match (atom.name.as_str(), numbers) {
        ("ago" | "frames_ago" | "lasting" | "since" | "last", [number]) => vec![number.clone()],
        // Of any age.
        ("last", []) => vec![Term::var("_")],
        ("within", [_, _]) => numbers.to_vec(),
        _ => return None,
    };
    let looks = !is_operation(inner);
    looks.then(|| (Atom { name: *name, args: args.clone(), span: atom.span.clone() }, numbers))
}

/// The atom of its own predicate that stands for a condition that counts or adds up.
fn gathered(atom: &Atom) -> Option<Atom> {
    plain_of(atom).filter(|(past, _)| matches!(past.look, Look::Aggregate(_))).map(|(_, plain)| plain)
}

/// The time variable of a condition that looks back.
pub(super) fn looked_at(literal: &Literal) -> Option<Symbol> {
    let atom = atom_of(literal)?;
    let inner = gathered(atom).or_else(|| look(atom).map(|(inner, _)| inner))?;
    match inner.args.last() {
        Some(Term::Var(name)) => Some(*name),
        _ => None,
    }
}
