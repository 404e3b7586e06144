//! Weights: how much each rule of a theory counts, and with that how sure it is of what it recognises.
//!
//! A theory says when a fluent starts and ends. With a weight for each rule and two for inertia, it says how much speaks for
//! each sequence of states: see [`chain`](self::ScoredRun). Weights are learned from a labelled stream by a margin, the best
//! states are found exactly, and so is how probable each is.

mod adagrad;
mod calibrate;
mod chain;
mod chains;
mod choose;
mod costs;
mod counts;
mod curve;
mod dual;
mod experts;
mod firing;
mod layered;
mod layers;
mod live;
mod margin;
mod marginal;
mod online;
mod recognised;
mod related;
mod vote;
mod weight;

pub use calibrate::{Calibration, FEW_INTERVALS, Reliability};
pub use chain::{ScoredRun, Scores, States, decode};
pub use chains::{Chain, Chains, FluentChains, RuleOf, Run, Vote};
pub use choose::{Chosen, Kind, Method, weigh};
pub use costs::{BySegment, Costs, total};
pub use curve::Curve;
pub use firing::Firing;
pub use layered::{Layered, Recognition, recognise};
pub use live::Live;
pub use margin::Trade;
pub use marginal::marginals;
pub use recognised::{Confidence, Decision};
pub use related::{Relating, untold};
pub use weight::{FluentWeights, Inertia, Weights};

pub use crate::evaluate::{At, Timetable};

use crate::evaluate::Evaluation;
use crate::lang::{Problems, Theory};
use crate::stream::Frame;
use crate::task::Task;

/// The weights of a theory, and what was found out on the way.
#[derive(Clone, Debug)]
pub struct Weighed {
    /// What fires on the stream that they were learned from: of all fluents, in the order of their layers.
    pub chains: Chains,
    /// Fluent by fluent.
    pub weights: Weights,
    /// How they were learned.
    pub chosen: Vec<Chosen>,
}

/// How the weights of a theory are learned.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weighing<'e> {
    /// What errors cost.
    pub costs: Costs,
    /// How weights are learned.
    pub method: Method,
    /// What rules that were learned from the same stream recognise in it, without weights: they have their say where weights
    /// are not better on segments that those were not learned from.
    pub rules: Option<&'e Evaluation>,
    /// The threads that count: what is learned does not depend on them. One where it is zero.
    pub threads: usize,
}

impl Weighing<'_> {
    /// Learns the weights of a theory from a labelled stream, layer by layer. What is wrong with weighing it is said.
    pub fn learn<'f, F: Iterator<Item = &'f Frame>>(
        &self,
        task: &Task,
        theory: &Theory,
        frames: impl Fn() -> F,
    ) -> Result<Weighed, Problems> {
        let mut known = Timetable::empty(&task.bias);
        let (mut chains, mut weights, mut chosen) = (Chains::default(), Weights::default(), Vec::new());
        for mut layer in Firing::layers(task, theory)? {
            let of_layer = self.weigh(layered::fire(&mut layer, frames(), &known));
            let found = of_layer.chains.intervals(&of_layer.weights, Decision::Best);
            known.add_of(&of_layer.chains, found.iter().map(|(interval, _)| interval));
            chains.extend(of_layer.chains);
            weights.fluents.extend(of_layer.weights.fluents);
            chosen.extend(of_layer.chosen);
        }
        Ok(Weighed { chains, weights, chosen })
    }

    /// Learns weights from what fires on a labelled stream.
    pub fn weigh(&self, chains: Chains) -> Weighed {
        let chosen: Vec<Chosen> =
            chains.fluents.iter().map(|fluent| weigh(fluent, &self.costs, self.method, self.threads)).collect();
        let weights = chains.fluents.iter().zip(&chosen).map(|(fluent, chosen)| match self.rules {
            Some(rules) if !chosen.is_better(&rules.of_fluent(fluent.name()), &self.costs) => chosen.confidence.clone(),
            _ => chosen.weights.clone(),
        });
        Weighed { weights: Weights { fluents: weights.collect() }, chains, chosen }
    }
}
