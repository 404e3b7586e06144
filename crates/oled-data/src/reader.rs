//! Reading: a path and a format become an iterator of frames.

mod by_line;
mod counter;
mod guess;
mod open;
mod options;
mod source;

use std::hash::BuildHasher;
use std::sync::Arc;

use oled::Ticks;
use oled::{Frame, Signature, StateError, Symbol, Value, state};
use rustc_hash::FxBuildHasher;

use crate::digest::{Digest, digest};
use crate::error::{DataError, Problem, ProblemKind, Skipped};
use crate::format::Format;
use crate::labels::Labels;
use crate::reasoner::Reasoner;
use crate::sink::Sink;
pub(crate) use by_line::Lines;
pub(crate) use counter::Counter;
pub(crate) use guess::format_of;
use open::Position;
pub(crate) use open::decompressed;
pub use open::{open, open_at};
pub use options::{ReadOptions, Sorting};
pub use source::Pause;
pub(crate) use source::{Advance, LineFormat, Many, Source, each_line};

/// Frames, one by one. After a problem there are no more, unless problems are left out ([`ReadOptions::lenient`]).
pub struct Frames {
    /// `None` once it has ended.
    source: Option<Box<dyn Source>>,
    pub(crate) sink: Sink,
    /// What ended it, to be told after the frames that were ready before.
    failure: Option<DataError>,
    bytes: Counter,
    total: Option<u64>,
    max_names: Option<usize>,
    pub(crate) format: Format,
    /// Frames that were taken.
    taken: u64,
    /// What they were, of a source that has no places to go on from.
    seen: Option<Seen>,
    /// Whether there are pauses, and one now, at the end.
    pausing: bool,
    at_end: bool,
    reasoner: Option<Arc<dyn Reasoner>>,
    ticks: Option<Ticks>,
    /// Whether the frame that was taken last is a tick.
    ticked: bool,
    /// The frame that was taken last without what was added to it, where something was.
    bare: Option<Frame>,
}

/// The frames that were taken, and those before the last one.
#[derive(Default)]
struct Seen {
    now: Digest,
    before: Digest,
    /// The digests of signatures, by their numbers, which are others in another process.
    signatures: Vec<Option<u64>>,
    names: NameDigests,
}

impl Seen {
    /// Takes note of a frame: by its words and numbers, since all of it as bytes took a third of the time of reading Parquet.
    fn take(&mut self, frame: &Frame) {
        self.before = self.now.clone();
        self.now.take_word(self.names.of(frame.segment));
        self.now.take_word(frame.time.cast_unsigned());
        for facts in [&frame.narrative, &frame.annotation] {
            self.now.take_word(facts.len() as u64);
            for (signature, values) in facts.iter() {
                let at = signature.index();
                if self.signatures.len() <= at {
                    self.signatures.resize(at + 1, None);
                }
                let known = *self.signatures[at].get_or_insert_with(|| digest(signature.to_string().as_bytes()));
                self.now.take_word(known);
                for value in values {
                    let (kind, bits): (u64, u64) = match value {
                        Value::Sym(name) => (0, self.names.of(*name)),
                        Value::Int(number) => (1, number.cast_unsigned()),
                        Value::Real(number) => (2, number.to_bits()),
                    };
                    self.now.take_word(bits ^ kind << 62);
                }
            }
        }
    }
}

/// The digests of names that came last, in a place for each: few names are in most frames.
#[derive(Default)]
struct NameDigests(Vec<Option<(Symbol, u64)>>);

impl NameDigests {
    /// As many as are in most streams; a power of two.
    const PLACES: usize = 256;

    fn of(&mut self, name: Symbol) -> u64 {
        self.0.resize(NameDigests::PLACES, None);
        let place = &mut self.0[FxBuildHasher.hash_one(name) as usize % NameDigests::PLACES];
        match place {
            Some((own, known)) if *own == name => *known,
            _ => place.insert((name, digest(name.as_str().as_bytes()))).1,
        }
    }
}

impl Frames {
    fn restore(&mut self, saved: &Position) -> Result<(), StateError> {
        self.taken = saved.taken;
        self.sink.restore(&saved.sink)?;
        match (&mut self.ticks, &saved.ticks) {
            (Some(ticks), Some(saved)) => ticks.restore(saved),
            (None, None) => Ok(()),
            _ => Err(StateError::new("the ticks are other ones")),
        }
    }

    /// Goes on with what [`Frames::save`] gave, where the source needs no place.
    pub(crate) fn go_on(&mut self, saved: &[u8]) -> Result<(), StateError> {
        self.restore(&state::decode(saved)?)
    }

    pub(crate) fn new(
        source: Box<dyn Source>,
        options: &ReadOptions,
        bytes: Counter,
        total: Option<u64>,
    ) -> Result<Frames, DataError> {
        let mut sink = Sink::new(options);
        if let Some(path) = &options.labels_from {
            sink.spans.labels = Some(Labels::read(path, options)?);
        }
        let format = Format::Caviar;
        Ok(Frames {
            seen: source.save().is_none().then(Seen::default),
            source: Some(source),
            sink,
            failure: None,
            bytes,
            total,
            max_names: options.max_names,
            reasoner: options.reasoner.clone(),
            ticks: options.ticks.clone(),
            ticked: false,
            bare: None,
            format,
            taken: 0,
            pausing: false,
            at_end: false,
        })
    }

    /// The same, but with a pause at the end of the input, at which it can be saved: [`Frames::end`] ends it.
    #[must_use]
    pub fn pausing(mut self) -> Frames {
        self.pausing = true;
        self
    }

    /// Why there was no frame: `None` if there will be none.
    pub fn pause(&self) -> Option<Pause> {
        self.source.as_ref().map(|_| if self.pausing && self.at_end { Pause::End } else { Pause::Idle })
    }

    /// Ends the input: what was held back comes now.
    pub fn end(&mut self) {
        if let Some(mut source) = self.source.take() {
            self.failure = source.end(&mut self.sink).err();
            self.sink.end();
            self.failure = self.failure.take().or(self.sink.check().err());
        }
    }

    /// How many frames were taken, and at which byte the next piece of the input begins, after decompression, where that is
    /// known.
    pub fn place(&self) -> (u64, Option<u64>) {
        let place = self.source.as_ref().and_then(|source| source.save());
        (self.taken, place.map(|(place, _)| place.offset()))
    }

    /// The position behind the last frame that was taken, for [`open_at`].
    pub fn save(&self) -> Vec<u8> {
        let place = self.source.as_ref().and_then(|source| source.save());
        let (format, taken) = (self.format.to_string(), self.taken);
        let seen = self.seen.as_ref().map(|seen| seen.now.clone()).unwrap_or_default();
        let ticks = self.ticks.as_ref().map(Ticks::save);
        state::encode(&Position { format, taken, place, seen, sink: self.sink.save(), ticks })
    }

    /// Puts back the frame that was taken last, which was not used: it comes again, and the position is before it.
    pub fn put_back(&mut self, frame: Frame) {
        self.taken -= 1;
        let frame = self.bare.take().unwrap_or(frame);
        match &mut self.ticks {
            Some(ticks) if self.ticked => ticks.put_back(frame),
            _ => {
                if let Some(seen) = &mut self.seen {
                    seen.now = seen.before.clone();
                }
                self.sink.ready.push_front(frame);
            }
        }
    }

    /// What was left out so far.
    pub fn skipped(&self) -> &Skipped {
        &self.sink.skipped
    }

    /// How much of the input was read so far, before decompression.
    pub fn bytes_read(&self) -> u64 {
        self.bytes.get()
    }

    pub(crate) fn counter(&self) -> Counter {
        self.bytes.clone()
    }

    /// Whether there are too many names by now, or forms of atoms, which are kept like names.
    fn check_names(&self) -> Result<(), DataError> {
        let Some(most) = self.max_names else { return Ok(()) };
        let names = Symbol::count();
        let (message, hint) = if names > most {
            let message = format!("there are more than {most} distinct names, and names are never forgotten");
            (
                message,
                "write what comes once only, such as the number of a message, as a number, or allow more with the option `max_names`",
            )
        } else if names + Signature::count_as_names() > most {
            let message = format!(
                "the distinct names and forms of atoms take the room of more than {most} names, and none is forgotten"
            );
            (
                message,
                "write what differs from atom to atom as arguments of one predicate, or allow more with the option `max_names`",
            )
        } else {
            return Ok(());
        };
        Err(Problem::new(ProblemKind::Limit, 0, message).hint(hint).of("the stream"))
    }

    /// The size of the input, if it is known.
    pub fn total_bytes(&self) -> Option<u64> {
        self.total
    }
}

impl Iterator for Frames {
    type Item = Result<Frame, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(mut frame) = self.sink.ready.pop_front() {
                // Where something holds, something may change at any tick.
                let changes = self.sink.spans.is_before(&frame);
                let next = if changes { Ticks::each_before } else { Ticks::before };
                let tick = self.ticks.as_mut().and_then(|ticks| next(ticks, &frame));
                self.ticked = tick.is_some();
                if let Some(tick) = tick {
                    self.sink.ready.push_front(std::mem::replace(&mut frame, tick));
                }
                self.bare = changes.then(|| frame.clone());
                let interleaved = self.sink.is_interleaved();
                if self.sink.spans.add(&mut frame, interleaved)
                    && let (true, Some(ticks)) = (self.ticked, &mut self.ticks)
                {
                    ticks.touch(&frame);
                }
                self.taken += 1;
                if let (Some(seen), false) = (&mut self.seen, self.ticked) {
                    seen.take(&frame);
                }
                let Err(why) = self.reasoner.as_ref().map_or(Ok(()), |reasoner| reasoner.extend(&mut frame)) else {
                    // CAVIAR has labels of its own, which nobody can misspell.
                    if !self.ticked {
                        self.sink.skipped.unknown.see(&frame, self.format != Format::Caviar);
                    }
                    return Some(Ok(frame));
                };
                let problem = Problem::new(ProblemKind::Reasoner, 0, why);
                let hint = "the background must have exactly one model: it cannot choose";
                if let Err(problem) = self.sink.skip_or_fail(problem.hint(hint)) {
                    self.source = None;
                    self.sink.ready.clear();
                    return Some(Err(problem.of("background")));
                }
                continue;
            }
            let Some(source) = &mut self.source else { return self.failure.take().map(Err) };
            self.at_end = false;
            let advanced = source.advance(&mut self.sink);
            let advanced = advanced.and_then(|more| self.check_names().map(|()| more));
            let advanced = advanced.and_then(|more| self.sink.check().map(|()| more));
            match advanced {
                Ok(Advance::More) => {}
                Ok(Advance::Idle) => return None,
                Ok(Advance::End) if self.pausing => {
                    self.at_end = true;
                    return None;
                }
                Ok(Advance::End) => self.end(),
                Err(error) => {
                    self.source = None;
                    self.failure = Some(error);
                }
            }
        }
    }
}
