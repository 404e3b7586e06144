//! Scale: what learning costs when everything happens several times at once.
//!
//! Copies of a stream in the same frames, with entities of other names, as in Section 5.5 of the paper: with n copies
//! there are n times as many entities, and n² times as many pairs of them.

use std::sync::Arc;
use std::time::Instant;

use indexmap::IndexMap;
use oled::{Facts, Frame, Symbol, Value};
use oled_data::task_folder::TaskFolder;
use rustc_hash::FxBuildHasher;

use crate::digest::Digest;
use crate::{Data, Error, Row, Scale};

/// Learning from several copies of a stream at once.
#[derive(Debug)]
pub struct Scaling {
    /// The task.
    pub task: Arc<TaskFolder>,
    /// The stream that is copied.
    pub data: Arc<Data>,
    /// What learns.
    pub row: Row,
    /// How many copies there are in each measurement.
    pub copies: Vec<usize>,
    /// From so many copies on, blocks of consecutive frames are taken, one in ten, instead of all.
    pub sampled_from: usize,
    /// Seconds an interpretation that others have published, by the number of copies.
    pub published: Vec<(usize, f64)>,
}

/// Of the frames of a segment, where not all are taken: so many of every so many.
const BLOCK: (usize, usize) = (20, 200);

impl Scaling {
    pub(crate) fn digest(&self) -> u64 {
        let mut digest = Digest::default();
        digest.text(env!("CARGO_PKG_VERSION"));
        digest.task(&self.task);
        digest.number(self.data.digest());
        digest.number(self.row.digest(&self.task, &self.data.name));
        digest.number(self.sampled_from as u64);
        self.published.iter().for_each(|(copies, seconds)| {
            digest.number(*copies as u64);
            digest.number(seconds.to_bits());
        });
        digest.finish()
    }
}

/// Learns from so many copies.
pub(crate) fn run(scaling: &Scaling, copies: usize) -> Result<Scale, Error> {
    let mut learner = scaling.row.counting_learner(&scaling.task, &scaling.data.name)?;
    let mut names: IndexMap<(Symbol, usize), Symbol, FxBuildHasher> = IndexMap::default();
    let mut frames = 0;
    let mut entities = 0;
    let mut seconds = 0.0;
    for unit in &scaling.data.units {
        for (i, frame) in unit.frames.iter().enumerate() {
            let block = i / BLOCK.1;
            let sampled = copies >= scaling.sampled_from;
            if sampled && i % BLOCK.1 >= BLOCK.0 {
                continue;
            }
            let mut copied = copy(frame, copies, &mut names);
            if sampled {
                // A block is a segment of its own: what lies between two blocks was not seen.
                copied.segment = Symbol::new(&format!("{}:{block}", unit.segment.as_str()));
            }
            frames += 1;
            entities += count_entities(frame) * copies;
            // Making copies is not part of learning from them.
            let started = Instant::now();
            learner.observe(&copied, &mut ());
            seconds += started.elapsed().as_secs_f64();
        }
    }
    let started = Instant::now();
    learner.theory(&mut ());
    seconds += started.elapsed().as_secs_f64();
    let learned = learner.learned(&mut ());
    let interpretations = learned.interpretations;
    let each = |total: f64| total / interpretations.max(1) as f64;
    let work = learned.work.unwrap_or_default();
    let instances = work.instances as f64;
    Ok(Scale {
        copies,
        interpretations,
        entities: entities as f64 / f64::from(frames.max(1)),
        instances: each(instances),
        literals: each(instances * work.literals as f64),
        seconds: Some(each(seconds)),
        published_seconds: scaling.published.iter().find(|(n, _)| *n == copies).map(|(_, s)| *s),
    })
}

/// Different names in a frame.
fn count_entities(frame: &Frame) -> usize {
    let mut names: Vec<Symbol> = Vec::new();
    for (_, values) in frame.narrative.iter() {
        for value in values {
            if let Value::Sym(name) = value
                && !names.contains(name)
            {
                names.push(*name);
            }
        }
    }
    names.len()
}

/// A frame with everything in it so many times; the first copy has the names of the original.
fn copy(frame: &Frame, copies: usize, names: &mut IndexMap<(Symbol, usize), Symbol, FxBuildHasher>) -> Frame {
    let mut copied = Frame::new(frame.segment, frame.time);
    let mut row = Vec::new();
    let mut add = |from: &Facts, to: &mut Facts| {
        for copy in 0..copies {
            for (signature, values) in from.iter() {
                row.clear();
                row.extend(values.iter().map(|value| match value {
                    Value::Sym(name) if copy > 0 => {
                        let make = || Symbol::new(&format!("{}c{copy}", name.as_str()));
                        Value::Sym(*names.entry((*name, copy)).or_insert_with(make))
                    }
                    other => *other,
                }));
                to.push(signature, &row);
            }
        }
    };
    add(&frame.narrative, &mut copied.narrative);
    add(&frame.annotation, &mut copied.annotation);
    copied
}
