//! Learning one rule: what it could be made of, how often it was right, and when that is enough to decide.

mod bias_literals;
mod hoeffding;
mod ledger;
mod mask;
mod refine;
mod rule;
mod score;
mod settings;
mod subsume;
mod threshold;

pub use bias_literals::{Column, Component, Introduced, LiteralTable, OpenLiteral, Pattern, head_template};
pub use hoeffding::{RunningMean, epsilon};
pub use ledger::{Ledger, Tally};
pub use mask::Mask;
pub use refine::{Candidate, best_two, for_each_refinement};
pub(crate) use rule::counts;
pub use rule::{Decision, Figures, Rule, Verdict};
pub use score::{Counts, RuleKind, Score};
pub use settings::{
    Evidence, ExpandWhen, Gap, MAX_INSTANCES, OutputFilter, PRESET_ALIASES, PRESETS, Pruning, SETTINGS, Seeds,
    Settings, Tie, Unit, preset_name,
};
pub use subsume::{equivalent, subsumes};
pub(crate) use threshold::{Numbers, Threshold, between};
