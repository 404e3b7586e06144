//! Weights of a theory: a number for each rule, and for each fluent two of inertia and a temperature.

use crate::lang::Symbol;

/// The weights of a fluent's rules.
#[derive(Clone, Debug, PartialEq)]
pub struct FluentWeights {
    /// The fluent.
    pub fluent: Symbol,
    /// What each of its rules counts, in the order of the theory: how many time points of inertia it outweighs.
    pub rules: Vec<f64>,
    /// What speaks for going on to hold, at each time point at which no rule ends it. Not more than `absent`: what no rule has
    /// started is not better off by holding.
    pub holding: f64,
    /// What speaks for going on not to hold, at each time point at which no rule starts it.
    pub absent: f64,
    /// By how much scores are divided before they are probabilities.
    pub temperature: f64,
}

impl FluentWeights {
    /// Weights in units of inertia: those of not holding are 1, if there are any.
    #[must_use]
    pub fn scaled(mut self) -> FluentWeights {
        if self.absent > 0.0 {
            let unit = self.absent;
            self.rules.iter_mut().for_each(|weight| *weight /= unit);
            (self.holding, self.absent, self.temperature) = (self.holding / unit, 1.0, self.temperature / unit);
        }
        self
    }
}

/// The weights of a theory, fluent by fluent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    /// In the order of their rules.
    pub fluents: Vec<FluentWeights>,
}
