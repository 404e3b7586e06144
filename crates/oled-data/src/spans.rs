//! Spans: what holds from one time to another is added to every frame between them, and to every tick.
//!
//! A span comes before the frames that it is about. It is forgotten when a frame behind it has come, or its segment is over.

use indexmap::IndexMap;
use oled::{Facts, Frame, Symbol};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use crate::frame::{ANNOTATION, NARRATIVE};
use crate::labels::Labels;

/// Facts and labels that hold from a first to a last time point.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Span {
    pub(crate) first: i64,
    pub(crate) last: i64,
    /// Narrative and annotation.
    pub(crate) facts: [Facts; 2],
}

/// The spans that are not over, by segment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Spans {
    segments: IndexMap<Symbol, Vec<Span>, FxBuildHasher>,
    /// The segment of the last frame.
    current: Option<Symbol>,
    /// Labels that stand apart from the stream: they are there before it is read.
    #[serde(skip)]
    pub(crate) labels: Option<Labels>,
    /// Whether any came to this reader.
    #[serde(skip)]
    pub(crate) came: bool,
}

impl Spans {
    pub(crate) fn push(&mut self, segment: Symbol, span: Span) {
        self.came = true;
        self.segments.entry(segment).or_default().push(span);
    }

    /// Whether something holds at or before a frame that may not be over.
    pub(crate) fn is_before(&mut self, frame: &Frame) -> bool {
        let labelled = self.labels.as_mut().is_some_and(|labels| labels.is_before(frame));
        let spans = self.segments.get(&frame.segment);
        labelled || spans.is_some_and(|spans| spans.iter().any(|span| span.first <= frame.time))
    }

    /// Adds what holds at a frame. Returns whether there was anything to be added; frames come in order.
    pub(crate) fn add(&mut self, frame: &mut Frame, interleaved: bool) -> bool {
        let labelled = self.labels.as_mut().is_some_and(|labels| labels.add(frame, interleaved));
        // Most streams have no spans.
        if self.segments.is_empty() {
            return labelled;
        }
        let before = self.current.replace(frame.segment).filter(|before| *before != frame.segment);
        if let (Some(before), false) = (before, interleaved) {
            self.segments.shift_remove(&before);
        }
        let Some(spans) = self.segments.get_mut(&frame.segment) else { return labelled };
        spans.retain(|span| span.last >= frame.time);
        let mut added = labelled;
        for span in spans.iter().filter(|span| span.first <= frame.time) {
            for (part, to) in [(NARRATIVE, &mut frame.narrative), (ANNOTATION, &mut frame.annotation)] {
                span.facts[part].iter().for_each(|(signature, values)| to.push(signature, values));
            }
            added = true;
        }
        if spans.is_empty() {
            self.segments.shift_remove(&frame.segment);
        }
        added
    }
}
