//! Spread: what two workers bring beside one, on the wall and by the processor.
//!
//! By the wall the ratio says how busy the machine was. So there are two figures more, which say what two cores of their own would
//! bring: how much more the processor has to do in all, and how long the busiest worker is at work.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use oled::partition::{Place, Told, Worker};
use oled::{Frame, Interval, Recogniser, StateError, Symbol};
use oled_data::task_folder::TaskFolder;
use oled_data::world::{World, WorldOptions};

use super::case::Stream;
use super::paired::{Quartiles, of_thread, processor};
use crate::progress::Progress;
use crate::source::Source;
use crate::workers;

/// Segments of the stream, and the frames of each: enough of them to be shared, and not so many that making them takes long.
const SEGMENTS: usize = 40;
const LENGTH: u64 = 500;

/// Frames between two looks at the clock of a worker.
const LOOK: u64 = 64;

/// What one way of going over the stream takes.
#[derive(Clone, Copy, Default)]
struct Cost {
    wall: f64,
    /// All threads together.
    all: f64,
    /// The worker that takes most.
    busiest: f64,
}

/// Two workers beside one: from frames in memory, and from bytes.
#[derive(Default)]
pub(super) struct Spread {
    parsed: Vec<[Cost; 2]>,
    bytes: Vec<[Cost; 2]>,
    /// Seconds of the processor for dealing a frame out, with all that goes with it.
    dealing: Vec<f64>,
}

/// How many times as fast, by the wall; how many times the work of the processor; and how many times as fast it would be on two
/// cores of its own.
pub(super) struct Gain {
    pub(super) wall: Quartiles,
    pub(super) processor: Quartiles,
    pub(super) alone: Quartiles,
}

impl Gain {
    fn of(costs: &[[Cost; 2]]) -> Gain {
        let of = |ratio: fn(&[Cost; 2]) -> f64| Quartiles::of(costs.iter().map(ratio));
        Gain {
            wall: of(|[one, two]| one.wall / two.wall),
            processor: of(|[one, two]| two.all / one.all),
            alone: of(|[one, two]| one.all / (two.all / 2.0).max(two.busiest)),
        }
    }
}

/// A worker that recognises, and looks at its clock.
#[derive(Clone)]
struct Timed {
    recogniser: Recogniser,
    found: Vec<Interval>,
    frames: u64,
    seconds: f64,
    /// Whether it does nothing, to see what dealing out takes.
    idle: bool,
}

impl Worker for Timed {
    fn over(&mut self, _: Symbol, _: &Place, _: &mut Vec<Told>) {
        self.recogniser.finish(&mut self.found);
    }

    fn frame(&mut self, frame: &Frame, _: &Place, _: &mut Vec<Told>) -> Result<(), String> {
        self.frames += 1;
        if self.idle {
            return Ok(());
        }
        self.recogniser.observe(frame, &mut self.found);
        if self.frames.is_multiple_of(LOOK) {
            self.seconds = of_thread().map_or(0.0, |spent| spent.as_secs_f64());
        }
        Ok(())
    }

    fn end(&mut self, _: &mut Vec<Told>) {
        self.recogniser.finish(&mut self.found);
    }

    fn save(&mut self) -> Vec<u8> {
        Vec::new()
    }

    fn restore(&mut self, _: &[u8]) -> Result<(), StateError> {
        Ok(())
    }
}

impl Spread {
    /// The stream that is measured on, in memory and as bytes.
    pub(super) fn stream() -> anyhow::Result<(Vec<Frame>, Stream)> {
        let options = WorldOptions { segments: SEGMENTS, frames: LENGTH, ..WorldOptions::default() };
        let frames: Vec<Frame> = World::new(options).collect();
        let stream = Stream::of(&frames)?;
        Ok((frames, stream))
    }

    pub(super) fn measure(frames: &[Frame], stream: &Stream, runs: usize) -> anyhow::Result<Spread> {
        let task = TaskFolder::embedded();
        let theory = task.theory(std::path::Path::new("true"))?;
        let theory = oled::parse_theory(&theory.name, &theory.text)?;
        let recogniser = Recogniser::new(&task.task, &theory)?;
        let fresh = Timed { recogniser, found: Vec::new(), frames: 0, seconds: 0.0, idle: false };
        let mut spread = Spread::default();
        let memory = || Source::Memory(Vec::from(frames).into_iter());
        for _ in 0..runs.max(1) {
            let parsed = |workers| cost(memory(), &fresh, workers);
            spread.parsed.push([parsed(1)?, parsed(2)?]);
            let idle = Timed { idle: true, ..fresh.clone() };
            let dealt = cost(memory(), &idle, 2)?;
            spread.dealing.push(dealt.all / frames.len() as f64);
            let bytes = |workers| cost(Source::Stream(Box::new(stream.read_by(workers)?)), &fresh, workers);
            spread.bytes.push([bytes(1)?, bytes(2)?]);
        }
        Ok(spread)
    }

    pub(super) fn of_frames(&self) -> Gain {
        Gain::of(&self.parsed)
    }

    /// Microseconds of the processor for dealing a frame out.
    pub(super) fn dealing(&self) -> Quartiles {
        Quartiles::of(self.dealing.iter().map(|seconds| seconds * 1e6))
    }

    pub(super) fn of_bytes(&self) -> Gain {
        Gain::of(&self.bytes)
    }
}

/// What it takes to recognise, by one plain loop or by workers.
fn cost(mut source: Source, fresh: &Timed, workers: usize) -> anyhow::Result<Cost> {
    let (wall, before) = (Instant::now(), processor());
    let found = if workers == 1 {
        let mut one = fresh.clone();
        for frame in &mut source {
            one.recogniser.observe(&frame?, &mut one.found);
        }
        one.recogniser.finish(&mut one.found);
        vec![one]
    } else {
        let never = AtomicBool::new(false);
        let mut progress = Progress::new(None, true);
        workers::run(source, (false, None), vec![fresh.clone(); workers], &never, &mut progress, |_| Ok(()))?.1
    };
    let all = before.zip(processor()).map_or(f64::NAN, |(before, after)| after.saturating_sub(before).as_secs_f64());
    let busiest = black_box(found).iter().map(|worker| worker.seconds).fold(0.0, f64::max);
    Ok(Cost { wall: wall.elapsed().as_secs_f64(), all, busiest })
}
