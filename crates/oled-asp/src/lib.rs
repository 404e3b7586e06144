//! Tasks, theories and streams as answer set programs, and clingo to run them.
//!
//! | room | what it is |
//! |---|---|
//! | [`mod@print`] | a task, a theory and a stream as one program that clingo runs as it is |
//! | [`number`] | arithmetic and order, which clingo has for small integers only |
//! | `judge` | what the library derives, compared with what clingo says (feature `clingo`) |
//! | `reasoner` | backgrounds in clingo's own language (feature `clingo`) |
//! | `solver` | clingo, behind one file (feature `clingo`) |
//! | [`registry`] | the learners XHAIL and ILED, as specs |
//! | [`settings`] | what can be set about the learners XHAIL and ILED |
//! | `choice` | kernel clauses, and the choice among them as answer sets (feature `clingo`) |
//! | `xhail` | a batch learner (feature `clingo`) |
//! | `iled` | an incremental learner (feature `clingo`) |
//!
//! The rest needs clingo, which is built from its sources when the feature `clingo` is on.

#[cfg(feature = "clingo")]
mod choice;
#[cfg(feature = "clingo")]
mod iled;
#[cfg(feature = "clingo")]
pub mod judge;
pub mod number;
pub mod print;
#[cfg(feature = "clingo")]
pub mod reasoner;
pub mod registry;
pub mod settings;
#[cfg(feature = "clingo")]
pub mod solver;
#[cfg(feature = "clingo")]
mod xhail;

#[cfg(feature = "clingo")]
pub use choice::{Cost, Effort, Hypothesis, Kernel, Problem, Weights};
#[cfg(feature = "clingo")]
pub use iled::Iled;
pub use settings::{IledSettings, XhailSettings};
#[cfg(feature = "clingo")]
pub use xhail::Xhail;

/// How to get a program that can call clingo.
pub const HOW_TO_SWITCH_ON: &str = "run it with `cargo run --release --features clingo -- …`, which builds clingo; \
    that needs a C++ compiler and cmake (`apt-get install -y cmake`)";
