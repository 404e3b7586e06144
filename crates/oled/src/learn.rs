//! Algorithm 1 of the paper, and the stream it learns from.

mod instances;
mod interpretation;
mod learner;
mod process;

pub use instances::Instance;
pub use interpretation::{Cover, Interpretation};
pub use learner::{Learned, LearnedRule, Learner};
pub use process::{LeftOut, Process};
