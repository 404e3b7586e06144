//! The last label: what a prediction is worth that says of each time point what was annotated at the one before.
//!
//! Labels seldom change from one time point to the next, so that this does well where labels come at once, although it knows
//! nothing. A learner that is tested on the way, while labels come in, should be seen beside it.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::lang::{Durations, Signature, Symbol, Symmetries};
use crate::logic::Relation;
use crate::state::{StateError, decode, encode, ensure};
use crate::stream::Frame;

use super::Evaluation;

/// At each time point exactly the instances are taken for recognised that were annotated at the time point before in the
/// same segment; at the first time point of a segment nothing is. What the annotation does not know is not annotated.
#[derive(Clone, Debug)]
pub struct LastLabel {
    evaluation: Evaluation,
    /// What was annotated last in each segment, by target; segments in which nothing was are left out.
    before: IndexMap<Symbol, Labels, FxBuildHasher>,
}

type Labels = Vec<(Signature, Relation)>;

/// Labels as they are written: each target with the values of its instances.
type Saved = Vec<(Symbol, Vec<(Signature, Vec<Vec<crate::lang::Value>>)>)>;

impl LastLabel {
    /// Nothing counted yet, for these fluents.
    pub fn new(targets: &[Signature]) -> LastLabel {
        LastLabel { evaluation: Evaluation::new(targets), before: IndexMap::default() }
    }

    /// Compares the labels of a frame with those of the frame before in its segment.
    pub fn count(&mut self, symmetries: &Symmetries, frame: &Frame) {
        let empty = || self.evaluation.targets().iter().map(|t| (*t, Relation::new(t.arity() - 1))).collect();
        let mut labels: Labels = self.before.swap_remove(&frame.segment).unwrap_or_else(empty);
        let since = |signature, values: &[_]| {
            labels.iter().any(|(s, r)| *s == signature && r.contains(values)).then_some(frame.time)
        };
        let holding = labels.iter().flat_map(|(s, r)| r.rows().map(move |values| (*s, values)));
        self.evaluation.frames += 1;
        self.evaluation.compare((symmetries, &Durations::default()), frame, since, holding);
        for (target, relation) in &mut labels {
            relation.clear();
            self.evaluation.known_labels(*target).for_each(|values| {
                relation.insert(values);
            });
        }
        if labels.iter().any(|(_, relation)| !relation.is_empty()) {
            self.before.insert(frame.segment, labels);
        }
    }

    /// Tells the place of the next frame in the stream, where others count the frames before it.
    pub fn at(&mut self, place: u64) {
        self.evaluation.at(place);
    }

    /// Adds what another one of the same fluents has counted, of other segments of the same stream. The law is that of
    /// [`Evaluation`].
    pub fn merge(&mut self, other: LastLabel) {
        self.evaluation.merge(other.evaluation);
        self.before.extend(other.before);
    }

    /// What was counted so far.
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// What is known so far, for [`LastLabel::restore`].
    pub fn save(&self) -> Vec<u8> {
        let rows = |relation: &Relation| relation.rows().map(<[_]>::to_vec).collect::<Vec<_>>();
        let labels = |labels: &Labels| labels.iter().map(|(s, r)| (*s, rows(r))).collect::<Vec<_>>();
        let before: Saved = self.before.iter().map(|(segment, of)| (*segment, labels(of))).collect();
        encode(&(self.evaluation.save(), before))
    }

    /// Goes on where another of the same fluents was saved.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let (evaluation, before): (Vec<u8>, Saved) = decode(bytes)?;
        self.evaluation.restore(&evaluation)?;
        let targets = self.evaluation.targets();
        self.before.clear();
        for (segment, saved) in before {
            let mut labels = Labels::new();
            ensure(saved.iter().map(|(s, _)| s).eq(targets), "the fluents of its labels")?;
            for (signature, rows) in saved {
                let mut relation = Relation::new(signature.arity() - 1);
                for values in rows {
                    ensure(values.len() + 1 == signature.arity(), "the values of its labels")?;
                    relation.insert(&values);
                }
                labels.push((signature, relation));
            }
            self.before.insert(segment, labels);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Confusion;
    use crate::lang::Source;
    use crate::stream::FactReader;
    use crate::task::Task;

    /// A frame with labels.
    fn frame(segment: &str, time: i64, labels: &[&str]) -> Frame {
        let mut frame = Frame::new(Symbol::new(segment), time);
        for label in labels {
            FactReader::default().read(&format!("{label}, {time})"), &mut frame.annotation).unwrap();
        }
        frame
    }

    fn task() -> Task {
        let modes = "input(happensAt(call(+person), +time)). example(holdsAt(meeting(+person, +person), +time)).
            symmetric(meeting/2).";
        Task::parse(&Source::new("m.lp", modes), &Source::new("b.lp", "")).unwrap()
    }

    #[test]
    fn the_last_label_is_that_of_the_time_point_before_in_the_same_segment() {
        let (task, mut whole) = (task(), LastLabel::new(&task().labels()));
        let frames = [
            frame("s", 1, &["holdsAt(meeting(a, b)", "holdsAt(meeting(c, d)"]), // nothing before: two are missed
            frame("t", 1, &[]),
            frame("s", 2, &["holdsAt(meeting(b, a)"]), // the same pair in another order; the other one ended
            frame("s", 9, &["unknown(meeting(a, b)"]), // nobody knows
            frame("s", 10, &["holdsAt(meeting(a, b)"]), // what nobody knew is not repeated
        ];
        let mut parts = LastLabel::new(&task.labels());
        for frame in &frames {
            whole.count(&task.bias.symmetries(), frame);
            // Saved and restored at every time point, the same comes out.
            let bytes = parts.save();
            parts = LastLabel::new(&task.labels());
            parts.restore(&bytes).unwrap();
            parts.count(&task.bias.symmetries(), frame);
        }
        assert_eq!(whole.evaluation().total(), Confusion { tp: 1, fp: 1, fn_: 3 });
        assert_eq!(parts.evaluation().total(), whole.evaluation().total());
        assert!(LastLabel::new(&[]).restore(&whole.save()).is_err());
    }
}
