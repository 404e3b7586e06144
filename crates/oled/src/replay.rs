//! Replay: remember the stream as runs of equal truth; choose the smallest set of well-supported rules whose own
//! free-running recognition fits the annotation best.

mod chronicle;
mod learner;
mod pool;
mod quest;
mod recognised;
mod record;
mod remarks;
mod rules;
mod search;
mod settings;
mod summary;
mod trust;
mod view;
mod watch;
mod why_nothing;

pub use chronicle::{Chronicle, Course, Step};
pub use learner::Replay;
pub use record::{Memory, Record};
pub use settings::{Penalty, REPLAY_SETTINGS, ReplaySettings};
