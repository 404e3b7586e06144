//! Feed: a stream that somebody hands over frame by frame, with the order, ticks and checks of one that is read from a file.

use std::path::Path;
use std::sync::Arc;

use oled::{FactError, FactProblem, FactReader, Facts, Frame, Kinds, Signature, StateError, Symbol, Value};

use crate::error::{DataError, Problem, ProblemKind, Skipped};
use crate::format::Format;
use crate::frame::{ANNOTATION, NARRATIVE};
use crate::labels::Labels;
use crate::lines::Place;
use crate::reader::{Advance, Counter, Frames, ReadOptions, Source};
use crate::sink::Sink;
use crate::spans::Span;

/// Frames that come from whoever has them.
///
/// ```
/// use oled::Frame;
/// use oled_data::{Feed, ReadOptions};
/// let mut feed = Feed::new(&ReadOptions::default())?;
/// let mut frame = Frame::new("walk1".into(), 680);
/// frame.happens("walking", ["id1"]);
/// feed.push(frame.clone())?;
/// assert_eq!(feed.take().transpose()?, Some(frame));
/// feed.push_atoms("walk1".into(), 720, ["happensAt(active(id1),720)"], [])?;
/// assert_eq!(feed.take().transpose()?.unwrap().narrative.len(), 1);
/// let early = feed.push(Frame::new("walk1".into(), 700)).unwrap_err();
/// assert_eq!(early.message(), "time 700 comes after time 720 in segment `walk1`");
/// # Ok::<(), oled_data::DataError>(())
/// ```
pub struct Feed {
    frames: Frames,
    reader: FactReader,
    kinds: Arc<Kinds>,
}

/// What errors call it.
const NAME: &str = "frame";

/// Nothing comes by itself.
struct Silent;

impl Source for Silent {
    fn advance(&mut self, _: &mut Sink) -> Result<Advance, DataError> {
        Ok(Advance::Idle)
    }

    fn save(&self) -> Option<(Place, Vec<u8>)> {
        Some((Place::default(), Vec::new()))
    }
}

impl Feed {
    /// A stream that has not begun.
    pub fn new(options: &ReadOptions) -> Result<Feed, DataError> {
        let mut frames = Frames::new(Box::new(Silent), options, Counter::default(), None)?;
        frames.format = Format::Jsonl;
        Ok(Feed { frames, reader: FactReader::new(options.kinds()), kinds: options.kinds() })
    }

    /// Hands over a frame. One that may not come now is an error, and changes nothing; where problems are left out it is counted.
    pub fn push(&mut self, mut frame: Frame) -> Result<(), DataError> {
        self.check(&mut frame)?;
        let sink = &mut self.frames.sink;
        match sink.admit(frame.segment, frame.time) {
            Ok(()) => sink.push(frame),
            Err(problem) => sink.skip_or_fail(problem).map_err(|problem| problem.of(NAME))?,
        }
        Ok(())
    }

    /// The same with what was observed and what is labelled as texts: `happensAt(walking(id1),680)`.
    pub fn push_atoms<'a>(
        &mut self,
        segment: Symbol,
        time: i64,
        narrative: impl IntoIterator<Item = &'a str>,
        annotation: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), DataError> {
        let (narrative, annotation) = (self.read(narrative, time)?, self.read(annotation, time)?);
        self.push(Frame { segment, time, narrative, annotation })
    }

    /// Values that are not of the declared kinds are a problem; where problems are left out, their facts are.
    fn check(&mut self, frame: &mut Frame) -> Result<(), DataError> {
        let Frame { segment, time, narrative, annotation } = frame;
        for facts in [narrative, annotation] {
            let is_wrong =
                |(signature, values): (Signature, &[Value])| self.kinds.check(signature, values, *time).err();
            let wrong: Vec<FactProblem> = facts.iter().filter_map(is_wrong).collect();
            if wrong.is_empty() {
                continue;
            }
            for problem in wrong {
                let problem = Problem::atom(&FactError { at: 0, problem }, 0).within(*segment);
                self.frames.sink.skip_or_fail(problem).map_err(|problem| problem.of(NAME))?;
            }
            *facts = facts.filter(|signature, values| self.kinds.check(signature, values, *time).is_ok());
        }
        Ok(())
    }

    /// Whether what is wrong is left out and counted from now on, instead of being an error.
    pub fn set_lenient(&mut self, lenient: bool) {
        self.frames.sink.set_lenient(lenient);
    }

    /// Hands over what holds from a first to a last time point. It comes before the frames that it is about.
    pub fn push_span<'a>(
        &mut self,
        segment: Symbol,
        (first, last): (i64, i64),
        narrative: impl IntoIterator<Item = &'a str>,
        annotation: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), DataError> {
        let mut facts = [Facts::default(), Facts::default()];
        facts[NARRATIVE] = self.read(narrative, first)?;
        facts[ANNOTATION] = self.read(annotation, first)?;
        let sink = &mut self.frames.sink;
        let held = sink.hold(segment, Span { first, last, facts }, None);
        held.or_else(|problem| sink.skip_or_fail(problem)).map_err(|problem| problem.of(NAME))
    }

    fn read<'a>(&mut self, atoms: impl IntoIterator<Item = &'a str>, time: i64) -> Result<Facts, DataError> {
        let mut facts = Facts::default();
        for text in atoms {
            let read = match self.reader.read(text, &mut facts) {
                Ok(own) if own == time => Ok(()),
                Ok(own) => {
                    facts.pop();
                    let message = format!("the atom is about time {own}, its frame about time {time}");
                    Err(Problem::new(ProblemKind::WrongTime, 0, message).hint("an atom ends in the time of its frame"))
                }
                Err(error) => Err(Problem::atom(&error, 0)),
            };
            let forgiven = read.or_else(|problem| self.frames.sink.skip_or_fail(problem));
            forgiven.map_err(|problem| problem.locate(NAME, 1, text.as_bytes()))?;
        }
        Ok(facts)
    }

    /// From now on adds the labels of a table, in the place of those of another before it; with none, no more.
    pub fn labels_from(&mut self, path: Option<&Path>, options: &ReadOptions) -> Result<(), DataError> {
        self.frames.sink.spans.labels = path.map(|path| Labels::read(path, options)).transpose()?;
        Ok(())
    }

    /// The same with a table in memory.
    #[cfg(feature = "arrow")]
    pub fn labels_of(&mut self, (name, batches): crate::Batches, options: &ReadOptions) -> Result<(), DataError> {
        self.frames.sink.spans.labels = Some(Labels::of_batches(&name, batches, options)?);
        Ok(())
    }

    /// The next frame that is complete: one that was handed over, or a tick between two of them.
    pub fn take(&mut self) -> Option<Result<Frame, DataError>> {
        self.frames.next()
    }

    /// Ends the stream: what waited for others comes now.
    pub fn end(&mut self) {
        self.frames.end();
    }

    /// What was left out so far, and what of the stream the task does not know.
    pub fn skipped(&self) -> &Skipped {
        self.frames.skipped()
    }

    /// What it knows of the stream so far, for [`Feed::restore`].
    pub fn save(&self) -> Vec<u8> {
        self.frames.save()
    }

    /// Goes on where a feed with the same options was saved.
    pub fn restore(&mut self, saved: &[u8]) -> Result<(), StateError> {
        self.frames.go_on(saved)
    }
}

#[cfg(test)]
mod tests {
    use oled::Task;

    use super::*;

    #[test]
    fn what_was_saved_goes_on() {
        let options = ReadOptions::default();
        let mut feed = Feed::new(&options).unwrap();
        feed.push_span("s".into(), (1, 3), [], ["holdsAt(on(a),1)"]).unwrap();
        feed.push(Frame::new("s".into(), 1)).unwrap();
        assert_eq!(feed.take().unwrap().unwrap().annotation.len(), 1);
        let mut other = Feed::new(&options).unwrap();
        other.restore(&feed.save()).unwrap();
        for feed in [&mut feed, &mut other] {
            assert_eq!(feed.push(Frame::new("s".into(), 1)).unwrap_err().kind(), ProblemKind::DuplicateFrame);
            feed.push(Frame::new("s".into(), 3)).unwrap();
            assert_eq!(feed.take().unwrap().unwrap().annotation.len(), 1);
            assert!(feed.take().is_none());
        }
        assert!(other.restore(b"nonsense").is_err());
    }

    #[test]
    fn values_of_other_kinds_are_told_or_left_out() {
        let modes = "type(celsius, real). input(temp(+room, +celsius, +time)).";
        let task = Task::parse(&oled::Source::new("m.lp", modes), &oled::Source::new("b.lp", "")).unwrap();
        let declarations = Some(crate::Declarations::new(&task).into());
        let mut feed = Feed::new(&ReadOptions { declarations, ..ReadOptions::default() }).unwrap();
        let mut frame = Frame::new("s".into(), 1);
        frame.fact("temp", ["a", "warm"]).fact("temp", [Value::from("b"), Value::from(3)]);
        let error = feed.push(frame.clone()).unwrap_err();
        assert!(error.message().starts_with("`warm` in `temp(a, warm, 1)` is not a number"), "{error}");
        feed.set_lenient(true);
        feed.push(frame).unwrap();
        assert_eq!(feed.take().unwrap().unwrap().narrative.len(), 1);
        assert_eq!(feed.skipped().count(ProblemKind::WrongType), 1);
    }

    #[test]
    fn wrong_atoms_have_their_place() {
        let mut feed = Feed::new(&ReadOptions::default()).unwrap();
        let error = feed.push_atoms("s".into(), 1, ["happensAt(walking(X),1)"], []).unwrap_err();
        assert_eq!((error.kind(), error.line_column()), (ProblemKind::NotGround, Some((1, 19))));
        let error = feed.push_atoms("s".into(), 1, ["p(a,2)"], []).unwrap_err();
        assert_eq!(error.message(), "the atom is about time 2, its frame about time 1");
    }
}
