//! Data: segments in memory, each in the fold that tests it.

use std::path::Path;

use indexmap::{IndexMap, IndexSet};
use oled::{Frame, Recogniser, Signature, Symbol, Task, Theory};
use oled_data::caviar::{Videos, load_protocol, shuffle};
use oled_data::{DataError, Protocol, Skipped};
use rustc_hash::FxBuildHasher;

use crate::digest::Digest;
use crate::row::name;
use crate::{DataSummary, Error};

/// A data set.
#[derive(Clone, Debug)]
pub struct Data {
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: String,
    /// Time units a second, if it is known.
    pub rate: Option<f64>,
    /// The segments, in the order in which they come.
    pub units: Vec<Unit>,
    /// The folds that are tested; what is in none of them is only learned from.
    pub folds: Vec<usize>,
    /// What was left out of the stream, and what of it the task does not know.
    pub skipped: Skipped,
}

/// A segment: what is learned from, and recognised from an empty state, as a whole.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The fold in which it is tested.
    pub fold: usize,
    /// The segment.
    pub segment: Symbol,
    /// Its frames.
    pub frames: Vec<Frame>,
}

/// The group of each segment; one that is not named is a group of its own.
pub type Groups = IndexMap<Symbol, Symbol, FxBuildHasher>;

/// How segments are dealt to folds.
#[derive(Clone, Debug, PartialEq)]
pub enum Folds {
    /// As a table says: a line `segment,fold` each.
    Table(IndexMap<Symbol, usize, FxBuildHasher>),
    /// So many folds of about the same number of frames; segments of a group stay together.
    Made {
        /// The number of folds.
        folds: usize,
        /// Other seeds, other folds.
        seed: u64,
        /// What stays together.
        groups: Groups,
    },
    /// About this share of the frames is tested, and never learned from.
    HoldOut {
        /// The share.
        share: f64,
        /// Other seeds, other segments.
        seed: u64,
        /// What stays together.
        groups: Groups,
    },
}

impl Data {
    /// The units of a protocol of CAVIAR.
    pub fn caviar(directory: &Path, videos: &Videos, protocol: Protocol) -> Result<Data, DataError> {
        let mut units = Vec::new();
        for unit in load_protocol(directory, protocol)? {
            let frames = unit.frames(videos)?.collect();
            units.push(Unit { fold: unit.fold, segment: unit.segment, frames });
        }
        let description = match protocol {
            Protocol::Fragment => "19 sequences of two people with a complex event",
            Protocol::Whole => "the fragment, and every other pair of people who are seen together",
            Protocol::Clip => "whole videos; no footage is in two folds",
            Protocol::Clean => "whole videos; no staged scenario is in two folds",
            Protocol::Video10 => "whole videos, three in a fold; footage leaks between folds",
        };
        Ok(Data::new(&protocol.to_string(), description, Some(25.0), units))
    }

    /// A stream, cut into its segments, dealt to folds.
    pub fn of_stream(
        name: &str,
        description: &str,
        rate: Option<f64>,
        frames: impl IntoIterator<Item = Result<Frame, DataError>>,
        folds: &Folds,
    ) -> Result<Data, Error> {
        let mut units: IndexMap<Symbol, Unit, FxBuildHasher> = IndexMap::default();
        for frame in frames {
            let frame = frame?;
            let new = || Unit { fold: 0, segment: frame.segment, frames: Vec::new() };
            units.entry(frame.segment).or_insert_with(new).frames.push(frame);
        }
        let mut units: Vec<Unit> = units.into_values().collect();
        folds.deal(&mut units)?;
        let mut data = Data::new(name, description, rate, units);
        if let Folds::HoldOut { .. } = folds {
            data.folds = vec![0];
        }
        Ok(data)
    }

    fn new(name: &str, description: &str, rate: Option<f64>, units: Vec<Unit>) -> Data {
        let mut folds: Vec<usize> = units.iter().map(|u| u.fold).collect();
        folds.sort_unstable();
        folds.dedup();
        let skipped = Skipped::default();
        Data { name: name.into(), description: description.into(), rate, units, folds, skipped }
    }

    /// The same narrative, labelled by what a theory recognises in it: data without noise in the labels.
    pub fn labelled_by(&self, task: &Task, theory: &Theory, name: &str, description: &str) -> Result<Data, Error> {
        let targets = task.labels();
        let mut units = self.units.clone();
        let mut recogniser = Recogniser::new(task, theory)?;
        for frame in units.iter_mut().flat_map(|u| &mut u.frames) {
            recogniser.observe(frame, &mut Vec::new());
            frame.annotation = oled::Facts::default();
            for (signature, values) in recogniser.holding().filter(|(s, _)| targets.contains(s)) {
                frame.annotation.push(signature, values);
            }
        }
        let (name, description, folds) = (name.into(), description.into(), self.folds.clone());
        Ok(Data { name, description, rate: self.rate, units, folds, skipped: self.skipped.clone() })
    }

    /// The same data under another name.
    #[must_use]
    pub fn named(mut self, name: &str, description: &str) -> Data {
        (self.name, self.description) = (name.into(), description.into());
        self
    }

    /// The segments to learn from when a fold is tested, in an order that depends on its number only; 0 is as they come.
    pub fn training(&self, fold: Option<usize>, order: u64) -> Vec<&Unit> {
        let mut units: Vec<&Unit> = self.units.iter().filter(|u| Some(u.fold) != fold).collect();
        if order > 0 {
            shuffle(&mut units, order);
        }
        units
    }

    /// What there is of it.
    pub fn summary(&self, task: &Task) -> DataSummary {
        let frames = || self.units.iter().flat_map(|u| &u.frames);
        let symmetries = task.bias.symmetries();
        // What may be written in two orders counts once.
        let labels = |frame: &Frame, target: Signature| {
            let labels = frame.annotation.iter().filter(|(s, _)| *s == target);
            if !symmetries.has(target) {
                return labels.count() as u64;
            }
            let once: IndexSet<_, FxBuildHasher> = labels.map(|(s, v)| symmetries.in_order(s, v)).collect();
            once.len() as u64
        };
        let targets = task.labels();
        let positives = targets
            .iter()
            .map(|&target| (name(target).as_str().to_string(), frames().map(|frame| labels(frame, target)).sum()));
        let symmetric = targets.iter().filter(|target| symmetries.has(**target)).map(|target| name(*target));
        DataSummary {
            name: self.name.clone(),
            description: self.description.clone(),
            segments: self.units.len(),
            folds: self.folds.len(),
            frames: frames().count() as u64,
            rate: self.rate,
            positives: positives.collect(),
            symmetric: symmetric.map(|name| name.as_str().to_string()).collect(),
        }
    }

    /// A number that is another one when anything in it changes.
    pub(crate) fn digest(&self) -> u64 {
        let mut digest = Digest::default();
        let mut names: IndexMap<Signature, String, FxBuildHasher> = IndexMap::default();
        for unit in &self.units {
            digest.text(unit.segment.as_str());
            digest.number(unit.fold as u64);
            for frame in &unit.frames {
                digest.number(frame.time as u64);
                for facts in [&frame.narrative, &frame.annotation] {
                    // What is annotated is something else than what is seen.
                    digest.number(facts.iter().count() as u64);
                    for (signature, values) in facts.iter() {
                        digest.text(names.entry(signature).or_insert_with(|| signature.path()));
                        values.iter().for_each(|v| digest.value(v));
                    }
                }
            }
        }
        self.folds.iter().for_each(|fold| digest.number(*fold as u64));
        digest.finish()
    }
}

impl Folds {
    /// Sets the fold of each segment.
    fn deal(&self, units: &mut [Unit]) -> Result<(), Error> {
        match self {
            Folds::Table(table) => {
                for unit in units {
                    let Some(fold) = table.get(&unit.segment) else {
                        return Err(Error::Folds(format!(
                            "no fold is given for the segment `{}`\nhint: add a line `{0},FOLD` to the fold file",
                            unit.segment.as_str()
                        )));
                    };
                    unit.fold = *fold;
                }
                Ok(())
            }
            Folds::Made { folds: 0, .. } => {
                Err(Error::Folds("there must be a fold at least\nhint: ten are usual: the option `folds=10`".into()))
            }
            Folds::Made { folds, seed, groups } => {
                let groups = grouped(units, groups, *seed);
                if groups.len() < *folds {
                    return Err(Error::Folds(format!(
                        "{folds} folds need {folds} segments or groups of them, and there are {}\nhint: ask for fewer folds",
                        groups.len()
                    )));
                }
                // The longest first, each to the fold with the fewest frames so far.
                let mut filled = vec![0; *folds];
                for (frames, members) in groups {
                    let fold = (0..*folds).min_by_key(|f| (filled[*f], *f)).unwrap_or(0);
                    filled[fold] += frames;
                    members.iter().for_each(|&i| units[i].fold = fold);
                }
                Ok(())
            }
            Folds::HoldOut { share, seed, groups } => {
                let total: usize = units.iter().map(|u| u.frames.len()).sum();
                let mut groups = grouped(units, groups, *seed);
                if groups.len() < 2 {
                    return Err(Error::Folds(
                        "there is one segment only, so nothing can be held out\nhint: test first and then learn: `learn` with the option `prequential`".into(),
                    ));
                }
                shuffle(&mut groups, seed.wrapping_add(1));
                units.iter_mut().for_each(|u| u.fold = 1);
                let mut held = 0;
                // At least one is held out, and one is left.
                for (i, (frames, members)) in groups.iter().enumerate() {
                    if i > 0 && (i + 1 == groups.len() || (held + frames) as f64 > share * total as f64) {
                        break;
                    }
                    held += frames;
                    members.iter().for_each(|&i| units[i].fold = 0);
                }
                Ok(())
            }
        }
    }
}

/// The groups of segments with their numbers of frames, longest first; those of equal length in an order by seed.
fn grouped(units: &[Unit], groups: &Groups, seed: u64) -> Vec<(usize, Vec<usize>)> {
    let mut found: IndexMap<Symbol, (usize, Vec<usize>), FxBuildHasher> = IndexMap::default();
    for (i, unit) in units.iter().enumerate() {
        let (frames, members) = found.entry(*groups.get(&unit.segment).unwrap_or(&unit.segment)).or_default();
        *frames += unit.frames.len();
        members.push(i);
    }
    let mut groups: Vec<_> = found.into_values().collect();
    shuffle(&mut groups, seed);
    groups.sort_by_key(|(frames, _)| std::cmp::Reverse(*frames));
    groups
}
