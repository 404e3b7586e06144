//! Algorithm 1 of the paper, and the stream it learns from.

mod candidates;
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
mod propositionaliser;
mod related;
mod segment_propositionaliser;
mod snapshot;
mod target;
mod written;

pub use existential::AssignmentOverflow;
pub use fits::fits;
pub(crate) use given::Given;
pub use heads::Head;
pub(crate) use heads::{InstanceOptions, heads, prefer_persisting};
pub use instances::Instance;
pub(crate) use instances::Loss;
pub use interpretation::Interpretation;
pub use learned::{
    Ablation, Capabilities, Firings, FluentFit, HeldOut, Learned, LearnedRule, Learner, Progress, ProgressListener,
    RuleCounts, RuleEvidence, Supervision, Work,
};
pub(crate) use links::{Connected, Links};
pub use lookup::Lookup;
pub(crate) use measured::NumericFeature;
pub use oled::Oled;
pub(crate) use oled::{OLED, meant_for_others, rename};
pub use process::{NotPrinted, Process};
pub use propositionaliser::Propositionaliser;
pub(crate) use propositionaliser::{Missing, PropositionaliserState};
pub use segment_propositionaliser::{Propositionalised, SegmentPropositionaliser};
pub(crate) use snapshot::{GroupSnapshot, Needed, Snapshot};
