//! Algorithm 1 of the paper, and the stream it learns from.

mod interpretation;
mod learner;
mod process;

pub use interpretation::{Cover, Instance, Interpretation, unknown};
pub use learner::{Learned, LearnedRule, Learner};
pub use process::Process;
