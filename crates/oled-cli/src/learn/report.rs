//! The report of one run: the final rules, what they recognise in the stream that they came from, and how they came about.

use std::path::Path;

use anyhow::bail;
use oled::{Frame, Learned};
use oled_data::task_folder::TaskFolder;
use oled_experiment::{DataSummary, Prequential, Results, Review, title};

use super::{LearnArgs, printed};
use crate::input::stream_path;
use crate::output::{counted, write_file};
use crate::progress::say;
use crate::source::Source;

/// How the stream is seen a second time, when the rules are known.
pub(super) enum SecondLook {
    /// There is no report to make.
    None,
    /// It is read again: what was learned from are its first frames, so many.
    Read(u64),
    /// It cannot be read again, so all of it is kept in memory.
    Kept(Vec<Frame>),
}

impl SecondLook {
    /// The look that a report needs, if there is one to make.
    pub(super) fn new(folder: &TaskFolder, args: &LearnArgs) -> anyhow::Result<SecondLook> {
        Ok(match args.report {
            None => SecondLook::None,
            Some(_) if can_be_read_again(folder, args)? => SecondLook::Read(0),
            Some(_) => SecondLook::Kept(Vec::new()),
        })
    }

    /// Takes note of a frame that was learned from.
    pub(super) fn note(&mut self, frame: Frame) {
        match self {
            SecondLook::None => {}
            SecondLook::Read(frames) => *frames += 1,
            SecondLook::Kept(frames) => frames.push(frame),
        }
    }

    /// Shows all frames that were learned from to a review.
    fn show(self, review: &mut Review, open: impl FnOnce() -> anyhow::Result<Source>) -> anyhow::Result<()> {
        match self {
            SecondLook::None => {}
            SecondLook::Kept(frames) => frames.iter().for_each(|frame| review.observe(frame)),
            SecondLook::Read(frames) => {
                let mut again = open()?;
                for seen in 0..frames {
                    let Some(frame) = again.next() else {
                        bail!(
                            "the stream had {} when it was learned from, and has {seen} now, when the report is made\n\
                             hint: the report needs a stream that does not change, or one that is piped: `--input -`",
                            counted(frames, "time point")
                        );
                    };
                    review.observe(&frame?);
                }
            }
        }
        Ok(())
    }
}

/// Files and the parts of a protocol can be read again; pipes cannot, and neither can a stream that is still being written or
/// whose frames were put in order as they came.
pub(super) fn can_be_read_again(folder: &TaskFolder, args: &LearnArgs) -> anyhow::Result<bool> {
    let lasting = |path: &Path| std::fs::metadata(path).is_ok_and(|m| m.is_file() || m.is_dir());
    let as_it_is = !args.live.follow && args.live.lateness.is_none();
    Ok(args.protocol.is_some() || (as_it_is && lasting(&stream_path(folder, &args.input)?)))
}

/// Writes the report. `open` opens the stream again.
pub(super) fn write(
    tested: Prequential,
    learned: &Learned,
    (folder, args): (&TaskFolder, &LearnArgs),
    look: SecondLook,
    open: impl FnOnce() -> anyhow::Result<Source>,
    quiet: bool,
) -> anyhow::Result<()> {
    let Some(path) = &args.report else { return Ok(()) };
    if let (SecondLook::Kept(frames), false) = (&look, quiet) {
        say(&format!(
            "remark: for the report {} were kept in memory: this stream cannot be read a second time",
            counted(frames.len() as u64, "time point")
        ));
    }
    let mut review = Review::new(&folder.task, learned.theory())?;
    look.show(&mut review, open)?;
    let row = title(&args.learner, args.oled.preset.as_deref());
    let (name, description) = match args.protocol {
        Some(protocol) => (protocol.to_string(), "parts of CAVIAR".into()),
        None => (folder.name.clone(), source_name(&stream_path(folder, &args.input)?)),
    };
    let story = tested.finish(learned, &name, &row);
    let mut results = Results {
        experiment: format!("learn {}", folder.name),
        description: folder.description.clone(),
        version: env!("CARGO_PKG_VERSION").into(),
        curves: story.curves,
        rules: story.rules,
        notes: vec![
            "Scores and timelines are of the final rules: the stream was looked at a second time with them. The learning \
             curves are of the first time, when each time point was recognised with the rules of that moment."
                .into(),
        ],
        ..Results::default()
    };
    results.notes.extend(printed::remarks(learned));
    let data = DataSummary { name, description, rate: folder.rate, ..DataSummary::default() };
    review.finish(data, &row, &mut results);
    for score in &mut results.fits {
        let fit = learned.fits.iter().find(|fit| fit.fluent.as_str() == score.fluent);
        score.held_out = fit.and_then(|fit| Some(fit.held_out.as_ref()?.counts.f1()));
    }
    write_file(path, &oled_experiment::html(&results))
}

/// What a stream is called.
fn source_name(path: &Path) -> String {
    if path == Path::new("-") { "standard input".into() } else { path.display().to_string() }
}
