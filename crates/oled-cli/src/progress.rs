//! Progress on standard error, for people only: a bar when it is a terminal, a line now and then otherwise.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use oled::lang::printable;
use oled_data::{Frames, Skipped};

/// Says a line to the person who runs the program, whose terminal obeys no name of a stream.
pub(crate) fn say(line: &str) {
    let line = in_flags(&printable(line));
    let line = if wants_colours() { coloured(&line) } else { line };
    // Nobody to tell when standard error is gone.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A text of the library in the words of the command line: the option `lateness=N`, whoever takes it, is `--lateness N` here.
fn in_flags(text: &str) -> String {
    const OPTION: &str = "the option `";
    let mut parts = text.split(OPTION);
    let mut all = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (option, rest) = part.split_at(part.find('`').unwrap_or(part.len()));
        let (name, value) = option.split_once('=').unzip();
        let flag = name.unwrap_or(option).replace('_', "-");
        all.extend(["`--", &flag, value.map_or("", |_| " "), value.unwrap_or_default(), rest]);
    }
    all
}

/// Whether standard error is a terminal whose user has nothing against colours: <https://no-color.org>.
fn wants_colours() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    std::io::stderr().is_terminal()
        && !is_set("NO_COLOR")
        && std::env::var_os("TERM").is_some_and(|term| term != "dumb")
}

/// A message whose kind stands out: the first word of a line that says what it is.
fn coloured(text: &str) -> String {
    let line = |line: &str| {
        let blanks = line.len() - line.trim_start().len();
        let (indent, rest) = line.split_at(blanks);
        let kinds =
            [("error:", "1;31"), ("warning:", "1;33"), ("remark:", "1;36"), ("hint:", "1;32"), ("progress:", "2")];
        let kind = kinds.iter().find(|(kind, _)| rest.starts_with(kind));
        kind.map_or_else(
            || line.to_string(),
            |(kind, colour)| format!("{indent}\u{1b}[{colour}m{kind}\u{1b}[0m{}", &rest[kind.len()..]),
        )
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
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
    match skipped.late_labels() {
        0 => {}
        1 => say(
            "warning: 1 label came when its frames did not wait for it any more\nhint: a longer `delay` in `[labels]` of task.toml lets them wait",
        ),
        n => say(&format!(
            "warning: {n} labels came when their frames did not wait for them any more\nhint: a longer `delay` in `[labels]` of task.toml lets them wait"
        )),
    }
    if !quiet {
        skipped.unknown().warnings(labels == Labels::Used).iter().for_each(|warning| say(warning));
    }
}

/// A bar for people. Where standard error is no terminal there is a line now and then instead, and nothing where quiet is
/// wanted. `what` is counted.
pub(crate) fn bar(what: &'static str, total: Option<u64>, template: &str, quiet: bool) -> ProgressBar {
    let hidden = quiet || !std::io::stderr().is_terminal();
    let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) };
    let bar = ProgressBar::with_draw_target(total, target);
    bar.set_style(ProgressStyle::with_template(template).expect("the templates are fixed and valid"));
    if !hidden {
        bar.enable_steady_tick(Duration::from_millis(100));
    } else if !quiet {
        let watched = bar.downgrade();
        std::thread::spawn(move || {
            let mut pause = FIRST_LINE;
            loop {
                std::thread::sleep(pause);
                match watched.upgrade().filter(|bar| !bar.is_finished()) {
                    Some(bar) => say(&how_far(&bar, what)),
                    None => return,
                }
                pause = if watched.upgrade().is_some_and(|bar| bar.elapsed() > MANY_LINES) {
                    LATER_LINES
                } else {
                    FIRST_LINE
                };
            }
        });
    }
    bar
}

/// After so long without a terminal there is a line: quick commands say nothing.
const FIRST_LINE: Duration = Duration::from_secs(10);
/// From then on, when a command has taken so long, lines come seldom: whoever waits for hours reads them in a file.
const MANY_LINES: Duration = Duration::from_secs(60);
const LATER_LINES: Duration = Duration::from_secs(60);

/// How far a command is, in a line.
fn how_far(bar: &ProgressBar, what: &str) -> String {
    let (done, message, taken) = (bar.position(), bar.message(), bar.elapsed().as_secs());
    let message = if message.is_empty() { String::new() } else { format!(": {message}") };
    match bar.length().filter(|total| *total > 0 && done > 0) {
        Some(total) => {
            let left = bar.elapsed().as_secs_f64() * total.saturating_sub(done) as f64 / done as f64;
            let far = match what {
                "" => format!("{} %", 100 * done / total),
                what => format!("{done} of {total} {what}"),
            };
            format!("progress: {far} after {taken} s, about {left:.0} s left{message}")
        }
        None => format!("progress: {taken} s{message}"),
    }
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
        let bar = bar("", total_bytes, template, quiet);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_the_library_are_flags_here() {
        let text = "sort them with the option `lateness=N`, or skip `a` with the option `max_names`";
        assert_eq!(in_flags(text), "sort them with `--lateness N`, or skip `a` with `--max-names`");
        assert_eq!(in_flags("no option here"), "no option here");
    }

    #[test]
    fn the_kind_of_a_message_stands_out_and_nothing_else() {
        let text = "error: no error: here\n  hint: add it\nand so on";
        let expected = "\u{1b}[1;31merror:\u{1b}[0m no error: here\n  \u{1b}[1;32mhint:\u{1b}[0m add it\nand so on";
        assert_eq!(coloured(text), expected);
    }

    #[test]
    fn a_line_says_how_far_it_is() {
        let bar = bar("parts", Some(8), "{pos}", true);
        bar.set_position(2);
        bar.set_message("fold 1");
        assert!(how_far(&bar, "parts").starts_with("progress: 2 of 8 parts after 0 s, about 0 s left: fold 1"));
        bar.set_length(0);
        assert_eq!(how_far(&bar, "parts"), "progress: 0 s: fold 1");
    }
}
