//! Weights: how much each rule of a theory counts, and with that how sure it is of what it recognises.
//!
//! A theory says when a fluent starts and ends. With a weight for each rule and two for inertia, it says how much speaks for
//! each sequence of states: see [`chain`](self::Stretch). Weights are learned from a labelled stream by a margin, the best
//! states are found exactly, and so is how probable each is.

mod calibrate;
mod chain;
mod counts;
mod firing;
mod margin;
mod marginal;
mod weight;

pub use calibrate::{Calibration, Reliability};
pub use chain::{Scores, States, Stretch, decode};
pub use firing::{Chain, Chains, Firing, FluentChains, Label, RuleOf, Run};
pub use margin::{Costs, Kind, Margin, weigh};
pub use marginal::marginals;
pub use weight::{FluentWeights, Weights};
