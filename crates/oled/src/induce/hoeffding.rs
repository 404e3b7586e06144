//! The Hoeffding bound: how far a mean of observations may be from the truth.

use serde::{Deserialize, Serialize};

/// With probability `1 - delta` the mean of `n` observations in `[0, 1]` is off by less than this.
///
/// ```
/// use oled::induce::epsilon;
/// assert!(epsilon(1e-5, 2303.0) < 0.05 && epsilon(1e-5, 2302.0) > 0.05);
/// assert_eq!(epsilon(1e-5, 0.0), f64::INFINITY);
/// ```
pub fn epsilon(delta: f64, n: f64) -> f64 {
    if n <= 0.0 { f64::INFINITY } else { (libm::log(1.0 / delta) / (2.0 * n)).sqrt() }
}

/// The mean of what was added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunningMean {
    sum: f64,
    count: u64,
}

impl RunningMean {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    /// How many values were added.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The mean, if anything was added.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}
