//! Deadlines: `expires(quote(M), 5).` turned into the rules that it means.
//!
//! | written | what it means |
//! |---|---|
//! | `expires(quote(M), 5).` | what was started 5 time units ago ends; to start it again meanwhile changes nothing |
//! | `expires(quote(M), 5, extendable).` | every start gives it 5 time units more |
//! | `expires(status(M)=voting, 10, status(M)=voted).` | the other value follows then |
//!
//! The rules come behind all others of their text, so that those keep their numbers, and all have the place of the deadline.

use super::ec::{self, HOLDS, INITIALLY, INITIATED, TERMINATED};
use super::{Clause, Diagnostic, Signature, Source, Span, Symbol, Term, Value, for_each_hole, is_operation, quoted};

/// The name of a deadline.
pub(super) const EXPIRES: &str = "expires";

/// What happens when the time is over.
enum Then {
    /// It ends, so long after it began.
    Ends,
    /// It ends, so long after it was last started.
    EndsLater,
    /// Another value follows.
    Becomes(Term),
}

/// The rules of a deadline, among the clauses of its text.
pub(super) fn expand(deadline: &Clause, clauses: &[Clause]) -> Result<Vec<Clause>, Diagnostic> {
    let (fluent, units, then) = read(deadline)?;
    let mut holes = Vec::new();
    for_each_hole(std::slice::from_ref(&fluent), &mut |term| holes.push(term.clone()));
    let time = fresh_variable("T", &holes);
    let since = fresh_variable("S", &holes);
    let text = match then {
        Then::Becomes(value) => {
            // What was started at a time point holds from the next one on, one time unit later.
            let least = units - 1;
            format!("{INITIATED}({value}, {time}) :- lasting({HOLDS}({fluent}, {time}), {since}), {since} >= {least}.")
        }
        then => {
            let name = name_of(&fluent);
            let [begins, recent] = ["begins", "is recent"].map(|what| {
                let name = quoted(&format!("{name} {what}"));
                let args: Vec<String> = holes.iter().map(ToString::to_string).chain([time.clone()]).collect();
                format!("{name}({})", args.join(", "))
            });
            let (holds, starts) = (format!("{HOLDS}({fluent}, {time})"), format!("{INITIATED}({fluent}, {time})"));
            let again = if matches!(then, Then::Ends) { format!(", not {holds}") } else { String::new() };
            // What holds at the first time point begins there.
            let first = format!("{begins} :- {holds}, not frames_ago({holds}, 1), not frames_ago({starts}, 1).");
            let first = if clauses.iter().any(|clause| is_initially(clause, &fluent)) { &*first } else { "" };
            format!(
                "{TERMINATED}({fluent}, {time}) :- {holds}, not {recent}.
                 {recent} :- since({begins}, {since}), {since} < {units}.
                 {begins} :- {starts}{again}. {first}"
            )
        }
    };
    let (mut theory, problems) = super::parse_source(&Source::new("deadline", text));
    debug_assert!(problems.is_empty(), "{problems:?}");
    theory.clauses.iter_mut().for_each(|clause| move_to(clause, &deadline.span));
    Ok(theory.clauses)
}

/// The fluent, the time units and what happens when they are over.
fn read(deadline: &Clause) -> Result<(Term, i64, Then), Diagnostic> {
    let wrong = |message: String, hint: &str| Err(Diagnostic::new(&deadline.head.span, message).hint(hint));
    let form = "write `expires(quote(M), 5).`, or with a third part: `extendable`, or the value that follows";
    let (fluent, units, then) = match &deadline.head.args[..] {
        [fluent, units] => (fluent, units, None),
        [fluent, units, then] => (fluent, units, Some(then)),
        args => return wrong(format!("`{EXPIRES}` has 2 or 3 parts, here {}", args.len()), form),
    };
    if !deadline.body.is_empty() {
        return wrong(format!("`{EXPIRES}` is a fact, without conditions"), "put them into the rules of the fluent");
    }
    let is_fluent = |term: &Term| match term {
        Term::App(name, args) => !is_operation(name.as_str(), args.len()),
        term => matches!(term, Term::Value(Value::Sym(_))),
    };
    if !is_fluent(fluent) {
        return wrong(format!("`{EXPIRES}` is about a fluent, not about `{fluent}`"), form);
    }
    let Term::Value(Value::Int(units @ 1..)) = units else {
        return wrong(format!("a deadline is a whole number of time units, at least 1, not `{units}`"), form);
    };
    let fluent = ec::fluent(named(fluent, &mut 0));
    let then = match (then, &fluent) {
        (None, _) => Then::Ends,
        (Some(Term::Value(Value::Sym(word))), _) if word.as_str() == "extendable" => Then::EndsLater,
        (Some(Term::App(f, next)), Term::App(e, own))
            if [e, f].map(|s| s.as_str()) == ["="; 2] && next[0] == own[0] =>
        {
            Then::Becomes(Term::App(*f, next.clone()))
        }
        (Some(then), _) => {
            return wrong(
                format!("`{then}` is neither `extendable` nor another value of `{}`", name_of(&fluent)),
                form,
            );
        }
    };
    Ok((fluent, *units, then))
}

/// A term with a name for each anonymous variable, since rules speak of it more than once.
fn named(term: &Term, count: &mut usize) -> Term {
    match term {
        Term::App(name, args) => Term::App(*name, args.iter().map(|term| named(term, count)).collect()),
        term if term.is_anonymous() => {
            *count += 1;
            Term::var(&format!("Any{count}"))
        }
        term => term.clone(),
    }
}

/// The name of a fluent.
fn name_of(fluent: &Term) -> String {
    match fluent {
        Term::App(equal, args) if equal.as_str() == "=" => name_of(&args[0]),
        Term::App(name, _) => name.as_str().to_string(),
        term => term.to_string(),
    }
}

/// Whether a clause says that a fluent holds initially.
fn is_initially(clause: &Clause, fluent: &Term) -> bool {
    let same = |term: &Term| Signature::of(&super::Atom::new(HOLDS, vec![term.clone(), Term::var("T")]));
    clause.head.name.as_str() == INITIALLY && clause.head.args.first().is_some_and(|f| same(f) == same(fluent))
}

/// A variable that none of the terms has.
pub(super) fn fresh_variable(name: &str, terms: &[Term]) -> String {
    let mut used: Vec<Symbol> = Vec::new();
    terms.iter().for_each(|term| term.for_each_var(&mut |name| used.push(name)));
    let mut variable = name.to_string();
    while used.iter().any(|name| name.as_str() == variable) {
        variable.push('0');
    }
    variable
}

/// Gives everything in a clause another place.
pub(super) fn move_to(clause: &mut Clause, span: &Span) {
    (clause.span, clause.head.span) = (span.clone(), span.clone());
    for literal in &mut clause.body {
        literal.span = span.clone();
        if let super::Formula::Atom(atom) = &mut literal.formula {
            atom.span = span.clone();
        }
    }
}
