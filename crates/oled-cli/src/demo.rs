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
    let mut timeline: Option<Timeline> = None;
    let mut intervals = Vec::new();
    for frame in World::new(options(&args.world)) {
        recogniser.observe(&frame, &mut intervals);
        evaluation.count(&recogniser, &frame);
        timeline.get_or_insert_with(|| Timeline::new(&frame, &targets)).add(&frame, &recogniser);
    }
    recogniser.finish(&mut intervals);
    let Some(timeline) = timeline else { return Ok(Outcome::Nothing) };

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
    writeln!(out, "The first segment, true against recognised:\n\n{}", timeline.to_text(width(), colour))?;
    writeln!(out, "All segments, time point by time point:\n\n{}", to_table(&evaluation, false))?;
    let svg = timeline.to_svg("Rules by hand in a simulated lobby");
    std::fs::write(&args.svg, svg).with_context(|| format!("cannot write `{}`", args.svg.display()))?;
    out.flush()?;
    if !quiet {
        say(&format!("the timeline is drawn in {}", args.svg.display()));
    }
    Ok(Outcome::Done)
}

/// The width of the terminal, or a usual one.
fn width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).unwrap_or(100).clamp(60, 200)
}
