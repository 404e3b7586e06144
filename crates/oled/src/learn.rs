//! Algorithm 1 of the paper, and the stream it learns from.

mod heads;
mod instances;
mod interpretation;
mod learner;
mod lookup;
mod measured;
mod process;
mod sight;

pub(crate) use heads::{Head, Sights, heads};
pub use instances::{Instance, TooMany};
pub use interpretation::{Cover, Interpretation};
pub use learner::{Learned, LearnedRule, Learner};
pub use lookup::Lookup;
pub(crate) use measured::Gauge;
pub use process::{LeftOut, Process};
pub(crate) use sight::Sight;
