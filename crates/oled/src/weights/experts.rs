//! Experts: rules whose weights are multiplied where they are wrong, and inertia of each instance beside them: as OLED-EXP
//! does, with the updates of Hedge for experts that sleep while they do not fire. Rules are weighed against those that fire with
//! them: one that fires alone has its way, whatever its weight.

use super::chain::States;
use super::chains::FluentChains;
use super::online::{Online, WindowPart};
use super::vote::{self, Persistence};
use super::weight::{FluentWeights, Inertia};

/// What a wrong expert keeps of its weight, as in the literature. With half of it, one error silences a rule among others; with
/// twice, it takes several.
const KEPT: f64 = 0.2;

/// The weights of rules.
#[derive(Clone, Debug)]
pub(super) struct Experts {
    rules: Vec<f64>,
}

impl Experts {
    /// All rules have the same say, before anything is learned.
    pub(super) fn new(fluent: &FluentChains) -> Experts {
        Experts { rules: vec![1.0; fluent.rules.len()] }
    }

    /// Takes weight from experts that were wrong, and gives it to all that are awake, so that they have as much together as
    /// before: rules that fire, and the inertia of the instance.
    fn update(&mut self, fluent: &FluentChains, fired: usize, inertia: &mut Persistence, label: usize) {
        let awake = || fluent.votes(fired).map(|(rule, (at, state))| (at, rule.ends == (state == label)));
        let total = |rules: &[f64], inertia: Persistence| {
            awake().map(|(at, _)| rules[at]).sum::<f64>() + inertia.map_or(0.0, |(_, weight)| weight)
        };
        let before = total(&self.rules, *inertia);
        awake().filter(|(_, is_wrong)| *is_wrong).for_each(|(at, _)| self.rules[at] *= KEPT);
        if let Some((_, weight)) = inertia.as_mut().filter(|(state, _)| *state != label) {
            *weight *= KEPT;
        }
        let after = total(&self.rules, *inertia);
        if after > 0.0 {
            awake().for_each(|(at, _)| self.rules[at] *= before / after);
            if let Some((_, weight)) = inertia {
                *weight *= before / after;
            }
        }
    }
}

impl Online for Experts {
    // Each label is learned from before the next time point is recognised.
    const WINDOW: usize = 1;

    type Carried = Persistence;

    fn window(&mut self, fluent: &FluentChains, parts: &mut [WindowPart<Persistence>]) {
        for part in parts {
            let inertia = &mut part.carried;
            for run in &part.runs {
                let fired = run.fired as usize;
                let winner = vote::winner(&vote::sure(fluent, &self.rules, fired, *inertia));
                let found = winner.map_or(0, |(state, _)| state);
                part.states.push(States::all(found, run.length));
                let Some(label) = run.label.map(|label| label as usize) else { continue };
                self.update(fluent, fired, inertia, label);
                *inertia = match (found, label) {
                    (0, 0) => None,
                    _ if found == label => vote::kept(*inertia, winner),
                    _ => *inertia,
                };
            }
        }
    }

    fn weights(&self, fluent: &FluentChains) -> FluentWeights {
        let weights = FluentWeights::new(fluent.name(), self.rules.clone());
        FluentWeights { holding: 0.0, absent: 0.0, inertia: Inertia::Vote, ..weights }
    }
}
