//! Online learning and recognition of event definitions in the Event Calculus.
//!
//! People have streams of simple events, somebody walks, a vessel slows, and want to know of complex ones: two people
//! meet, a rendezvous. Rules say when a complex event, a *fluent*, begins and when it ends; in between it persists.
//!
//! Ten lines that learn when a door is open, from what happens and from labels:
//!
//! ```
//! use oled::{Frame, Learner, Replay, ReplaySettings, Source, Task};
//! # const MODES: &str = "input(happensAt(opens(+door), +time)). input(happensAt(shuts(+door), +time)).
//! #     input(holdsAt(seen(+door), +time)). example(holdsAt(open(+door), +time)).
//! #     modeh(initiatedAt(open(+door), +time)). modeh(terminatedAt(open(+door), +time)).
//! #     modeb(happensAt(opens(+door), +time)). modeb(happensAt(shuts(+door), +time)).";
//! # let what = |time: i64| if time % 10 == 3 { "opens" } else { "shuts" };
//! let task = Task::parse(&Source::new("modes.lp", MODES), &Source::new("background.lp", ""))?;
//! let mut learner = Replay::new(&task, ReplaySettings::default())?;
//! for time in 0..60 {
//!     let mut frame = Frame::new("monday".into(), time);
//!     frame.holds("seen", ["front"]);
//!     if time % 5 == 3 { frame.happens(what(time), ["front"]); }
//!     if (4..=8).contains(&(time % 10)) { frame.label("open", ["front"]); }
//!     learner.observe(&frame, &mut ());
//! }
//! let rules = learner.learned(&mut ()).theory().to_string();
//! # assert!(rules.contains("initiatedAt(open(X0), T) :-\n    happensAt(opens(X0), T)."), "{rules}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The examples of this crate recognise with learned rules, read a source of their own, save and resume, swap rules while a stream
//! goes on, and explain.
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
//! | [`partition`] | a stream dealt out by segment, for several workers |
//! | [`settings`](mod@settings) | what can be set, as tables |
//! | [`evaluate`] | recognised against annotated |
//!
//! ```
#![doc = include_str!("../examples/door.rs")]
//! ```

pub mod calculus;
pub mod evaluate;
pub mod event;
pub mod explain;
pub mod induce;
mod inertia;
pub mod interrupt;
pub mod lang;
pub mod learn;
pub mod logic;
pub mod partition;
pub mod recognise;
pub mod registry;
pub mod relate;
pub mod replay;
pub mod settings;
pub mod state;
pub mod stream;
pub mod task;
#[cfg(feature = "testing")]
pub mod testing;
pub mod ticks;
pub mod weights;

pub use calculus::{End, Interval, Precedence};
pub use evaluate::{Confusion, Evaluation, IntervalCounts, Late, Tracks};
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
pub use stream::{Batch, FactError, FactProblem, FactReader, Facts, Frame, Kinds, WrongKind};
pub use task::{CalculusOptions, DefinitionKind, Task};
pub use ticks::{Every, Ticks};
