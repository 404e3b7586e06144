//! A cut between rows of a table: a time begins there, with a segment that the rows of the time before are not of.

use oled::Symbol;

/// What the rows around a place say of where a piece may begin from it on.
pub(super) struct Cut {
    from: u64,
    /// Whether segments are mixed: then any time may begin a piece.
    interleaved: bool,
    time: Option<i64>,
    /// The segments of the rows of that time, and whether all of them were seen.
    segments: Vec<Symbol>,
    whole: bool,
}

/// What was found from a place on.
pub(super) enum Found {
    At(u64),
    /// Nothing up to where somebody asked to stop.
    Nothing,
    /// One has to look further back to know.
    FurtherBack,
}

impl Cut {
    /// Looks for the first row from a place on; `whole`: whether the first row that is looked at is the first of all.
    pub(super) fn new(from: u64, interleaved: bool, whole: bool) -> Cut {
        Cut { from, interleaved, time: None, segments: Vec::new(), whole }
    }

    /// Looks at the next row, which is of a time and a segment.
    pub(super) fn row(&mut self, here: u64, (time, segment): (i64, Symbol)) -> Option<Found> {
        if self.time != Some(time) {
            if self.time.is_some() && here >= self.from {
                if self.interleaved || self.whole && !self.segments.contains(&segment) {
                    return Some(Found::At(here));
                }
                if !self.whole {
                    return Some(Found::FurtherBack);
                }
            }
            self.whole |= self.time.is_some();
            self.time = Some(time);
            self.segments.clear();
        }
        if !self.segments.contains(&segment) {
            self.segments.push(segment);
        }
        None
    }
}
