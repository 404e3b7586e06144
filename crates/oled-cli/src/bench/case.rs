//! Case: what is measured: a task, rules for it, and a stream as bytes in memory.

use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use oled::{Frame, Theory, parse_theory};
use oled_data::task_folder::TaskFolder;
use oled_data::world::{World, WorldOptions};
use oled_data::{Format, FrameWriter, Frames, ReadOptions, open};

/// A stream, and what is done with it.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) task: TaskFolder,
    /// The same with listed thresholds, for the learner that needs them, and for rules by hand.
    pub(super) listed: TaskFolder,
    pub(super) theory: Theory,
    pub(super) stream: Stream,
}

impl Case {
    /// The videos of CAVIAR, or the simulated lobby.
    pub(super) fn new(data: Option<&Path>) -> anyhow::Result<Case> {
        let (name, task, frames) = match data {
            Some(directory) => ("CAVIAR", TaskFolder::caviar(), videos(directory)?),
            None => ("simulated lobby", TaskFolder::embedded(), World::new(WorldOptions::default()).collect()),
        };
        let listed = TaskFolder::named(&format!("{}-listed", task.name)).unwrap_or_else(|| task.clone());
        let hand = listed.theory(Path::new("hand"))?;
        Ok(Case { name, task, theory: parse_theory(&hand.name, &hand.text)?, listed, stream: Stream::of(&frames)? })
    }
}

fn videos(directory: &Path) -> anyhow::Result<Vec<Frame>> {
    let options = ReadOptions { format: Some(Format::Caviar), ..ReadOptions::default() };
    open(directory, &options)?.collect::<Result<_, _>>().context("cannot read the CAVIAR data")
}

/// A stream as JSON Lines in memory: everything is measured from these bytes on.
#[derive(Clone)]
pub(super) struct Stream {
    pub(super) bytes: Arc<[u8]>,
    pub(super) frames: usize,
    pub(super) facts: usize,
}

impl Stream {
    pub(super) fn of(frames: &[Frame]) -> anyhow::Result<Stream> {
        let mut bytes = Vec::new();
        let mut writer = FrameWriter::new(Format::Jsonl, &mut bytes)?;
        frames.iter().try_for_each(|frame| writer.write(frame))?;
        writer.finish()?;
        Stream::of_text(bytes)
    }

    /// A stream that is JSON Lines already.
    pub(super) fn of_text(bytes: Vec<u8>) -> anyhow::Result<Stream> {
        let mut stream = Stream { bytes: bytes.into(), frames: 0, facts: 0 };
        for frame in stream.read()? {
            let frame = frame?;
            stream.frames += 1;
            stream.facts += frame.narrative.len() + frame.annotation.len();
        }
        Ok(stream)
    }

    pub(super) fn read(&self) -> anyhow::Result<Frames> {
        self.read_by(1)
    }

    /// The same where so many threads parse.
    pub(super) fn read_by(&self, parsers: usize) -> anyhow::Result<Frames> {
        let options = ReadOptions { format: Some(Format::Jsonl), parsers, ..ReadOptions::default() };
        Ok(Frames::from_reader("memory.jsonl", Cursor::new(self.bytes.clone()), &options)?)
    }

    pub(super) fn megabytes(&self) -> f64 {
        self.bytes.len() as f64 / 1e6
    }

    /// Reads it, and does nothing with it: what everything else is compared with.
    pub(super) fn parse(&self) -> anyhow::Result<()> {
        let mut seen = 0;
        for frame in self.read()? {
            let frame = frame?;
            seen += frame.narrative.len() + frame.annotation.len();
        }
        assert_eq!(seen, self.facts, "the same bytes give the same facts");
        Ok(())
    }
}
