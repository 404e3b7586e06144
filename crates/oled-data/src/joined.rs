//! Joined: several inputs of one stream, merged by time; and one input that is cut into segments, or put in order.
//!
//! Inputs are in the order of time, or each has its segments one after the other, in the same order as the others. What is
//! kept of each is its next frame, and where segments are mixed those of one time, since each input may name its segments in
//! an order of its own; unless nothing is sorted: then all of them are.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use oled::{Frame, Symbol};
use rustc_hash::FxBuildHasher;

use crate::error::{DataError, Problem, ProblemKind};
use crate::frame::default_segment;
use crate::grid::{Grid, Gridded};
use crate::live::{IDLE, Live};
use crate::reader::{Advance, Counter, Frames, ReadOptions, Sorting, Source, open};
use crate::sink::Sink;
use crate::table::{Cut, SETTLED};
use crate::times::Times;

pub(crate) struct Joined {
    parts: Vec<Part>,
    /// What is to be handed on next: where segments are mixed, all that the inputs say of one time.
    ready: VecDeque<Named>,
    /// What is wrong with an input behind that.
    fault: Option<DataError>,
    /// All frames in order, where the inputs are not.
    sorted: Option<std::vec::IntoIter<Frame>>,
    sort: bool,
    interleaved: bool,
    cut: Option<Cut>,
    times: Times,
    /// The last time of each segment as the inputs have it, and what it is called since it was cut.
    groups: IndexMap<Symbol, (i64, Symbol), FxBuildHasher>,
    /// The segment of the last frame.
    current: Option<Symbol>,
    /// Frames on their grid, if there is one, and the segment that was put there last.
    gridded: Option<Gridded>,
    on_grid: Option<Symbol>,
    bytes: Counter,
    /// Where inputs are being written.
    live: Option<Live>,
}

/// A frame, with the name of the first input that speaks of it.
type Named = (Arc<str>, Frame);

struct Part {
    name: Arc<str>,
    frames: Frames,
    head: Option<Frame>,
    ended: bool,
    /// Since when nothing has come.
    quiet: Option<Instant>,
}

/// How often inputs that are being written are looked at: often enough that an alarm does not wait, and seldom enough that
/// waiting costs nothing.
const LOOK: Duration = Duration::from_millis(2);

impl Part {
    /// Has its next frame, if there is one by now.
    fn look(&mut self) -> Result<(), DataError> {
        if self.head.is_none() && !self.ended {
            self.head = self.frames.next().transpose()?;
            self.quiet = self.quiet.filter(|_| self.head.is_none());
        }
        Ok(())
    }
}

impl Joined {
    /// Opens inputs, each as if it were alone.
    pub(crate) fn open(
        paths: &[PathBuf],
        options: &ReadOptions,
        bytes: Counter,
    ) -> Result<(Joined, Option<u64>), DataError> {
        let alone = Joined::alone(options);
        let stdin = paths.iter().filter(|path| path.as_path() == Path::new("-")).count();
        if stdin > 1 {
            return Err(Problem::new(ProblemKind::Format, 0, "standard input is named twice")
                .hint("name it once; other inputs are files")
                .of("-"));
        }
        if options.sorting == Sorting::Whole && options.live.as_ref().is_some_and(|live| live.follow) {
            return Err(Problem::new(ProblemKind::Format, 0, "what is followed cannot be put in order as a whole")
                .hint("leave `sorted = false` out of `[stream]`, and allow late frames with the option `lateness`")
                .of(paths[0].display().to_string()));
        }
        let (mut parts, mut total) = (Vec::new(), Some(0));
        let several = paths.len() > 1;
        for path in paths {
            let live = alone.live.clone().map(|live| Live { at_once: Arc::default(), ..live });
            let at_once = live.as_ref().map(|live| live.at_once.clone());
            let frames = open(path, &ReadOptions { live, ..alone.clone() })?;
            total = total.zip(frames.total_bytes()).map(|(sum, own)| sum + own);
            parts.push((path.display().to_string(), frames));
            // Whoever waits for one does not see what comes from the others.
            if let Some(at_once) = at_once {
                at_once.store(several, Ordering::Relaxed);
            }
        }
        Ok((Joined::of(parts, options, bytes), total))
    }

    /// How each of several inputs is read: what is done with frames, but for reading them, is done when they are joined.
    pub(crate) fn alone(options: &ReadOptions) -> ReadOptions {
        ReadOptions {
            with: Vec::new(),
            labels_from: None,
            alone: true,
            ticks: None,
            reasoner: None,
            max_names: None,
            ..options.clone()
        }
    }

    /// Joins inputs that were opened, each as if it were alone.
    pub(crate) fn of(parts: Vec<(String, Frames)>, options: &ReadOptions, bytes: Counter) -> Joined {
        let tables = options.tables.clone().unwrap_or_default();
        let part =
            |(name, frames): (String, _)| Part { name: name.into(), frames, head: None, ended: false, quiet: None };
        Joined {
            parts: parts.into_iter().map(part).collect(),
            ready: VecDeque::new(),
            fault: None,
            sorted: None,
            sort: options.sorting == Sorting::Whole,
            interleaved: options.interleaved,
            cut: tables.cut,
            times: tables.times,
            groups: IndexMap::default(),
            current: None,
            gridded: (tables.grid != Grid::default())
                .then(|| Gridded::new(tables.grid, tables.times.ahead(), &tables.states)),
            on_grid: None,
            bytes,
            live: options.live.clone(),
        }
    }

    /// Has the next frame of each input; returns whether one is not there yet, and is waited for.
    fn fill(&mut self) -> Result<bool, DataError> {
        let settle = self.live.as_ref().and_then(|live| live.settle);
        let mut waiting = false;
        for part in &mut self.parts {
            part.look()?;
            if part.head.is_some() || part.ended {
                continue;
            }
            if part.frames.pause().is_some() {
                let since = part.quiet.get_or_insert_with(Instant::now);
                waiting |= settle.is_none_or(|settle| since.elapsed() < settle);
            } else {
                part.ended = true;
            }
        }
        self.bytes.set(self.parts.iter().map(|part| part.frames.bytes_read()).sum());
        Ok(waiting)
    }

    /// The input whose frame is next: that of the segment that goes on, then the earliest.
    fn first(&self) -> Option<usize> {
        let key = |(at, part): (usize, &Part)| {
            let frame = part.head.as_ref()?;
            let elsewhere = !self.interleaved && self.current.is_some_and(|current| current != frame.segment);
            Some((elsewhere, frame.time, at))
        };
        self.parts.iter().enumerate().filter_map(key).min().map(|(.., at)| at)
    }

    /// Takes the next frame, with what all inputs say of its time. Where segments are mixed, those of all segments at that time:
    /// one input may speak of a segment first that another speaks of last. An input has all frames of a time at once, or hands
    /// them on as they come; then what comes later is told as a time that comes twice.
    fn take(&mut self) {
        let Some(first) = self.first() else { return };
        let Some(frame) = self.parts[first].head.take() else { return };
        let time = frame.time;
        self.current = Some(frame.segment);
        let mut found: IndexMap<Symbol, Named, FxBuildHasher> = IndexMap::default();
        found.insert(frame.segment, (self.parts[first].name.clone(), frame));
        let mixed = self.interleaved && self.parts.len() > 1;
        for part in &mut self.parts {
            loop {
                if mixed && let Err(fault) = part.look() {
                    self.fault.get_or_insert(fault);
                    part.ended = true;
                }
                let is_next = |head: &mut Frame| head.time == time && (mixed || found.contains_key(&head.segment));
                let Some(head) = part.head.take_if(is_next) else { break };
                match found.get_mut(&head.segment) {
                    Some((_, frame)) => append(frame, &head),
                    None => _ = found.insert(head.segment, (part.name.clone(), head)),
                }
            }
        }
        self.ready.extend(found.into_values());
    }

    /// All frames, segment by segment, each in the order of time.
    fn sort(&mut self) -> Result<Vec<Frame>, DataError> {
        let mut segments: IndexMap<Symbol, Vec<Frame>, FxBuildHasher> = IndexMap::default();
        for part in &mut self.parts {
            for frame in part.frames.by_ref() {
                let frame = frame?;
                segments.entry(frame.segment).or_default().push(frame);
            }
            part.ended = true;
        }
        self.bytes.set(self.parts.iter().map(|part| part.frames.bytes_read()).sum());
        let mut all: Vec<Frame> = Vec::new();
        for (_, mut frames) in segments {
            // Rows of one time stay in their order.
            frames.sort_by_key(|frame| frame.time);
            for frame in frames {
                match all.last_mut() {
                    Some(last) if (last.segment, last.time) == (frame.segment, frame.time) => append(last, &frame),
                    _ => all.push(frame),
                }
            }
        }
        Ok(all)
    }

    /// Gives a frame the segment that it is in when the stream is cut.
    fn cut(&mut self, frame: &mut Frame) {
        let Some(cut) = self.cut else { return };
        let (group, time) = (frame.segment, frame.time);
        let before = self.groups.get(&group).copied();
        let name = match (cut, before) {
            (Cut::Gap(gap), Some((last, name))) if time.saturating_sub(last) <= gap => name,
            (Cut::Gap(_), _) => named(group, &self.times.show(time)),
            // Most frames are of the same piece as the one before.
            (Cut::Every(length), Some((last, name)))
                if self.times.piece(last, length) == self.times.piece(time, length) =>
            {
                name
            }
            (Cut::Every(length), _) => named(group, &self.times.show_piece(time, length)),
        };
        self.groups.insert(group, (time, name));
        frame.segment = name;
    }

    fn push(&mut self, name: &str, mut frame: Frame, sink: &mut Sink) -> Result<(), DataError> {
        self.cut(&mut frame);
        let Some(gridded) = &mut self.gridded else { return self.admit(name, frame, sink) };
        let before = self.on_grid.replace(frame.segment).filter(|before| *before != frame.segment);
        let mut complete = match before {
            Some(before) if !self.interleaved => gridded.end(Some(before)),
            _ => Vec::new(),
        };
        complete.extend(gridded.push(frame));
        complete.into_iter().try_for_each(|frame| self.admit(name, frame, sink))
    }

    /// Hands a frame on.
    fn admit(&self, name: &str, frame: Frame, sink: &mut Sink) -> Result<(), DataError> {
        match sink.admit(frame.segment, frame.time) {
            Ok(()) => {
                sink.push(frame);
                Ok(())
            }
            Err(problem) => {
                let problem = match &self.live {
                    _ if self.parts.len() == 1 => problem,
                    Some(Live { follow: true, settle: Some(_), .. }) => problem.hint(SETTLED),
                    _ => problem.hint("inputs that are merged are in the order of time: sort them, or write `sorted = false` into `[stream]` of task.toml"),
                };
                sink.skip_or_fail(problem).map_err(|problem| problem.of(name))
            }
        }
    }
}

/// What a segment is called from a time on; the prefix says which it was.
fn named(group: Symbol, since: &str) -> Symbol {
    if group == default_segment() { Symbol::new(since) } else { Symbol::new(&format!("{}/{since}", group.as_str())) }
}

/// The segment that one was cut from, if it has a name.
pub(crate) fn group_of(segment: Symbol) -> Option<Symbol> {
    segment.as_str().rsplit_once('/').map(|(group, _)| Symbol::new(group))
}

fn append(to: &mut Frame, other: &Frame) {
    other.narrative.iter().for_each(|(signature, values)| to.narrative.push(signature, values));
    other.annotation.iter().for_each(|(signature, values)| to.annotation.push(signature, values));
}

impl Source for Joined {
    fn advance(&mut self, sink: &mut Sink) -> Result<Advance, DataError> {
        if self.sort && self.sorted.is_none() {
            self.sorted = Some(self.sort()?.into_iter());
        }
        if let Some(sorted) = &mut self.sorted {
            return match sorted.next() {
                Some(frame) => self.push("", frame, sink).map(|()| Advance::More),
                None => Ok(Advance::End),
            };
        }
        let begun = Instant::now();
        loop {
            if self.ready.is_empty() {
                if let Some(fault) = self.fault.take() {
                    return Err(fault);
                }
                if !self.fill()? {
                    self.take();
                }
            }
            if let Some((name, frame)) = self.ready.pop_front() {
                return self.push(&name, frame, sink).map(|()| Advance::More);
            }
            if self.parts.iter().all(|part| part.ended && part.head.is_none()) {
                return Ok(Advance::End);
            }
            let stopped = self.live.as_ref().is_none_or(|live| live.stop.load(Ordering::Relaxed));
            if stopped || self.parts.len() == 1 || begun.elapsed() >= IDLE {
                return Ok(Advance::Idle);
            }
            std::thread::sleep(LOOK);
        }
    }

    fn end(&mut self, sink: &mut Sink) -> Result<(), DataError> {
        let left = self.gridded.as_mut().map_or_else(Vec::new, |gridded| gridded.end(None));
        left.into_iter().try_for_each(|frame| self.admit("", frame, sink))?;
        for part in &self.parts {
            sink.skipped.add_all(part.frames.skipped());
        }
        Ok(())
    }
}
