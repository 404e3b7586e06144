//! A simulated world: people in a lobby who walk, stop, run, meet, move together, fight, loiter and leave objects.
//!
//! The stream looks like CAVIAR's, but there is any amount of it, and the rules behind its labels are known:
//!
//! ```text
//! hall + scene ──sightings──▶ truth (the rules of true.lp) ──labels──▶ noise::Annotator ──▶ annotation
//!  (body, slots)      │          (past: what they look back to)
//!                     └─────▶ noise::Tracker ────────────────────────────────────────────▶ narrative
//! ```
//!
//! The same options give the same frames, bit for bit, on every platform and in every release; a test holds their hash.

mod body;
mod faults;
mod hall;
mod noise;
mod past;
pub(crate) mod random;
mod scene;
mod slots;
mod truth;
mod vocabulary;

use oled::{Facts, Frame, Symbol};

pub use faults::{FaultInjector, Faults, InjectedFaults};
pub use random::splitmix;

use hall::{Hall, Sighting, WIDTH, Who};
use noise::{Annotator, Tracker};
use random::Random;
use truth::{Label, Rules, Truth};
use vocabulary::{Kind, View, Vocabulary};

/// The settings of the task: `tasks/lobby/task.toml`.
pub const TASK: &str = include_str!("../tasks/lobby/task.toml");
/// The declarations of the task: `tasks/lobby/modes.lp`.
pub const MODES: &str = include_str!("../tasks/lobby/modes.lp");
/// Its background knowledge: `tasks/lobby/background.lp`.
pub const BACKGROUND: &str = include_str!("../tasks/lobby/background.lp");
/// The rules that label the world: `tasks/lobby/theories/true.lp`.
pub const TRUE_RULES: &str = include_str!("../tasks/lobby/theories/true.lp");
/// The rules that label it once they have changed: `tasks/lobby/theories/changed.lp`.
pub const CHANGED_RULES: &str = include_str!("../tasks/lobby/theories/changed.lp");
/// A first draft of rules by hand: `tasks/lobby/theories/hand.lp`.
pub const HAND_RULES: &str = include_str!("../tasks/lobby/theories/hand.lp");

/// A hall has room for so many; the building has as many halls as are needed, side by side, so that a larger world is
/// no denser than a small one.
const PEOPLE_PER_HALL: usize = 10;
/// From one hall to the next. The walls between them are thicker than any distance that initiates something.
const HALL_STRIDE: f64 = WIDTH + 116.0;

/// What the world is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldOptions {
    /// Another seed gives another world of the same kind. Default 1.
    pub seed: u64,
    /// How many people are present on average; objects come on top. Default 6.
    pub people: usize,
    /// Frames in each segment, 25 a second. A longer segment starts like a shorter one. Default 1000.
    pub frames: u64,
    /// How many segments there are, named `lobby1`, `lobby2`, …; each starts anew. Default 10.
    pub segments: usize,
    /// After so many segments the labels are made by other rules, those of [`CHANGED_RULES`]; people behave as before.
    /// Default: never.
    pub change: Option<usize>,
    /// The share of movements, 0 to 1, that the tracker takes for another one. Default 0.01.
    pub event_noise: f64,
    /// The standard deviation of the noise in positions, in pixels, from 0 on. Default 0.5.
    pub position_noise: f64,
    /// The share of labelled intervals, 0 to 1, that the annotator gets wrong: a third of them are overlooked, a third
    /// labelled for a wrong person, and a third begin and end up to two seconds late. Default 0.02.
    pub label_noise: f64,
    /// Every coordinate is told as so many times what it is, and then moved by [`WorldOptions::shift`]: the same world seen
    /// by a camera with another resolution and another origin. Distances in rules grow with it. Default 1.
    pub scale: i64,
    /// By how much coordinates are moved. No rule about distances changes. Default 0.
    pub shift: i64,
}

impl Default for WorldOptions {
    fn default() -> WorldOptions {
        WorldOptions {
            seed: 1,
            people: 6,
            frames: 1_000,
            segments: 10,
            change: None,
            event_noise: 0.01,
            position_noise: 0.5,
            label_noise: 0.02,
            scale: 1,
            shift: 0,
        }
    }
}

impl WorldOptions {
    /// The same world without noise: there the true rules fit the labels exactly.
    #[must_use]
    pub fn without_noise(self) -> WorldOptions {
        WorldOptions { event_noise: 0.0, position_noise: 0.0, label_noise: 0.0, ..self }
    }
}

/// The world as a stream of frames. Its memory is bounded by the number of people present.
///
/// ```
/// use oled_data::world::{World, WorldOptions};
/// let mut world = World::new(WorldOptions { segments: 2, ..WorldOptions::default() });
/// assert_eq!(world.len(), 2000);
/// let first = world.next().unwrap();
/// assert_eq!((first.segment.as_str(), first.time), ("lobby1", 0));
/// let facts: Vec<String> = first.narrative.atoms(first.time).map(|a| a.to_string()).take(2).collect();
/// assert_eq!(facts, ["happensAt(walking(p1), 0)", "happensAt(appear(p1), 0)"]);
/// ```
#[derive(Clone, Debug)]
pub struct World {
    options: WorldOptions,
    vocabulary: Vocabulary,
    /// Of the present segment.
    cameras: Vec<Camera>,
    /// The segment and the time of the next frame.
    segment: usize,
    time: u64,
    name: Symbol,
    sightings: Vec<Sighting>,
    labels: Vec<Label>,
}

/// A hall, and those who watch it.
#[derive(Clone, Debug)]
struct Camera {
    hall: Hall,
    truth: Truth,
    tracker: Tracker,
    annotator: Annotator,
}

impl World {
    /// A world at its beginning. Shares outside of 0 to 1 are taken for the nearest bound, negative deviations for 0.
    pub fn new(options: WorldOptions) -> World {
        // What is not a number is not above zero either.
        let at_most = |bound: f64, x: f64| if x > 0.0 { x.min(bound) } else { 0.0 };
        let options = WorldOptions {
            event_noise: at_most(1.0, options.event_noise),
            position_noise: at_most(1e6, options.position_noise),
            label_noise: at_most(1.0, options.label_noise),
            ..options
        };
        World {
            options,
            vocabulary: Vocabulary::new(),
            cameras: Vec::new(),
            segment: 0,
            time: 0,
            name: Symbol::new("lobby1"),
            sightings: Vec::new(),
            labels: Vec::new(),
        }
    }

    /// The options, as they were understood.
    pub fn options(&self) -> &WorldOptions {
        &self.options
    }

    fn start_segment(&mut self) {
        let WorldOptions { seed, people, event_noise, position_noise, label_noise, .. } = self.options;
        let halls = people.div_ceil(PEOPLE_PER_HALL).max(1);
        let mean = people as f64 / halls as f64;
        self.name = Symbol::new(&format!("lobby{}", self.segment + 1));
        let changed = self.options.change.is_some_and(|segments| self.segment >= segments);
        let rules = if changed { Rules::Changed } else { Rules::True };
        self.cameras.clear();
        self.cameras.extend((0..halls).map(|hall| {
            let random = |purpose| Random::new(seed, &[self.segment as u64, hall as u64, purpose]);
            let tracker = Tracker { event_noise, position_noise, events: random(1), positions: random(2) };
            let annotator = Annotator::new(label_noise, random(3));
            Camera { hall: Hall::new(mean, random(0)), truth: Truth::new(rules), tracker, annotator }
        }));
    }

    fn frame(&mut self) -> Frame {
        let mut frame = Frame::new(self.name, self.time as i64);
        // Four or five facts for each of the people, and for an object now and then.
        let entities = self.options.people * 3 / 2 + 2;
        frame.narrative = Facts::with_capacity(entities * 3 + 2, entities * 6 + 2);
        let halls = self.cameras.len();
        let WorldOptions { scale, shift, .. } = self.options;
        for (index, camera) in self.cameras.iter_mut().enumerate() {
            camera.hall.step(&mut self.sightings);
            let names = |who| match who {
                Who::Person(number) => (Kind::Person, number * halls + index),
                Who::Object(number) => (Kind::Object, number * halls + index),
            };
            let view = View { left: (HALL_STRIDE * index as f64) as i64, scale, shift };
            for sighting in &self.sightings {
                let name = self.vocabulary.name(names(sighting.who));
                self.vocabulary.narrate(&camera.tracker.report(sighting), name, view, &mut frame.narrative);
            }
            camera.annotator.annotate(camera.truth.at(&self.sightings), &self.sightings, &mut self.labels);
            camera.truth.advance(&self.sightings);
            for label in &self.labels {
                let (a, b) = (self.vocabulary.name(names(label.a)), self.vocabulary.name(names(label.b)));
                let holds = self.vocabulary.holds[label.fluent as usize];
                frame.annotation.push(holds, &[a, b][..label.fluent.arity()]);
                if label.fluent.is_symmetric() {
                    frame.annotation.push(holds, &[b, a]);
                }
            }
        }
        frame
    }
}

impl Iterator for World {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        if self.len() == 0 {
            return None;
        }
        if self.time == 0 {
            self.start_segment();
        }
        let frame = self.frame();
        self.time += 1;
        if self.time == self.options.frames {
            (self.segment, self.time) = (self.segment + 1, 0);
        }
        Some(frame)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let segments = self.options.segments.saturating_sub(self.segment) as u64;
        let left = segments.saturating_mul(self.options.frames).saturating_sub(self.time);
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        (left, Some(left))
    }
}

impl ExactSizeIterator for World {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that could grow.
    fn footprint(world: &World) -> usize {
        let camera = |c: &Camera| {
            c.hall.people.numbers().len() + c.hall.bags.numbers().len() + c.truth.len() + c.annotator.len()
        };
        let names: usize = world.vocabulary.names.iter().map(Vec::len).sum();
        world.cameras.iter().map(camera).sum::<usize>() + world.sightings.len() + world.labels.len() + names
    }

    #[test]
    fn memory_does_not_grow_with_the_stream() {
        let endless =
            WorldOptions { frames: u64::MAX, segments: usize::MAX, label_noise: 0.2, ..WorldOptions::default() };
        let mut world = World::new(endless);
        let mut most_in = |frames| {
            let after_each = (0..frames).map(|_| world.next().map_or(0, |_| footprint(&world)));
            after_each.max().unwrap_or(0)
        };
        let (early, late) = (most_in(20_000), most_in(200_000));
        assert!(late <= early * 3 / 2 && late < 150, "{early} {late}");
    }
}
