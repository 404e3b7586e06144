//! Noise: sensors that miss changes, flicker and measure inexactly, and an annotator whose minutes are not exact.
//!
//! Each kind has a generator of its own, and draws the same numbers whatever its rate is: at another rate the resident does
//! the same things, and a mistake made at a low rate is made at every higher one.

use super::house::{Minute, Sensor};
use crate::world::random::Random;

/// What the sensors of a house make of a day.
#[derive(Clone, Debug)]
pub(super) struct Wiring {
    pub(super) missed: f64,
    pub(super) spurious: f64,
    pub(super) gauge_noise: f64,
    pub(super) changes: Random,
    pub(super) flicker: Random,
    pub(super) gauges: Random,
}

impl Wiring {
    /// The day as it is reported. A change that is missed leaves a sensor as it was until its next one.
    pub(super) fn report(&mut self, day: &[Minute]) -> Vec<Minute> {
        let mut reported = Vec::with_capacity(day.len());
        let Some(mut before) = day.first().copied() else { return reported };
        let mut state = before.on;
        for minute in day {
            for (sensor, _) in Sensor::ALL {
                if before.on.has(sensor) != minute.on.has(sensor) && !self.changes.chance(self.missed) {
                    state.set(sensor, minute.on.has(sensor));
                }
            }
            let mut seen = Minute { on: state, ..*minute };
            // One draw for the minute and one for the sensor: a minute has one flicker at most.
            let flickers = self.flicker.chance(self.spurious);
            let (sensor, _) = Sensor::ALL[self.flicker.below(Sensor::ALL.len() as u64) as usize];
            if flickers {
                seen.on.toggle(sensor);
            }
            // As good as such instruments are: half a percent of humidity, 15 watts, 3 lux.
            let [humidity, power, lux] = [5.0, 15.0, 3.0].map(|deviation| deviation * self.gauges.approx_normal());
            seen.humidity = (seen.humidity + (humidity * self.gauge_noise) as i64).clamp(0, 1000);
            seen.power = (seen.power + (power * self.gauge_noise) as i64).max(0);
            seen.lux = (seen.lux + (lux * self.gauge_noise) as i64).max(0);
            reported.push(seen);
            before = *minute;
        }
        reported
    }
}

/// Somebody who writes down when activities begin and end, by a clock without a second hand.
#[derive(Clone, Debug)]
pub(super) struct Annotator {
    pub(super) label_noise: f64,
    pub(super) random: Random,
}

impl Annotator {
    /// The labels that are set where an activity is the case at these minutes: each end of an interval may be a minute early
    /// or late. An interval of one minute that begins late, or ends early, is overlooked.
    pub(super) fn annotate(&mut self, holds: &[bool]) -> Vec<bool> {
        let mut labels = vec![false; holds.len()];
        let mut at = 0;
        for run in holds.chunk_by(|a, b| a == b) {
            if run[0] {
                let (first, end) = (at + self.shift(), at + run.len() as i64 + self.shift());
                let within = |minute: i64| minute.clamp(0, holds.len() as i64) as usize;
                if first < end {
                    labels[within(first)..within(end)].fill(true);
                }
            }
            at += run.len() as i64;
        }
        labels
    }

    fn shift(&mut self) -> i64 {
        let wrong = self.random.chance(self.label_noise);
        let late = self.random.chance(0.5);
        match (wrong, late) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => -1,
        }
    }
}
