//! How a learned rule is written: with its conditions, and with who must be observed where they do not say so.

use super::heads::Head;
use super::instances::{Domain, Group};
use super::links::Connected;
use super::propositionaliser::Propositionaliser;
use crate::induce::{Introduced, LiteralTable, RuleKind};
use crate::lang::{Atom, Clause, Diagnostic, Formula, Literal, Signature, Span, Symbol, Term, for_each_hole};

impl Propositionaliser {
    /// The rule of a head with these conditions. It speaks of what is observed at its time point, as learning does: where
    /// no condition says so of a variable, one is added.
    pub fn clause(&self, head: &Head, mut body: Vec<Literal>) -> Clause {
        let group = &self.groups[self.targets[head.target].group];
        for (v, domain) in group.kinds.iter().enumerate() {
            // What nothing binds ranges over its type anyway; what ends is known to hold, so what is tracked is there.
            let said = match (self.mention(&body, &head_variable(v)), head.kind) {
                (Mention::Observed, _) => true,
                (_, RuleKind::Termination) => *domain != Domain::Untracked,
                (Mention::None, _) => true,
                (Mention::Bound, _) => *domain == Domain::Listed,
            };
            if !said {
                body.push(observation(group.table.types[v], head_variable(v)));
            }
        }
        for number in 0..group.table.introduced().len() {
            let name = Term::Var(LiteralTable::introduced_name(number));
            let said = self.introduction(group, number);
            if self.mention(&body, &name) == Mention::Bound && !body.iter().any(|l| *l == said || introduces(l, &said))
            {
                body.push(said);
            }
        }
        Clause { head: head.atom.clone(), body, span: Span::default() }
    }

    /// Whether a rule that starts a fluent, or is one for an ordinary predicate, relates the variables of its head: what is
    /// not related was not looked at, so nobody knows what such a rule would do.
    pub(crate) fn check_linked(&self, head: &Head, clause: &Clause, connected: Connected) -> Result<(), Diagnostic> {
        let links = self.links(head.target);
        let Some((one, other)) = links.apart(connected).filter(|_| head.kind != RuleKind::Termination) else {
            return Ok(());
        };
        let (mut own, mut theirs) = (Vec::new(), Vec::new());
        for_each_hole(&head.atom.args, &mut |term| own.push(term));
        for_each_hole(&clause.head.args, &mut |term| theirs.push(term));
        let variables = own.iter().zip(theirs).filter(|(own, _)| matches!(own, Term::Var(_)));
        let variables: Vec<&Term> = variables.map(|(_, theirs)| theirs).collect();
        let (one, other) = (variables[one], variables[other]);
        let message = format!("this rule says nothing that relates `{one}` and `{other}`");
        let (table, open) = (self.table(head.target), self.table(head.target).open_literals());
        let closed = (0..table.len()).filter(|l| links.relates(*l)).map(|l| table.patterns()[l].signature);
        let open =
            (0..open.len()).filter(|l| links.relates_open(*l)).map(|l| self.measures()[open[l].measure].predicate);
        let such = closed.chain(open).next().map_or_else(String::new, |signature| format!(", such as `{signature}`"));
        Err(Diagnostic::new(&clause.head.span, message).hint(format!(
            "it would do the same to everybody with everybody: add a condition that is about both{such}"
        )))
    }

    /// What conditions say of a variable.
    fn mention(&self, body: &[Literal], name: &Term) -> Mention {
        let mut mention = Mention::None;
        for literal in body.iter().filter(|l| !l.negated) {
            let Formula::Atom(atom) = &literal.formula else { continue };
            let (signature, mut column) = (Signature::of(atom), 0);
            for_each_hole(&atom.args, &mut |term| {
                if term == name {
                    let observed = self.observing.contains(&(signature, column));
                    mention = mention.max(if observed { Mention::Observed } else { Mention::Bound });
                }
                column += 1;
            });
        }
        mention
    }

    /// The condition that says where an introduced variable has its values from: its type, or the relation that introduces
    /// it.
    fn introduction(&self, group: &Group, number: usize) -> Literal {
        let name = Term::Var(LiteralTable::introduced_name(number));
        let Introduced { kind, source: (literal, column), .. } = group.table.introduced()[number];
        if self.program.type_pred(kind).is_some() {
            return observation(kind, name);
        }
        let signature = group.table.patterns()[literal].signature;
        let anonymous = |c: usize| if c == column { name.clone() } else { Term::var("_") };
        let timed = group.table.patterns()[literal].columns.len() < signature.arity();
        let columns = (0..signature.arity() - usize::from(timed)).map(anonymous);
        Literal::positive(signature.fill(columns.chain(timed.then(|| Term::var("T")))))
    }

    /// Whether a condition only says that a variable is observed.
    pub(crate) fn is_observation(&self, target: usize, literal: &Literal) -> bool {
        let group = &self.groups[self.targets[target].group];
        let types = group.table.types.iter().enumerate();
        types.map(|(v, kind)| observation(*kind, head_variable(v))).any(|said| said == *literal)
            || (0..group.table.introduced().len()).any(|number| self.introduction(group, number) == *literal)
    }
}

/// What conditions say of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mention {
    /// Nothing that gives it values.
    None,
    /// What its values are, not that they are observed.
    Bound,
    /// That they are observed.
    Observed,
}

/// The variable of a head with a number.
fn head_variable(number: usize) -> Term {
    Term::var(&format!("X{number}"))
}

/// The condition that a variable is observed, as a value of its type.
fn observation(kind: Symbol, variable: Term) -> Literal {
    Literal::positive(Atom::new(kind.as_str(), vec![variable, Term::var("T")]))
}

/// Whether a literal gives a variable its values as another does that says nothing else.
fn introduces(literal: &Literal, other: &Literal) -> bool {
    let (Formula::Atom(a), Formula::Atom(b)) = (&literal.formula, &other.formula) else { return false };
    let same = |(x, y): (&Term, &Term)| x == y || y.is_anonymous();
    !literal.negated && Signature::of(a) == Signature::of(b) && {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for_each_hole(&a.args, &mut |t| left.push(t));
        for_each_hole(&b.args, &mut |t| right.push(t));
        left.into_iter().zip(right).all(same)
    }
}
