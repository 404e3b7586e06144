//! Replay: remember the stream as runs of equal truth; choose the smallest set of well-supported rules whose own
//! free-running recognition fits the annotation best.

mod bins;
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
mod stream_history;
mod sums;
mod target;
mod threads;
mod track;
mod watch;
mod why_nothing;

pub use learner::Replay;
pub use record::Record;
pub use retention::Memory;
pub use settings::{REPLAY_SETTINGS, ReplaySettings};
pub use stream_history::{InstanceHistory, Step, StreamHistory};
