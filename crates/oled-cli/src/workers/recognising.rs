//! Recognition side by side: each worker has a recogniser, and writes the lines of its segments. Of a segment that is dealt out in
//! parts it tells the lines with what they are put in order by.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use indexmap::{IndexMap, IndexSet};
use oled::induce::MAX_INSTANCES;
use oled::logic::{MAX_STEPS, Stop};
use oled::partition::{Place, Told, Worker};
use oled::{End, Frame, Interval, Recogniser, Signature, StateError, Symbol, Value, calculus, state};
use oled_data::task_folder::TaskFolder;
use oled_data::{csv_field, printable_json};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{groups, run, sort};
use crate::Outcome;
use crate::checkpoint::open_frames;
use crate::input::{load_task, load_theory, recogniser, too_much, warn_of_durations};
use crate::progress::{Labels, Progress, say_skipped};
use crate::recognise::{INTERVAL_COLUMNS, compact, interruption, interval_line, wanted};
use crate::recognise::{Output, RecogniseArgs};
use crate::resumable_file::ResumableFile;
use crate::source::Source;
use crate::times::{json_time, printed_time};

/// A worker that recognises. It can be copied as long as it has seen nothing.
#[derive(Clone)]
pub(crate) struct Recognising {
    recogniser: Recogniser,
    wanted: Vec<Signature>,
    format: Output,
    /// Whether what holds at each frame is told, and no intervals.
    frames: bool,
    /// The segments that have not ended, with their numbers.
    numbers: IndexMap<Symbol, u64, FxBuildHasher>,
    /// Those of them of which others have parts too. Nobody saves them: processes deal out segments.
    parted: IndexSet<Symbol, FxBuildHasher>,
    closed: Vec<Interval>,
    /// Whether somebody has asked to end.
    stopped: bool,
}

impl Recognising {
    /// A worker for the theory of a command.
    pub(crate) fn new(folder: &mut TaskFolder, args: &RecogniseArgs, quiet: bool) -> anyhow::Result<Recognising> {
        if args.frames {
            let hint = "leave `--frames` out for intervals";
            let what = "`--frames` prints at once what holds, also in intervals that become too short to be reported";
            warn_of_durations(folder, what, hint, quiet);
        } else {
            folder.skip_quiet(&load_theory(folder, &args.theory)?);
        }
        let recogniser = recogniser(folder, &args.theory, quiet)?.with_limit(args.max_instances);
        let recogniser = recogniser.with_max_steps(args.steps.max_steps);
        let wanted = wanted(folder, &recogniser, args.all);
        let (format, frames) = (args.format(), args.frames);
        let (numbers, parted, closed) = (IndexMap::default(), IndexSet::default(), Vec::new());
        Ok(Recognising { recogniser, wanted, format, frames, numbers, parted, closed, stopped: false })
    }

    /// The first line of what is written, if there is one.
    pub(crate) fn header(&self) -> &'static str {
        match (self.format, self.frames) {
            (Output::Csv, false) => INTERVAL_COLUMNS,
            (Output::Csv, true) => "segment,time,fluent",
            (Output::Jsonl, _) => "",
        }
    }

    /// What was closed as lines, if there is anything to be told; all of it of one segment.
    fn tell(&mut self, (frame, rank): (u64, u64), told: &mut Vec<Told>) {
        let is_part = self.closed.first().is_some_and(|interval| self.parted.contains(&interval.segment));
        let (mut text, mut lines) = (String::new(), Vec::new());
        let mut tag = 0;
        for interval in self.closed.drain(..).filter(|i| !self.frames && self.wanted.contains(&i.signature)) {
            tag += u64::from(interval.end != End::Open);
            let line = interval_line(&interval, None, self.format) + "\n";
            if is_part {
                let (is_here, fluent, values, first, last) = self.recogniser.rank(&interval);
                lines.push(((is_here, fluent, values.to_vec(), first, last), line));
            } else {
                text += &line;
            }
        }
        let made = if lines.is_empty() { Vec::new() } else { state::encode(&Part::Closed(lines)) };
        if !text.is_empty() || !made.is_empty() {
            told.push(Told { frame, rank, text, made, tag });
        }
    }

    /// What holds at a frame as lines.
    fn tell_frame(&self, frame: &Frame, place: &Place, told: &mut Vec<Told>) {
        let own = self.recogniser.holding().filter(|(signature, _)| self.wanted.contains(signature));
        let holding: Vec<String> = own.map(|(s, values)| compact(&calculus::fluent(s, values))).collect();
        let tag = holding.len() as u64;
        let (text, made) = match place.part {
            None => (holding_lines(frame.segment, frame.time, holding, self.format), Vec::new()),
            Some(_) => {
                let part = Part::Holding(frame.segment, frame.time, holding);
                (String::new(), state::encode(&part))
            }
        };
        told.push(Told { frame: place.frame, rank: 1, text, made, tag });
    }

    /// What has not ended when somebody asks to end.
    fn tell_open(&mut self, told: &mut Vec<Told>) {
        self.closed.extend(self.recogniser.open());
        self.tell_by_segment(told);
    }

    /// What is told at the end, segment by segment.
    fn tell_by_segment(&mut self, told: &mut Vec<Told>) {
        let all = std::mem::take(&mut self.closed);
        for own in all.chunk_by(|a, b| a.segment == b.segment) {
            self.closed.extend_from_slice(own);
            let number = self.numbers.get(&own[0].segment).copied().unwrap_or(u64::MAX);
            self.tell((u64::MAX, number), told);
        }
    }
}

/// A [`oled::recognise::Rank`] with values of its own.
type OwnRank = (bool, usize, Vec<Value>, i64, i64);

/// What is told of a part of a segment.
#[derive(Serialize, Deserialize)]
enum Part {
    /// The lines of intervals, with what [`Recogniser::rank`] says of each.
    Closed(Vec<(OwnRank, String)>),
    /// What holds at a time point.
    Holding(Symbol, i64, Vec<String>),
}

/// The lines of what several workers told of the parts of a segment at one place: those that one would have told.
fn lines(parts: &[Told], format: Output) -> Result<String, StateError> {
    let (mut closed, mut all_holding, mut at) = (Vec::new(), Vec::new(), None);
    for Told { made, .. } in parts {
        match state::decode(made)? {
            Part::Closed(mut own) => closed.append(&mut own),
            Part::Holding(segment, time, mut own) => {
                at = Some((segment, time));
                all_holding.append(&mut own);
            }
        }
    }
    closed.sort();
    let closed: String = closed.into_iter().map(|(_, line)| line).collect();
    Ok(at.map_or(closed, |(segment, time)| holding_lines(segment, time, all_holding, format)))
}

/// What holds at a time point of a segment as lines.
fn holding_lines(segment: Symbol, time: i64, mut holding: Vec<String>, format: Output) -> String {
    holding.sort();
    let segment = segment.as_str();
    match format {
        Output::Csv => {
            let (segment, time) = (csv_field(segment), printed_time(time));
            let line = |fluent: &String| format!("{segment},{time},{}\n", csv_field(fluent));
            holding.iter().map(line).collect()
        }
        Output::Jsonl => {
            let line = json!({"segment": segment, "time": json_time(time), "holds": holding});
            format!("{}\n", printable_json(&line.to_string()))
        }
    }
}

impl Worker for Recognising {
    fn over(&mut self, segment: Symbol, place: &Place, told: &mut Vec<Told>) {
        self.recogniser.finish(&mut self.closed);
        self.tell((place.frame, 0), told);
        self.numbers.swap_remove(&segment);
        self.parted.swap_remove(&segment);
    }

    fn frame(&mut self, frame: &Frame, place: &Place, told: &mut Vec<Told>) -> Result<(), String> {
        if place.begins {
            // Who reads a piece of a stream with mixed segments does not know which have begun before.
            self.numbers.entry(frame.segment).or_insert(place.segment);
            if place.part.is_some() {
                self.parted.insert(frame.segment);
            }
        }
        if self.stopped {
            return Ok(());
        }
        self.recogniser.observe(frame, &mut self.closed);
        match self.recogniser.stop() {
            Some(Stop::Interrupted) => self.stopped = true,
            Some(stop) => return Err(too_much(stop, frame).to_string()),
            None if self.frames => {
                self.closed.clear();
                self.tell_frame(frame, place, told);
            }
            None => {}
        }
        self.tell((place.frame, 1), told);
        Ok(())
    }

    fn end(&mut self, told: &mut Vec<Told>) {
        self.recogniser.finish(&mut self.closed);
        self.tell_by_segment(told);
    }

    fn save(&mut self) -> Vec<u8> {
        state::encode(&(self.recogniser.save(), &self.numbers))
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let (recogniser, numbers): (Vec<u8>, _) = state::decode(bytes)?;
        self.recogniser.restore(&recogniser)?;
        self.numbers = numbers;
        Ok(())
    }
}

/// Whether a command can be spread over workers: what is told as it happens, and what is kept, goes frame by frame.
pub(crate) fn can_recognise(args: &RecogniseArgs) -> bool {
    let at_once = args.live.follow || args.reload || args.wants_alarms();
    args.input.workers > 1 && !at_once && !args.sure.confidence && args.checkpoint.checkpoint.is_none()
}

/// `oled recognise --workers N`.
pub(crate) fn recognise(args: &RecogniseArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let mut folder = load_task(&args.task)?;
    let worker = Recognising::new(&mut folder, args, quiet)?;
    // Where nothing can be written nothing is read.
    let mut output: Box<dyn Write> = match &args.output {
        Some(path) => Box::new(ResumableFile::open(path, None)?),
        None => Box::new(BufWriter::new(io::stdout().lock())),
    };
    let failed = |error: io::Error| match &args.output {
        Some(path) => anyhow::Error::new(error).context(format!("cannot write `{}`", path.display())),
        None => error.into(),
    };
    let (mut printed, format) = (0, worker.format);
    let mut write = |told: Vec<Told>| {
        printed += told.iter().map(|told| told.tag).sum::<u64>();
        for at_place in told.chunk_by(|a, b| (a.frame, a.rank) == (b.frame, b.rank)) {
            if at_place[0].made.is_empty() {
                at_place.iter().try_for_each(|told| output.write_all(told.text.as_bytes())).map_err(failed)?;
            } else {
                let text = lines(at_place, format);
                let text = text.context("what workers tell cannot be put together: please report it")?;
                output.write_all(text.as_bytes()).map_err(failed)?;
            }
        }
        output.flush().map_err(failed)
    };
    let interrupted: Arc<AtomicBool> = interruption()?;
    let frames = open_frames(&folder, &args.input, &args.live, &args.checkpoint, &interrupted, None, quiet)?;
    let header = worker.header();
    let header = Told {
        frame: 0,
        rank: 0,
        text: header.to_string() + if header.is_empty() { "" } else { "\n" },
        made: Vec::new(),
        tag: 0,
    };
    write(vec![header])?;
    let mut progress = Progress::new(frames.total_bytes(), quiet);
    let mut one = worker;
    one.recogniser = one.recogniser.with_interrupt(interrupted.clone().into());
    let workers = vec![one; args.input.workers];
    let usual_limits = (args.max_instances, args.steps.max_steps) == (MAX_INSTANCES, MAX_STEPS);
    let groups = groups(&folder, &args.theory, &wanted(&folder, &workers[0].recogniser, args.all), usual_limits)?;
    let source = Source::Stream(Box::new(frames));
    let by = (folder.task.options.interleaved, groups);
    let (frames, mut workers) = run(source, by, workers, &interrupted, &mut progress, &mut write)?;
    let stopped = interrupted.load(Ordering::Relaxed);
    let mut last = Vec::new();
    for worker in &mut workers {
        if stopped { worker.tell_open(&mut last) } else { worker.end(&mut last) }
    }
    sort(&mut last);
    write(last)?;
    progress.finish();
    say_skipped(&frames.finish(), Labels::Unused, quiet);
    Ok(match printed {
        _ if stopped => Outcome::Interrupted,
        0 => Outcome::Nothing,
        _ => Outcome::Done,
    })
}
