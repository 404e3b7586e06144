//! Solver: clingo, behind this one file. Programs in as text, models out as atoms of the language; all in memory.
//!
//! Nothing else in the workspace knows the crate `clingo`, which is seldom released.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use clingo::{
    ClingoError, ControlCtx, ExternalError, FunctionHandler, Logger, Part, ShowType, SolveMode, SolveResult,
    SymbolType, Warning, defaults,
};
use oled::lang::ec;
use oled::{Atom, Symbol, Term, Value};

use crate::number;

/// How much a call may take. Without limits it takes what it needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// The time for grounding and solving together.
    pub time: Option<Duration>,
    /// The number of atoms of the ground program.
    pub atoms: Option<usize>,
    /// The number of models to look for, 0 for all; without it one, or better ones while something is minimised.
    pub models: Option<usize>,
}

/// What stopped a call before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The time was over.
    Time,
    /// The ground program had too many atoms. There is no model then.
    Atoms,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stopped::Time => "the time was over",
            Stopped::Atoms => "the ground program was too large",
        })
    }
}

/// An answer set.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The true atoms, those that `#show` selects or all, in an order that is the same for the same program.
    pub atoms: Vec<Atom>,
    /// What `#minimize` and weak constraints count, the highest priority first.
    pub cost: Vec<i64>,
}

/// What came of a call.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The models in the order in which they were found. Where something is minimised each is better than the one before.
    pub models: Vec<Model>,
    /// Whether the search ended by itself: there is no other model, or no better one.
    pub exhausted: bool,
    /// The limit that was hit.
    pub stopped: Option<Stopped>,
    /// How many atoms the ground program had.
    pub atoms: usize,
}

impl Answer {
    /// The last model: the best one where something is minimised.
    pub fn best(&self) -> Option<&Model> {
        self.models.last()
    }

    /// Whether the last model is proven to be the best.
    pub fn is_optimal(&self) -> bool {
        self.exhausted && !self.models.is_empty()
    }
}

/// Why a program could not be run.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum SolverError {
    /// The program is wrong.
    #[error("clingo does not accept the program: {0}")]
    Program(String),
    /// clingo itself failed.
    #[error("clingo failed: {0}")]
    Failed(String),
}

/// Runs a program. `options` are those of clingo's command line. A text that is not our own is best given to [`check`]
/// first: what is wrong with it is returned here too, but clingo also prints it.
///
/// ```
/// use oled_asp::solver::{Limits, solve};
/// let answer = solve("{ p(1..3) }. :- not p(2). #minimize { X,X : p(X) }. #show p/1.", &[], &Limits::default()).unwrap();
/// let best = answer.best().unwrap();
/// assert_eq!((best.atoms[0].to_string(), best.cost.clone(), answer.is_optimal()), ("p(2)".into(), vec![2], true));
/// ```
pub fn solve(program: &str, options: &[&str], limits: &Limits) -> Result<Answer, SolverError> {
    let mut arguments: Vec<String> = options.iter().map(ToString::to_string).collect();
    arguments.extend(limits.models.map(|n| format!("--models={n}")));
    let Some(time) = limits.time else { return run(program, arguments, limits, &Watch::default()) };
    // Grounding cannot be interrupted. It has a thread of its own, and is left behind when the time is over.
    let watch = Watch { until: Some(Instant::now() + time), grounded: Arc::default() };
    let (sender, receiver) = mpsc::channel();
    let (text, copy, limits) = (program.to_string(), watch.clone(), *limits);
    let thread = std::thread::spawn(move || drop(sender.send(run(&text, arguments, &limits, &copy))));
    let gone = || SolverError::Failed("its thread ended without an answer".into());
    match receiver.recv_timeout(time) {
        Ok(answer) => answer,
        // What has been found so far comes at once: solving can be interrupted.
        Err(_) if watch.grounded.load(Ordering::SeqCst) => receiver.recv().map_err(|_| gone())?,
        Err(mpsc::RecvTimeoutError::Timeout) => {
            left_behind().push(thread);
            Ok(Answer { models: Vec::new(), exhausted: false, stopped: Some(Stopped::Time), atoms: 0 })
        }
        Err(mpsc::RecvTimeoutError::Disconnected) => Err(gone()),
    }
}

/// The threads that still ground what nobody waits for.
static LEFT_BEHIND: Mutex<Vec<JoinHandle<()>>> = Mutex::new(Vec::new());

fn left_behind() -> MutexGuard<'static, Vec<JoinHandle<()>>> {
    LEFT_BEHIND.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for the calls that were left behind when their time was over. A program that gave calls a time does this before it
/// ends: what clingo keeps for all threads is taken down at the end, and a thread that still grounds would fall over it.
pub fn settle() {
    let threads = std::mem::take(&mut *left_behind());
    for thread in threads {
        // A thread that panicked has ended, too.
        thread.join().ok();
    }
}

/// clingo keeps who answers the calls of functions in one place for all threads, so that one at a time can set up a program
/// and ground it. Several can solve.
static GROUNDING: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    GROUNDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The clock of a call.
#[derive(Clone, Default)]
struct Watch {
    until: Option<Instant>,
    grounded: Arc<AtomicBool>,
}

impl Watch {
    fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

fn run(program: &str, arguments: Vec<String>, limits: &Limits, watch: &Watch) -> Result<Answer, SolverError> {
    let failed = |error: ClingoError| SolverError::Failed(error.to_string());
    // Without an observer: the crate's own hands null pointers on as slices.
    let context = Context::new(watch);
    let alone = alone();
    let mut control = clingo::control(arguments).map_err(failed)?.register_control_context(context);
    let base = Part::new("base", Vec::new()).map_err(failed)?;
    let grounded = control.add("base", &[], program).and_then(|()| control.ground(&[base]));
    drop(alone);
    if let Err(error) = grounded {
        check(program)?;
        return Err(failed(error));
    }
    watch.grounded.store(true, Ordering::SeqCst);
    let atoms = control.symbolic_atoms().and_then(clingo::SymbolicAtoms::size).map_err(failed)?;
    let mut answer = Answer { models: Vec::new(), exhausted: false, stopped: None, atoms };
    if limits.atoms.is_some_and(|most| atoms > most) {
        answer.stopped = Some(Stopped::Atoms);
        return Ok(answer);
    }
    let mode = if watch.until.is_some() { SolveMode::ASYNC | SolveMode::YIELD } else { SolveMode::YIELD };
    let mut handle = control.solve(mode, &[]).map_err(failed)?;
    loop {
        handle.resume().map_err(failed)?;
        if let Some(until) = watch.until
            && !handle.wait(until.saturating_duration_since(Instant::now()))
        {
            handle.cancel().map_err(failed)?;
            answer.stopped = Some(Stopped::Time);
            break;
        }
        let Some(model) = handle.model().map_err(failed)? else { break };
        let symbols = model.symbols(ShowType::SHOWN).map_err(failed)?;
        let atoms = symbols.into_iter().map(read_atom).collect::<Clingo<_>>().map_err(failed)?;
        answer.models.push(Model { atoms, cost: model.cost().map_err(failed)? });
    }
    let result = handle.get().map_err(failed)?;
    // Closing frees the solver.
    drop(handle.close().map_err(failed)?);
    answer.exhausted = answer.stopped.is_none() && result.contains(SolveResult::EXHAUSTED);
    Ok(answer)
}

/// Whether clingo accepts a program, and what it says if not. Nothing is grounded.
pub fn check(program: &str) -> Result<(), SolverError> {
    let context = Context::new(&Watch::default());
    let messages = Rc::clone(&context.messages.texts);
    let _alone = alone();
    let checked = clingo::control_with_context(Vec::new(), context).and_then(|mut control| {
        control.add("base", &[], program)?;
        // All of the program is checked before any part of it is grounded.
        control.ground(&[Part::new("_nothing", Vec::new())?])
    });
    checked.map_err(|error| {
        let texts = messages.borrow().trim().to_string();
        SolverError::Program(if texts.is_empty() { error.to_string() } else { texts })
    })
}

struct Context {
    /// In a box, since clingo is told its address before the context gets its place.
    messages: Box<Messages>,
    functions: Functions,
    none: defaults::Non,
}

impl Context {
    fn new(watch: &Watch) -> Context {
        Context { messages: Box::default(), functions: Functions { watch: watch.clone() }, none: defaults::Non }
    }
}

impl ControlCtx for Context {
    type L = Messages;
    type P = defaults::Non;
    type O = defaults::Non;
    type F = Functions;

    fn logger(&mut self) -> (&mut Messages, u32) {
        (&mut self.messages, 20)
    }

    fn propagator(&mut self) -> (&mut defaults::Non, bool) {
        (&mut self.none, false)
    }

    fn observer(&mut self) -> (&mut defaults::Non, bool) {
        (&mut self.none, false)
    }

    fn function_handler(&mut self) -> &mut Functions {
        &mut self.functions
    }
}

/// What clingo says when it fails.
#[derive(Default)]
struct Messages {
    texts: Rc<RefCell<String>>,
}

impl Logger for Messages {
    fn log(&mut self, code: Warning, message: &str) {
        // An operation without a value is no fault, and neither is a predicate without rows.
        if matches!(code, Warning::RuntimeError | Warning::Other) {
            self.texts.borrow_mut().push_str(message);
        }
    }
}

/// The functions of [`number`].
struct Functions {
    watch: Watch,
}

impl FunctionHandler for Functions {
    fn on_external_function(
        &mut self,
        _: &clingo::ast::Location,
        name: &str,
        arguments: &[clingo::Symbol],
    ) -> Result<Vec<clingo::Symbol>, ExternalError> {
        if self.watch.is_over() {
            // Nobody waits for the result, and an error ends the grounding.
            return Err(ExternalError { msg: "the time was over" });
        }
        let values: Option<Vec<Value>> = arguments.iter().map(|a| read_value(*a).ok().flatten()).collect();
        let result = values.and_then(|values| number::call(name, &values));
        let fail = |_| ExternalError { msg: "a number could not be written" };
        result.map(|value| write_value(value).map_err(fail)).into_iter().collect()
    }
}

type Clingo<T> = Result<T, ClingoError>;

fn read_atom(symbol: clingo::Symbol) -> Clingo<Atom> {
    Ok(match read_term(symbol)? {
        Term::App(name, args) => Atom::new(name.as_str(), args),
        Term::Value(Value::Sym(name)) => Atom::new(name.as_str(), Vec::new()),
        other => Atom::new("", vec![other]),
    })
}

/// A term of clingo as one of the language; a tuple is a compound term without a name.
fn read_term(symbol: clingo::Symbol) -> Clingo<Term> {
    if let Some(value) = read_value(symbol)? {
        return Ok(Term::Value(value));
    }
    let mut args = symbol.arguments()?.into_iter().map(read_term).collect::<Clingo<Vec<Term>>>()?;
    let name = match (symbol.name()?, args.first()) {
        ("_value", _) => Symbol::new("="),
        ("_named", Some(Term::Value(Value::Sym(name)))) => {
            let name = *name;
            args.remove(0);
            name
        }
        (name, _) => Symbol::new(name),
    };
    Ok(Term::App(name, ec::with_fluent(name.as_str(), args)))
}

/// The value that a term of clingo stands for, if it is none that is compound.
fn read_value(symbol: clingo::Symbol) -> Clingo<Option<Value>> {
    Ok(match symbol.symbol_type()? {
        SymbolType::Number => Some(Value::Int(i64::from(symbol.number()?))),
        SymbolType::String => Some(Value::Sym(Symbol::new(symbol.string()?))),
        SymbolType::Infimum => Some(Value::from("#inf")),
        SymbolType::Supremum => Some(Value::from("#sup")),
        SymbolType::Function => {
            let arguments = symbol.arguments()?;
            match (symbol.name()?, arguments.as_slice()) {
                ("_int", [text]) => text.string()?.parse().ok().map(Value::Int),
                ("_real", [text]) => text.string()?.parse().ok().and_then(Value::real),
                ("", []) => None,
                (name, []) => Some(Value::Sym(Symbol::new(name))),
                _ => None,
            }
        }
    })
}

fn write_value(value: Value) -> Clingo<clingo::Symbol> {
    let wrapped =
        |name, text: String| clingo::Symbol::create_function(name, &[clingo::Symbol::create_string(&text)?], true);
    match crate::print::canonical(value) {
        Value::Int(i) => match i32::try_from(i) {
            Ok(i) if i != i32::MIN => Ok(clingo::Symbol::create_number(i)),
            _ => wrapped("_int", i.to_string()),
        },
        Value::Real(r) => wrapped("_real", format!("{r:?}")),
        Value::Sym(name) => clingo::Symbol::create_id(name.as_str(), true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(model: &Model) -> Vec<String> {
        let mut texts: Vec<String> = model.atoms.iter().map(ToString::to_string).collect();
        texts.sort();
        texts
    }

    #[test]
    fn terms_are_read_back() {
        let program = "p(id1). p(\"Pump 1\"). p(-3). p(@divided(7,2)). p(@times(2000000000,3)). p(@divided(1,0)). \
                       holdsAt(_value(v(a),low),(s,1)).";
        let answer = solve(program, &[], &Limits::default()).unwrap();
        let expected = ["holdsAt(v(a)=low, ''(s, 1))", "p('Pump 1')", "p(-3)", "p(3.5)", "p(6000000000)", "p(id1)"];
        assert_eq!(texts(answer.best().unwrap()), expected);
    }

    #[test]
    fn what_is_wrong_with_a_program_is_said() {
        let said = |program: &str| check(program).unwrap_err().to_string();
        assert!(said("p(X) :- not q(X).").contains("unsafe"), "{}", said("p(X) :- not q(X)."));
        assert!(said("p(").contains("syntax error"), "{}", said("p("));
        assert_eq!(check("p(1..3). q(X) :- p(X), not r(X)."), Ok(()));
    }

    #[test]
    fn a_limit_that_was_hit_is_reported() {
        let limits = Limits { atoms: Some(10), ..Limits::default() };
        let answer = solve("p(1..20).", &[], &limits).unwrap();
        assert_eq!((answer.stopped, answer.atoms), (Some(Stopped::Atoms), 20));
        // Pigeons that do not fit, which no search of this length can tell, and the best of what is easy.
        let hard = "{ at(P,H) : H = 1..12 } :- P = 1..13. :- at(P,H), at(Q,H), P < Q. :- at(P,H), at(P,J), H < J. \
                    some(P) :- at(P,_). #minimize { 1,P : P = 1..13, not some(P) }. #show at/2.";
        let answer = solve(hard, &["--solve-limit=300"], &Limits::default()).unwrap();
        assert!(!answer.is_optimal() && answer.best().is_some());
    }

    #[test]
    fn threads_do_not_disturb_each_other() {
        let program = "p(1..300). q(@plus(X,Y)) :- p(X), p(Y), Y < 20.";
        let one = solve(program, &[], &Limits::default()).unwrap().atoms;
        let many: Vec<_> = (0..4)
            .map(|_| std::thread::spawn(move || solve(program, &[], &Limits::default()).unwrap().atoms))
            .collect();
        assert!(many.into_iter().all(|thread| thread.join().unwrap() == one));
        assert_eq!(one, 300 + 318);
    }

    #[test]
    fn when_the_time_is_over_nobody_waits() {
        let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
        let answer = solve("p(1..200). :- p(X), p(Y), p(Z), X*Y*Z < 0.", &[], &limits).unwrap();
        assert_eq!(answer.stopped, Some(Stopped::Time));
        assert!(answer.models.is_empty());
        settle();
        assert!(left_behind().is_empty());
    }
}
