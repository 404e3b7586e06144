//! Declarations: what the stream contains, what rules may be made of, and what is to be learned.
//!
//! | declaration | meaning |
//! |---|---|
//! | `input(happensAt(walking(+person), +time)).` | such atoms come with the stream |
//! | `modeh(initiatedAt(meeting(+person, +person), +time)).` | heads of rules that start or end a fluent |
//! | `modeh(holdsAt(meeting(+person, +person), +time)).` | heads of rules that say when it holds |
//! | `modeb(close(+person, +person, #distance, +time)).` | conditions in bodies; `modeb(not …)` for negated ones |
//! | `modeb(happensAt(active(+person), +time), for(meeting, initiatedAt(moving))).` | conditions of some heads only |
//! | `example(holdsAt(meeting(+person, +person), +time)).` | the annotation; also written `examplePattern` |
//! | `comparison(close(+person, +person, #distance, +time), 3, larger).` | argument 3 is a threshold, looser when larger |
//! | `comparison(close(+person, +person, #real, +time), 3, larger).` | the same with an open threshold: any number |
//! | `symmetric(meeting/2).` | `meeting(X, Y)` and `meeting(Y, X)` are one |
//! | `equivalence(with/2).` | the same, and who is with somebody is with all that this one is with |
//! | `exclusive(happensAt(walking(+person), +time), happensAt(active(+person), +time)).` | one of them at a time |
//! | `min_duration(meeting/2, 60).` | intervals that are shorter are not reported |
//! | `max_duration(meeting/2, 60).` | what has lasted so long ends |
//! | `type(speed, real).` | the values of a type: `symbol`, `int`, `real` or `any` |
//! | `horizon(50).` | rules may look back fifty time units |

use super::ec::{HAPPENS, HOLDS, INITIATED, TERMINATED};
use super::kind::{Kind, TypeDeclaration};
use super::mode::{ACTS, MeantFor, Mode, TIME, mode, positive, target_of, timed};
use super::{
    Atom, Clause, Clock, Diagnostic, Duration, Durations, Exclusive, Mark, Signature, Span, Symbol, Symmetric,
    Symmetries, Term, Theory, Value, about_columns, constants, did_you_mean, for_each_hole,
};

/// Everything that `modes.lp` declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bias {
    /// What the stream contains.
    pub inputs: Vec<Mode>,
    /// The heads that rules may have.
    pub heads: Vec<Mode>,
    /// Whether they follow from the annotation, since none is declared: then nobody has said how fluents are defined.
    pub heads_derived: bool,
    /// The conditions that bodies may have.
    pub bodies: Vec<Mode>,
    /// What the annotation consists of.
    pub examples: Vec<Mode>,
    /// Which arguments are thresholds.
    pub comparisons: Vec<Threshold>,
    /// Which fluents have arguments that may be exchanged.
    pub symmetric: Vec<Symmetric>,
    /// Predicates of which one is true at a time.
    pub exclusive: Vec<Exclusive>,
    /// How long intervals last at least, to be reported.
    pub min_durations: Vec<Duration>,
    /// After how long fluents end.
    pub max_durations: Vec<Duration>,
    /// The kinds of values of types.
    pub types: Vec<TypeDeclaration>,
    /// How many time units rules may look back; `None` if they may not.
    pub horizon: Option<i64>,
    /// What times mean. It is no declaration, but stands in the settings of a task.
    pub clock: Clock,
}

/// A comparison declaration: an argument that is a threshold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threshold {
    /// The mode of the predicate.
    pub mode: Mode,
    /// The threshold's position among the holes, from zero.
    pub column: usize,
    /// Which thresholds are met more often.
    pub monotone: Monotone,
}

/// How what meets a threshold changes with it: monotonically, one way or the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Monotone {
    /// As in "closer than": a larger number is met more often.
    Up,
    /// As in "farther than": a smaller number is met more often.
    Down,
}

const DECLARATIONS: [&str; 15] = [
    "input",
    "inputPredicate",
    "modeh",
    "modeb",
    "example",
    "examplePattern",
    "comparison",
    "comparisonPredicate",
    "symmetric",
    "equivalence",
    "exclusive",
    "min_duration",
    "max_duration",
    "type",
    "horizon",
];

impl Bias {
    /// Predicates of which one row at a time is true of the same things, as `exclusive(zone(+ship, -zone, +time))` says, each with the
    /// columns that say of which. Events are none: what happens twice happens twice.
    pub fn states(&self) -> Vec<(Signature, Vec<usize>)> {
        let alone =
            self.exclusive.iter().filter_map(|set| if let [mode] = &set.members[..] { Some(mode) } else { None });
        let states = alone.filter(|mode| mode.atom.name.as_str() != HAPPENS && constants(mode).is_empty());
        states.map(|mode| (mode.signature(), about_columns(mode))).collect()
    }

    /// Reads declarations from clauses, and says everything that is wrong with them.
    pub fn read(theory: &Theory) -> (Bias, Vec<Diagnostic>) {
        let mut bias = Bias::default();
        let mut problems = Vec::new();
        for clause in &theory.clauses {
            if let Err(problem) = bias.declare(clause) {
                problems.push(problem);
            }
        }
        bias.derive_heads();
        // Heads may be declared after the conditions that are meant for them.
        let conditions = bias.bodies.iter().flat_map(|mode| mode.heads.iter().map(move |meant| (mode, meant)));
        problems.extend(conditions.filter_map(|(mode, meant)| bias.no_head(mode, meant)));
        (bias, problems)
    }

    /// Where there are conditions and no heads, what is labelled is what is to be learned.
    fn derive_heads(&mut self) {
        if !self.heads.is_empty() || self.bodies.is_empty() {
            return;
        }
        self.heads_derived = true;
        for mode in &self.examples {
            let renamed =
                |name: &str| Mode { atom: Atom { name: Symbol::new(name), ..mode.atom.clone() }, ..mode.clone() };
            if mode.atom.name.as_str() == HOLDS {
                self.heads.extend([renamed(INITIATED), renamed(TERMINATED)]);
            } else {
                self.heads.push(mode.clone());
            }
        }
    }

    /// What is wrong with a head that a condition is meant for, if there is none.
    fn no_head(&self, mode: &Mode, meant: &MeantFor) -> Option<Diagnostic> {
        let of_target = |head: &&Mode| target_of(&head.atom) == meant.name;
        // Some learners find out themselves whether a fluent holds while something is true.
        let held = meant.act.is_some_and(|act| act.as_str() == HOLDS);
        let fluent = |head: &Mode| ACTS.contains(&head.atom.name.as_str());
        if self.heads.iter().filter(of_target).any(|head| meant.has(&head.atom) || held && fluent(head)) {
            return None;
        }
        let place = mode.atom.span.find_word(meant.name.as_str());
        let of_name: Vec<String> = self.heads.iter().filter(of_target).map(|head| head.atom.to_string()).collect();
        if !of_name.is_empty() {
            let problem = Diagnostic::new(&place, format!("no rule with the head `{meant}` is to be learned"));
            return Some(problem.hint(format!("declared is {}", of_name.join(", "))));
        }
        let problem = Diagnostic::new(&place, format!("nothing named `{}` is to be learned", meant.name));
        let names: Vec<Symbol> = self.heads.iter().map(|head| target_of(&head.atom)).collect();
        Some(match did_you_mean(meant.name.as_str(), names.iter().map(|name| name.as_str())) {
            Some(near) => problem.hint(format!("did you mean `{near}`?")),
            None => problem.hint("`for` names fluents and predicates that a `modeh` declares"),
        })
    }

    fn declare(&mut self, clause: &Clause) -> Result<(), Diagnostic> {
        let head = &clause.head;
        if let Some(literal) = clause.body.first() {
            return Err(
                Diagnostic::new(&literal.span, "a declaration has no body").hint("put rules into background.lp")
            );
        }
        match (head.name.as_str(), head.args.as_slice()) {
            ("input" | "inputPredicate", [atom]) => self.inputs.push(timed(positive(mode(atom, &head.span)?)?)?),
            ("modeh", [atom]) => self.heads.push(positive(mode(atom, &head.span)?)?),
            ("modeb", [atom]) => self.bodies.push(mode(atom, &head.span)?),
            ("modeb", [atom, Term::App(list, heads)]) if list.as_str() == "for" => {
                let heads = heads.iter().map(|term| MeantFor::of(term).ok_or_else(|| no_meant(term, &head.span)));
                let heads = heads.collect::<Result<Vec<_>, _>>()?;
                self.bodies.push(Mode { heads, ..mode(atom, &head.span)? });
            }
            ("example" | "examplePattern", [atom]) => self.examples.push(timed(positive(mode(atom, &head.span)?)?)?),
            ("comparison", [atom, position, direction]) => {
                let monotone = match direction {
                    Term::Value(Value::Sym(s)) if s.as_str() == "larger" => Monotone::Up,
                    Term::Value(Value::Sym(s)) if s.as_str() == "smaller" => Monotone::Down,
                    _ => {
                        return Err(Diagnostic::new(&head.span, "the third argument of `comparison` is `larger` or `smaller`")
                            .hint("`larger` where a larger threshold is met more often, as in closer-than; `smaller` for farther-than"));
                    }
                };
                self.threshold(atom, position, monotone, &head.span)?;
            }
            // The form of the published system: lessThan is met more often by larger thresholds.
            ("comparisonPredicate", [atom, Term::Value(Value::Sym(direction)), Term::App(_, path)]) => {
                let monotone = match direction.as_str() {
                    "lessThan" => Monotone::Up,
                    "greaterThan" => Monotone::Down,
                    _ => return Err(Diagnostic::new(&head.span, "expected `lessThan` or `greaterThan`")),
                };
                let [position] = path.as_slice() else {
                    return Err(Diagnostic::new(&head.span, "a threshold inside a nested term is not supported")
                        .hint("make the threshold an argument of the predicate itself"));
                };
                self.threshold(atom, position, monotone, &head.span)?;
            }
            (kind @ ("symmetric" | "equivalence"), [fluent]) => match fluent {
                Term::App(slash, parts) if slash.as_str() == "/" && parts[1..] == [Term::Value(Value::Int(2))] => {
                    let Term::Value(Value::Sym(name)) = parts[0] else { return Err(no_pair(kind, &head.span)) };
                    let declare = if kind == "symmetric" { Symmetric::new } else { Symmetric::equivalence };
                    self.symmetric.push(declare(name, &head.span));
                }
                _ => return Err(no_pair(kind, &head.span)),
            },
            ("exclusive", members @ [_, ..]) => {
                let members = members.iter().map(|atom| timed(positive(mode(atom, &head.span)?)?));
                let set = Exclusive::new(members.collect::<Result<_, _>>()?, &head.span, &self.exclusive)?;
                self.exclusive.push(set);
            }
            ("min_duration", _) => Duration::declare(&mut self.min_durations, head)?,
            ("max_duration", _) => Duration::declare(&mut self.max_durations, head)?,
            ("type", [Term::Value(Value::Sym(name))]) => self.kind(*name, Kind::Any, &head.span)?,
            ("type", [Term::Value(Value::Sym(name)), Term::Value(Value::Sym(kind))]) => {
                let kind = match kind.as_str() {
                    "symbol" => Kind::Symbol,
                    "int" => Kind::Int,
                    "real" => Kind::Real,
                    "any" => Kind::Any,
                    other => {
                        return Err(Diagnostic::new(
                            &head.span.find_word(other),
                            format!("`{other}` is no kind of values"),
                        )
                        .hint("a type is one of `symbol`, `int`, `real` and `any`"));
                    }
                };
                self.kind(*name, kind, &head.span)?;
            }
            ("horizon", [units]) => {
                let Term::Value(Value::Int(units @ 1..)) = *units else {
                    let message = format!("the horizon is a whole number of time units, at least 1, not `{units}`");
                    return Err(Diagnostic::new(&head.span, message)
                        .hint("it says how far rules may look back: `horizon(50).`"));
                };
                if self.horizon.is_some_and(|known| known != units) {
                    return Err(Diagnostic::new(&head.span, "the horizon is declared twice")
                        .hint("declare the larger one: it is the same for all rules"));
                }
                self.horizon = Some(units);
            }
            (name, args) => {
                let problem = if DECLARATIONS.contains(&name) {
                    Diagnostic::new(
                        &head.span,
                        format!("`{name}` does not take {} argument(s) of this form", args.len()),
                    )
                } else {
                    Diagnostic::new(&head.span, format!("unknown declaration `{name}`"))
                };
                return Err(match did_you_mean(name, DECLARATIONS) {
                    Some(near) => problem.hint(format!("did you mean `{near}`?")),
                    None => problem.hint("declarations are input, modeh, modeb, example, comparison, symmetric, equivalence, exclusive, min_duration, max_duration, type and horizon; rules and facts go into background.lp"),
                });
            }
        }
        Ok(())
    }

    fn kind(&mut self, name: Symbol, kind: Kind, span: &Span) -> Result<(), Diagnostic> {
        if let Some(other) = self.types.iter().find(|t| t.name == name && t.kind != kind) {
            return Err(Diagnostic::new(span, format!("the type `{name}` is declared twice"))
                .hint(format!("the other declaration is at {}", other.span.place())));
        }
        self.types.push(TypeDeclaration { name, kind, span: span.clone() });
        Ok(())
    }

    fn threshold(&mut self, atom: &Term, position: &Term, monotone: Monotone, span: &Span) -> Result<(), Diagnostic> {
        let mode = positive(mode(atom, span)?)?;
        let count = mode.atom.args.len();
        let argument = match position {
            Term::Value(Value::Int(i)) if *i >= 1 && *i as usize <= count => *i as usize - 1,
            _ => {
                return Err(Diagnostic::new(
                    span,
                    format!("the position of the threshold is a number from 1 to {count}"),
                ));
            }
        };
        if !matches!(mode.atom.args[argument], Term::Mark(Mark::Constant, _)) {
            return Err(Diagnostic::new(
                span,
                format!("argument {} of `{}` is no constant `#type`", argument + 1, mode.atom),
            ));
        }
        let mut column = 0;
        for_each_hole(&mode.atom.args[..argument], &mut |_| column += 1);
        self.comparisons.push(Threshold { mode, column, monotone });
        Ok(())
    }

    /// The kind of a type.
    pub fn kind_of(&self, name: Symbol) -> Kind {
        match name.as_str() {
            TIME | "int" => Kind::Int,
            "real" | "number" => Kind::Real,
            _ => self.types.iter().find(|t| t.name == name).map_or(Kind::Any, |t| t.kind),
        }
    }

    /// The fluents whose two arguments may be exchanged.
    pub fn symmetries(&self) -> Symmetries {
        Symmetries::new(&self.symmetric)
    }

    /// How long intervals last at least, to be reported.
    pub fn durations(&self) -> Durations {
        Durations::new(&self.min_durations)
    }

    /// The types that the stream has values of, in order of declaration: not the time, and no numbers.
    pub fn observed_types(&self) -> Vec<Symbol> {
        let mut names: Vec<Symbol> = Vec::new();
        for name in self.inputs.iter().flat_map(|m| m.types().into_iter().flatten()) {
            if !self.kind_of(name).is_number() && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// All modes, in the order of their declarations within each group.
    pub fn modes(&self) -> impl Iterator<Item = &Mode> {
        let thresholds = self.comparisons.iter().map(|c| &c.mode);
        let exclusive = self.exclusive.iter().flat_map(|e| &e.members);
        let modes = self.inputs.iter().chain(&self.heads).chain(&self.bodies).chain(&self.examples);
        modes.chain(thresholds).chain(exclusive)
    }
}

fn no_meant(term: &Term, span: &Span) -> Diagnostic {
    let name = match term {
        Term::App(name, _) => name.to_string(),
        term => term.to_string(),
    };
    Diagnostic::new(&span.find_word(&name), format!("`{term}` is no head that a condition can be meant for"))
        .hint("write the name of a fluent, `for(meeting)`, or one of its heads, `for(initiatedAt(meeting))`")
}

fn no_pair(kind: &str, span: &Span) -> Diagnostic {
    let message = match kind {
        "symmetric" => "a symmetric fluent has a name and two arguments",
        _ => "an equivalence has a name and two arguments",
    };
    Diagnostic::new(span, message).hint(format!("write `{kind}(meeting/2).`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Bias, Vec<String>) {
        let theory = crate::lang::parse_theory("modes.lp", text).unwrap();
        let (bias, problems) = Bias::read(&theory);
        (bias, problems.into_iter().map(|p| p.to_string()).collect())
    }

    #[test]
    fn declarations_are_read() {
        let (bias, problems) = read(
            "input(happensAt(walking(+person), +time)).
             modeh(initiatedAt(meeting(+person, +person), +time)).
             modeb(not happensAt(disappear(+person), +time)).
             examplePattern(holdsAt(meeting(+person, +person), +time)).
             comparison(close(+person, +person, #distance, +time), 3, larger).
             comparisonPredicate(far(+person, +person, #distance, +time), greaterThan, comparison_term_position(3)).
             type(distance, int).",
        );
        assert_eq!(problems, Vec::<String>::new());
        assert!(bias.bodies[0].negated);
        assert_eq!((bias.comparisons[0].column, bias.comparisons[0].monotone), (2, Monotone::Up));
        assert_eq!((bias.comparisons[1].column, bias.comparisons[1].monotone), (2, Monotone::Down));
        assert_eq!(bias.kind_of(Symbol::new("distance")), Kind::Int);
    }

    #[test]
    fn conditions_may_be_meant_for_some_heads() {
        let text = "modeh(initiatedAt(meeting(+person, +person), +time)).
             modeh(initiatedAt(alarm, +time)). modeh(late(+person, +time)).
             modeb(not happensAt(active(+person), +time), for(initiatedAt(meeting), alarm, late)).";
        let (bias, problems) = read(text);
        assert_eq!(problems, Vec::<String>::new());
        let mode = &bias.bodies[0];
        let written = "not happensAt(active(+person), +time), for(initiatedAt(meeting), alarm, late)";
        assert_eq!(mode.to_string(), written);
        assert_eq!(read(&format!("{text} modeb({mode}).")).0.bodies[1].heads, mode.heads);
        // Declarations are printed and read back like other clauses.
        let theory = crate::lang::parse_theory("modes.lp", text).unwrap();
        let again = crate::lang::parse_theory("modes.lp", &theory.to_string()).unwrap();
        assert_eq!(again.to_string(), theory.to_string());
        assert_eq!(Bias::read(&again).0.bodies[0].heads, mode.heads);
        let meant = |head: &str| {
            let head = crate::lang::parse_atom(head).unwrap();
            mode.heads.iter().any(|meant| meant.has(&head))
        };
        assert!(meant("initiatedAt(meeting(X, Y), T)") && meant("initiatedAt(alarm, T)") && meant("late(X, T)"));
        assert!(meant("terminatedAt(alarm, T)") && !meant("terminatedAt(meeting(X, Y), T)"));
        assert!(!meant("initiatedAt(late, T)") || !meant("holdsAt(meeting(X, Y), T)"));
    }

    #[test]
    fn wrong_declarations_are_all_reported() {
        let (_, problems) = read(
            "modehh(p(+a)).
             modeb(p(X)).
             input(not p(+time)).
             input(p(+a)).
             comparison(close(+person, +person, #distance, +time), 2, larger).
             type(speed, float).",
        );
        let all = problems.join("\n");
        for part in [
            "did you mean `modeh`?",
            "`X` is no place marker",
            "may be negated",
            "is not a time",
            "is no constant",
            "no kind of values",
        ] {
            assert!(all.contains(part), "{part} in\n{all}");
        }
        assert_eq!(problems.len(), 6);
    }
}
