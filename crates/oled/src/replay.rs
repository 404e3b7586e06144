//! Replay: remember the stream as runs of equal truth; choose the smallest set of well-supported rules whose own
//! free-running recognition fits the annotation best.

mod grid;
mod learner;
mod pool;
mod record;
mod search;
mod view;

pub use learner::Replay;
pub use record::{Memory, Record};
