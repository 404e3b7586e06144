//! `oled simulate`: a stream of the simulated world.

use oled_data::FrameWriter;
use oled_data::world::{World, WorldOptions};

use crate::Outcome;
use crate::args::{SimulateArgs, WorldArgs};

pub(crate) fn run(args: &SimulateArgs) -> anyhow::Result<Outcome> {
    let mut writer = FrameWriter::new(args.to, std::io::stdout().lock())?;
    let mut left = args.facts.unwrap_or(u64::MAX);
    let options = WorldOptions { change: args.change, ..options(&args.world) };
    for frame in World::new(options) {
        writer.write(&frame)?;
        left = left.saturating_sub((frame.narrative.len() + frame.annotation.len()) as u64);
        if left == 0 {
            break;
        }
    }
    writer.finish()?;
    Ok(Outcome::Done)
}

/// The world that the arguments describe.
pub(crate) fn options(args: &WorldArgs) -> WorldOptions {
    let usual = WorldOptions::default();
    WorldOptions {
        seed: args.seed,
        people: args.people,
        frames: args.frames,
        segments: args.segments,
        change: usual.change,
        event_noise: (usual.event_noise * args.noise).min(1.0),
        position_noise: usual.position_noise * args.noise,
        label_noise: (usual.label_noise * args.noise).min(1.0),
    }
}
