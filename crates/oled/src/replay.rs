//! Replay: remember the stream as runs of equal truth; choose the smallest set of well-supported rules whose own
//! free-running recognition fits the annotation best.

mod bins;
mod chronicle;
mod classes;
mod climb;
mod closed;
mod delta;
mod evidence;
mod extension;
mod fluent;
mod layout;
mod learner;
mod literal;
mod objective;
mod question;
mod recognised;
mod record;
mod refine;
mod remarks;
mod retention;
mod rules;
mod runs;
mod scale;
mod settings;
mod simulate;
mod sums;
mod target;
mod track;
mod watch;
mod why_nothing;

pub use chronicle::{Chronicle, Course, Step};
pub use learner::Replay;
pub use record::Record;
pub use retention::Memory;
pub use settings::{REPLAY_SETTINGS, ReplaySettings};
