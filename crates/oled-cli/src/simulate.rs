//! `oled simulate`: a stream of a simulated world.

use anyhow::bail;
use oled::Frame;
use oled_data::homes::{Homes, HomesOptions};
use oled_data::task_folder::TaskFolder;
use oled_data::world::{FaultInjector, Faults, World, WorldOptions};
use oled_data::{Format, FrameWriter, TableWriter};

use crate::Outcome;
use crate::args::{SimulateArgs, Which, WorldArgs};
use crate::output::write_file;
use crate::progress::say;

pub(crate) fn run(args: &SimulateArgs) -> anyhow::Result<Outcome> {
    if args.to == Format::Csv {
        return tables(args);
    }
    if args.out.is_some() {
        bail!("only tables go into a folder\nhint: add `--to csv`, or leave `--out` out");
    }
    let mut writer = FrameWriter::new(args.to, std::io::stdout().lock())?;
    let faults = Faults { late: args.late, delay: args.delay, duplicate: args.duplicate, malformed: args.malformed };
    let spoilt = args.late + args.duplicate + args.malformed > 0.0;
    if spoilt && args.to != Format::Jsonl {
        bail!("faults are those of lines, and only in `jsonl` is a line a frame\nhint: leave `--to {}` out", args.to);
    }
    let mut injector = spoilt.then(|| FaultInjector::new(faults, args.world.seed));
    let mut left = args.facts.unwrap_or(u64::MAX);
    for frame in frames(args) {
        match &mut injector {
            Some(injector) => {
                let line = writer.text(&frame);
                injector.take(&frame, &line, |line| writer.write_text(line))?;
            }
            None => writer.write(&frame)?,
        }
        left = left.saturating_sub((frame.narrative.len() + frame.annotation.len()) as u64);
        if left == 0 {
            break;
        }
    }
    let spoilt = injector.map(|injector| injector.finish(|line| writer.write_text(line))).transpose()?;
    writer.finish()?;
    if let Some(spoilt) = spoilt {
        say(&format!("spoilt: {spoilt}"));
    }
    Ok(Outcome::Done)
}

/// The same as tables, and what their columns are.
fn tables(args: &SimulateArgs) -> anyhow::Result<Outcome> {
    let Some(out) = &args.out else {
        bail!("tables are several files\nhint: name a folder for them, as in `--to csv --out DIR`");
    };
    if args.late + args.duplicate + args.malformed > 0.0 {
        bail!("faults are those of lines, and only in `jsonl` is a line a frame\nhint: leave `--to csv` out");
    }
    let task = match args.which {
        Which::Lobby => TaskFolder::embedded(),
        Which::Homes => TaskFolder::homes(),
    };
    let mut writer = TableWriter::new(out, &task.task, task.times())?;
    let mut left = args.facts.unwrap_or(u64::MAX);
    for frame in frames(args) {
        writer.write(&frame)?;
        left = left.saturating_sub((frame.narrative.len() + frame.annotation.len()) as u64);
        if left == 0 {
            break;
        }
    }
    let text = format!("# What the columns of these tables are: a part of a task.toml.\n\n{}", writer.finish()?);
    write_file(&out.join("tables.toml"), &text)?;
    Ok(Outcome::Done)
}

/// The frames of the world that is asked for.
fn frames(args: &SimulateArgs) -> Box<dyn Iterator<Item = Frame>> {
    match args.which {
        Which::Lobby => {
            let SimulateArgs { change, scale, shift, .. } = *args;
            Box::new(World::new(WorldOptions { change, scale, shift, ..options(&args.world) }))
        }
        Which::Homes => {
            let SimulateArgs { world: WorldArgs { seed, noise, .. }, homes, days, .. } = *args;
            Box::new(Homes::new(HomesOptions { seed, homes, days, ..HomesOptions::default() }.with_noise(noise)))
        }
    }
}

/// The lobby that the arguments describe.
pub(crate) fn options(args: &WorldArgs) -> WorldOptions {
    let usual = WorldOptions::default();
    WorldOptions {
        seed: args.seed,
        people: args.people,
        frames: args.frames,
        segments: args.segments,
        event_noise: (usual.event_noise * args.noise).min(1.0),
        position_noise: usual.position_noise * args.noise,
        label_noise: (usual.label_noise * args.noise).min(1.0),
        ..usual
    }
}
