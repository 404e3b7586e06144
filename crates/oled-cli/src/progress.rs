//! Progress on standard error, for people only: a bar when it is a terminal, nothing otherwise.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use oled::lang::printable;
use oled_data::{Frames, Skipped};

/// Says a line to the person who runs the program, whose terminal obeys no name of a stream.
pub(crate) fn say(line: &str) {
    // Nobody to tell when standard error is gone.
    let _ = writeln!(std::io::stderr(), "{}", printable(line));
}

/// Whether a command uses the labels of a stream.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Labels {
    Used,
    Unused,
}

/// Says what was left out of a stream, and what of it the task does not know, if anything.
pub(crate) fn say_skipped(skipped: &Skipped, labels: Labels, quiet: bool) {
    if skipped.total() > 0 {
        say(&format!("warning: {skipped}"));
    }
    match skipped.reordered() {
        0 => {}
        1 => say("remark: 1 frame came late and was put in order"),
        n => say(&format!("remark: {n} frames came late and were put in order")),
    }
    if !quiet {
        skipped.unknown().warnings(labels == Labels::Used).iter().for_each(|warning| say(warning));
    }
}

/// A bar for people: hidden where standard error is no terminal, and where quiet is wanted.
pub(crate) fn bar(total: Option<u64>, template: &str, quiet: bool) -> ProgressBar {
    let hidden = quiet || !std::io::stderr().is_terminal();
    let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) };
    let bar = ProgressBar::with_draw_target(total, target);
    bar.set_style(ProgressStyle::with_template(template).expect("the templates are fixed and valid"));
    if !hidden {
        bar.enable_steady_tick(Duration::from_millis(100));
    }
    bar
}

/// A bar that follows a stream.
pub(crate) struct Progress {
    bar: ProgressBar,
    frames: u64,
}

/// The bar is touched once in so many frames, so that it costs nothing.
const STEP: u64 = 256;

impl Progress {
    /// A bar for a stream of known size, or a counter for others.
    pub(crate) fn new(total_bytes: Option<u64>, quiet: bool) -> Progress {
        let template = match total_bytes {
            Some(_) => "{bar:30} {percent:>3}%  {msg}  {eta} left",
            None => "{spinner} {msg}  {elapsed}",
        };
        let bar = bar(total_bytes, template, quiet);
        Progress { bar, frames: 0 }
    }

    /// Another frame was processed.
    pub(crate) fn frame(&mut self, frames: &Frames) {
        self.frame_at(|| frames.bytes_read());
    }

    /// The same, where somebody else knows how much was read.
    pub(crate) fn frame_at(&mut self, bytes_read: impl FnOnce() -> u64) {
        self.frames += 1;
        if self.frames.is_multiple_of(STEP) {
            self.bar.set_position(bytes_read());
            self.tell();
        }
    }

    fn tell(&self) {
        let seconds = self.bar.elapsed().as_secs_f64();
        if seconds > 0.0 {
            self.bar.set_message(format!("{} frames, {:.0}/s", self.frames, self.frames as f64 / seconds));
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
