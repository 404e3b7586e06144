//! Online learning and recognition of event definitions in the Event Calculus.
//!
//! People have streams of simple events, somebody walks, a vessel slows, and want to know of complex ones: two people
//! meet, a rendezvous. Rules say when a complex event, a *fluent*, begins and when it ends; in between it persists.
//!
//! | room | what it is |
//! |---|---|
//! | [`lang`] | the language: names, terms, clauses, declarations, one parser |
//! | [`stream`] | frames: what is known about one time point of one segment |
//! | [`logic`] | stratified rules, evaluated at each time point |
//! | [`calculus`] | inertia, and the intervals it makes |
//! | [`task`] | declarations and background knowledge, checked together |
//! | [`recognise`] | a theory at work on a stream |
//! | [`explain`] | why it recognised something, or did not |
//! | [`induce`] | learning one rule: literals, ledger, scores, the Hoeffding bound |
//! | [`learn`] | Algorithm 1: all rules of all heads, from one pass over the stream |
//! | [`replay`] | the default learner: the whole theory by its own recognition |
//! | [`registry`] | the learners there are, as data |
//! | [`state`] | what a learner or a recogniser knows, as bytes |
//! | [`event`] | what happened while learning |
//! | [`interrupt`] | a request that long work ends early |
//! | [`deal`] | a stream dealt out by segment, for several workers |
//! | [`evaluate`] | recognised against annotated |
//!
//! ```
#![doc = include_str!("../examples/door.rs")]
//! ```

pub mod calculus;
pub mod deal;
pub mod evaluate;
pub mod event;
pub mod explain;
pub mod induce;
mod inertia;
pub mod interrupt;
pub mod lang;
pub mod learn;
pub mod logic;
pub mod recognise;
pub mod registry;
mod relate;
pub mod replay;
pub mod state;
pub mod stream;
pub mod task;
#[cfg(feature = "testing")]
pub mod testing;
pub mod ticks;
pub mod weights;

pub use calculus::{End, Interval, Precedence};
pub use evaluate::{Confusion, Evaluation, IntervalCounts, Tracks};
pub use induce::Settings;
pub use interrupt::Interrupt;
pub use lang::{
    Atom, Bias, Clause, Comparison, Diagnostic, Formula, Literal, Mark, Mode, Problems, Signature, Source, Span,
    Symbol, Term, Theory, Value, parse_atom, parse_source, parse_theory,
};
pub use learn::{Capabilities, Learned, LearnedRule, Learner, Oled, Supervision};
pub use recognise::Recogniser;
pub use registry::LearnerSpec;
pub use replay::{Replay, ReplaySettings};
pub use state::StateError;
pub use stream::{FactError, FactProblem, FactReader, Facts, Frame, Kinds, WrongKind};
pub use task::{CalculusOptions, DefinitionKind, Task};
pub use ticks::{Every, Ticks};
