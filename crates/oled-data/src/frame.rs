//! Frames as all formats know them: their two parts, and the segment of those that name none.

use oled::Symbol;

/// What was observed: the first part of a frame.
pub(crate) const NARRATIVE: usize = 0;
/// What is labelled as true: the second.
pub(crate) const ANNOTATION: usize = 1;

/// The segment of streams that name none.
pub(crate) fn default_segment() -> Symbol {
    Symbol::new("main")
}
