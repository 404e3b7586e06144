//! Weights: how much each rule of a theory counts, and with that how sure it is of what it recognises.
//!
//! A theory says when a fluent starts and ends. With a weight for each rule and two for inertia, it says how much speaks for
//! each sequence of states: see [`chain`](self::Stretch). Weights are learned from a labelled stream by a margin, the best
//! states are found exactly, and so is how probable each is.

mod calibrate;
mod chain;
mod counts;
mod curve;
mod dual;
mod firing;
mod live;
mod margin;
mod marginal;
mod recognised;
mod weight;

pub use calibrate::{Calibration, FEW_INTERVALS, Reliability};
pub use chain::{Scores, States, Stretch, decode};
pub use curve::Curve;
pub use firing::{Chain, Chains, Firing, FluentChains, Label, RuleOf, Run};
pub use live::Live;
pub use margin::{BySegment, Costs, Kind, Margin, total, weigh};
pub use marginal::marginals;
pub use recognised::{At, Confidence, Decision, Timetable};
pub use weight::{FluentWeights, Weights};

use crate::evaluate::Evaluation;
use crate::lang::{Problems, Theory};
use crate::stream::Frame;
use crate::task::Task;

/// The weights of a theory, and what was found out on the way.
#[derive(Clone, Debug)]
pub struct Weighed {
    /// Fluent by fluent.
    pub weights: Weights,
    /// How they were learned.
    pub margins: Vec<Margin>,
}

impl Weighed {
    /// Lets rules that were learned from the same stream have their say, where weights are not better on segments that those
    /// were not learned from. `evaluation` is of the rules alone.
    pub fn let_rules_decide(&mut self, chains: &Chains, evaluation: &Evaluation, costs: &Costs) {
        let all = chains.fluents.iter().zip(&self.margins).zip(&mut self.weights.fluents);
        for ((fluent, margin), weights) in all {
            if !margin.is_better(&evaluation.of_fluent(fluent.name()), costs) {
                *weights = margin.confidence.clone();
            }
        }
    }
}

/// Learns the weights of a theory from a labelled stream.
pub fn weigh_theory<'f>(
    task: &Task,
    theory: &Theory,
    frames: impl IntoIterator<Item = &'f Frame>,
    costs: &Costs,
) -> Result<Weighed, Problems> {
    let mut firing = Firing::new(task, theory)?;
    frames.into_iter().for_each(|frame| firing.observe(frame));
    Ok(weigh_chains(&firing.finish(), costs))
}

/// Learns the weights of a theory from what fires on a labelled stream.
pub fn weigh_chains(chains: &Chains, costs: &Costs) -> Weighed {
    let margins: Vec<Margin> = chains.fluents.iter().map(|fluent| weigh(fluent, costs)).collect();
    let weights = Weights { fluents: margins.iter().map(|margin| margin.weights.clone()).collect() };
    Weighed { weights, margins }
}
