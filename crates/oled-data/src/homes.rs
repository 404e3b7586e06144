//! Simulated homes: one resident each, sensors that are on or off, a few gauges, and activities that are mostly short and
//! rare.
//!
//! In the [lobby](crate::world) whatever is labelled goes on for long, and there is much of it. Here most activities take a
//! few minutes, some of them once a day, and there are many sensors that have nothing to do with them: so it is seen
//! whether a learner takes for a rule what is an accident of the days it has seen.
//!
//! ```text
//! resident ──a day──▶ truth (the rules of true.lp) ──▶ noise::Annotator ──▶ annotation
//!  (house)     └────▶ noise::Wiring ─────────────────────────────────────▶ narrative
//! ```
//!
//! The same options give the same frames, bit for bit, on every platform and in every release; a test holds their hash.

mod house;
mod noise;
mod resident;
mod truth;
mod vocabulary;

use oled::{Frame, Symbol, Value};

use crate::world::random::Random;
use house::Minute;
use noise::{Annotator, Wiring};
use resident::{DAY, Resident};
use truth::Activity;
use vocabulary::Vocabulary;

/// What the homes are like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HomesOptions {
    /// Another seed gives other days of the same kind. Default 1.
    pub seed: u64,
    /// How many homes there are, named `h1`, `h2`, …; what happens in one does not depend on the others. Default 1.
    pub homes: usize,
    /// How many days there are, named `day1`, `day2`, …: a segment each, of 1440 minutes from three in the morning on.
    /// Default 20.
    pub days: usize,
    /// The share of changes, 0 to 1, that a sensor misses: it stays as it was until its next one. Default 0.005.
    pub missed: f64,
    /// The share of minutes, 0 to 1, in which one sensor of a home says the opposite. Default 0.005.
    pub spurious: f64,
    /// The noise of gauges: at 1, the default, half a percent of humidity, 15 watts and 3 lux.
    pub gauge_noise: f64,
    /// The share of ends of labelled intervals, 0 to 1, that are a minute early or late. Default 0.1.
    pub label_noise: f64,
}

impl Default for HomesOptions {
    fn default() -> HomesOptions {
        HomesOptions { seed: 1, homes: 1, days: 20, missed: 0.005, spurious: 0.005, gauge_noise: 1.0, label_noise: 0.1 }
    }
}

impl HomesOptions {
    /// The same homes without noise: there the true rules fit the labels exactly.
    #[must_use]
    pub fn without_noise(self) -> HomesOptions {
        self.with_noise(0.0)
    }

    /// The same homes with a multiple of this noise.
    #[must_use]
    pub fn with_noise(self, factor: f64) -> HomesOptions {
        HomesOptions {
            missed: self.missed * factor,
            spurious: self.spurious * factor,
            gauge_noise: self.gauge_noise * factor,
            label_noise: self.label_noise * factor,
            ..self
        }
    }
}

/// The homes as a stream of frames, a minute each. One day of every home is in memory.
///
/// ```
/// use oled_data::homes::{Homes, HomesOptions};
/// let mut homes = Homes::new(HomesOptions { days: 2, ..HomesOptions::default() });
/// assert_eq!(homes.len(), 2880);
/// let first = homes.next().unwrap();
/// assert_eq!((first.segment.as_str(), first.time), ("day1", 0));
/// let facts: Vec<String> = first.narrative.atoms(first.time).map(|a| a.to_string()).collect();
/// assert_eq!(facts[0], "on(h1, bed, 0)");
/// ```
#[derive(Clone, Debug)]
pub struct Homes {
    options: HomesOptions,
    vocabulary: Vocabulary,
    names: Vec<Value>,
    /// The present day of each home.
    diaries: Vec<Diary>,
    /// The day and the minute of the next frame.
    day: usize,
    minute: usize,
    name: Symbol,
}

/// A day of one home, as it is told.
#[derive(Clone, Debug)]
struct Diary {
    reported: Vec<Minute>,
    /// Of each activity, in the order of [`Activity::ALL`].
    labels: Vec<Vec<bool>>,
}

impl Homes {
    /// The homes at their beginning. Shares outside of 0 to 1 are taken for the nearest bound, negative noise for none.
    pub fn new(options: HomesOptions) -> Homes {
        // What is not a number is not above zero either.
        let at_most = |bound: f64, x: f64| if x > 0.0 { x.min(bound) } else { 0.0 };
        let options = HomesOptions {
            missed: at_most(1.0, options.missed),
            spurious: at_most(1.0, options.spurious),
            gauge_noise: at_most(1e6, options.gauge_noise),
            label_noise: at_most(1.0, options.label_noise),
            ..options
        };
        let names = (1..=options.homes).map(|home| Value::from(format!("h{home}").as_str())).collect();
        let (vocabulary, name) = (Vocabulary::new(), Symbol::new("day1"));
        Homes { options, vocabulary, names, diaries: Vec::new(), day: 0, minute: 0, name }
    }

    fn start_day(&mut self) {
        self.name = Symbol::new(&format!("day{}", self.day + 1));
        self.diaries.clear();
        for home in 0..self.options.homes {
            let diary = self.diary(home);
            self.diaries.push(diary);
        }
    }

    fn diary(&self, home: usize) -> Diary {
        let HomesOptions { seed, missed, spurious, gauge_noise, label_noise, .. } = self.options;
        let random = |purpose| Random::new(seed, &[self.day as u64, home as u64, purpose]);
        let lived = Resident::day(random(0));
        let (changes, flicker, gauges) = (random(1), random(2), random(3));
        let mut wiring = Wiring { missed, spurious, gauge_noise, changes, flicker, gauges };
        let mut annotator = Annotator { label_noise, random: random(4) };
        let labels = Activity::ALL.iter().map(|(activity, _)| annotator.annotate(&activity.holds(&lived)));
        let labels = labels.collect();
        Diary { reported: wiring.report(&lived), labels }
    }

    fn frame(&self) -> Frame {
        let mut frame = Frame::new(self.name, self.minute as i64);
        for (diary, &home) in self.diaries.iter().zip(&self.names) {
            // The first minute has none before it, so nothing has changed.
            let before = &diary.reported[self.minute.saturating_sub(1)];
            self.vocabulary.narrate(before, &diary.reported[self.minute], home, &mut frame.narrative);
            for (labels, &holds) in diary.labels.iter().zip(&self.vocabulary.holds) {
                if labels[self.minute] {
                    frame.annotation.push(holds, &[home]);
                }
            }
        }
        frame
    }
}

impl Iterator for Homes {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        if self.len() == 0 {
            return None;
        }
        if self.minute == 0 {
            self.start_day();
        }
        let frame = self.frame();
        self.minute += 1;
        if self.minute == DAY {
            (self.day, self.minute) = (self.day + 1, 0);
        }
        Some(frame)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.options.days.saturating_sub(self.day).saturating_mul(DAY).saturating_sub(self.minute);
        (left, Some(left))
    }
}

impl ExactSizeIterator for Homes {}
