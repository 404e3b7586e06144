//! Resumed: reading goes on wherever it was cut, with the same frames.

use std::path::Path;

use oled::Frame;
use oled_data::{Frames, ReadOptions, open, open_at};

pub(crate) fn all(frames: Frames) -> Vec<Frame> {
    frames.collect::<Result<_, _>>().unwrap()
}

/// Cuts reading after each frame, also where the last one is put back, and returns all frames.
pub(crate) fn goes_on_anywhere(stream: &Path, options: &ReadOptions) -> Vec<Frame> {
    let expected = all(open(stream, options).unwrap());
    for cut in 1..expected.len() {
        let mut frames = open(stream, options).unwrap();
        let mut taken: Vec<Frame> = frames.by_ref().take(cut).map(Result::unwrap).collect();
        assert_eq!(all(open_at(stream, options, &frames.save(), true).unwrap()), expected[cut..], "cut at {cut}");
        frames.put_back(taken.pop().unwrap());
        let saved = frames.save();
        assert_eq!(all(frames), expected[cut - 1..], "put back at {cut}");
        assert_eq!(all(open_at(stream, options, &saved, true).unwrap()), expected[cut - 1..], "put back at {cut}");
    }
    expected
}
