//! Algorithm 1 of the paper, and the stream it learns from.

mod candidates;
mod cover;
mod covering;
mod data;
mod existential;
mod fits;
mod given;
mod heads;
mod instances;
mod interpretation;
mod labels;
mod learned;
mod links;
mod lookup;
mod measured;
mod oled;
mod present;
mod printed;
mod process;
mod related;
mod sight;
mod target;
mod written;

pub use cover::Cover;
pub(crate) use cover::{CoverState, Missing};
pub use covering::{Covered, Covering};
pub use existential::TooMany;
pub use fits::fits;
pub(crate) use given::Given;
pub use heads::Head;
pub(crate) use heads::{Sights, heads, prefer_persisting};
pub use instances::Instance;
pub(crate) use instances::Loss;
pub use interpretation::Interpretation;
pub use learned::{
    Capabilities, Counted, Fired, FluentFit, Grounds, HeldOut, Learned, LearnedRule, Learner, Progress, Supervision,
    Trust, Watcher, Work,
};
pub(crate) use links::{Connected, Links};
pub use lookup::Lookup;
pub(crate) use measured::Gauge;
pub use oled::Oled;
pub(crate) use oled::{OLED, meant_for_others, rename};
pub use process::{LeftOut, Process};
pub(crate) use sight::{Needed, Seen, Sight};
