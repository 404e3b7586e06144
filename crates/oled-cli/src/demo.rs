//! `oled demo`: hand-written rules on the simulated world, drawn beside the truth.

use std::io::{IsTerminal, Write};

use anyhow::Context;
use oled::{Evaluation, Recogniser, parse_theory};
use oled_data::task_folder::TaskFolder;
use oled_data::world::{self, World};

use crate::Outcome;
use crate::args::DemoArgs;
use crate::evaluate::to_table;
use crate::progress::say;
use crate::simulate::options;
use crate::timeline::Timeline;

pub(crate) fn run(args: &DemoArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let task = TaskFolder::embedded().task;
    let theory = parse_theory("hand.lp", world::HAND_RULES)?;
    let mut recogniser = Recogniser::new(&task, &theory)?;
    let targets = task.targets();
    let mut evaluation = Evaluation::new(&targets);
    // The segment with most kinds of complex events is shown, the first of several.
    let mut shown: Option<Timeline> = None;
    let mut current: Option<Timeline> = None;
    let mut intervals = Vec::new();
    for frame in World::new(options(&args.world)) {
        recogniser.observe(&frame, &mut intervals);
        evaluation.count(&recogniser, &frame);
        if current.as_ref().is_some_and(|t| t.segment() != frame.segment) {
            shown = richer(shown, current.take());
        }
        current.get_or_insert_with(|| Timeline::new(&frame, &targets)).add(&frame, &recogniser);
    }
    recogniser.finish(&mut intervals);
    let Some(timeline) = richer(shown, current) else { return Ok(Outcome::Nothing) };

    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{} people in a lobby, {} frames: {} rules by hand recognised {} intervals.\n",
        args.world.people,
        evaluation.frames(),
        theory.clauses.len(),
        intervals.len()
    )?;
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    writeln!(out, "Segment {}, true against recognised:\n\n{}", timeline.segment(), timeline.to_text(width(), colour))?;
    writeln!(out, "All segments, time point by time point:\n\n{}", to_table(&evaluation, false))?;
    let svg = timeline.to_svg("Rules by hand in a simulated lobby");
    std::fs::write(&args.svg, svg).with_context(|| format!("cannot write `{}`", args.svg.display()))?;
    out.flush()?;
    if !quiet {
        say(&format!("the timeline is drawn in {}", args.svg.display()));
    }
    Ok(Outcome::Done)
}

/// The timeline with more kinds of complex events, or else the first.
fn richer(first: Option<Timeline>, second: Option<Timeline>) -> Option<Timeline> {
    match (first, second) {
        (Some(first), Some(second)) if second.variety() > first.variety() => Some(second),
        (None, second) => second,
        (first, _) => first,
    }
}

/// The width of the terminal, or a usual one.
fn width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).unwrap_or(100).clamp(60, 200)
}
