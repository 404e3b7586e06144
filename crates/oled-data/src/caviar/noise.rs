//! Noise: CAVIAR as a tracker would report it that is sure of little, after the probabilities of the Prob-EC authors.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use indexmap::IndexMap;
use oled::{Signature, Symbol, Value};
use rustc_hash::FxBuildHasher;

use super::Videos;
use super::table::Table;
use crate::error::DataError;

/// A level of noise: facts whose probability is below one half are not reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// In movements.
    Smooth,
    /// In movements, places and orientations.
    Strong,
}

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Noise::Smooth { "smooth" } else { "strong" })
    }
}

impl FromStr for Noise {
    type Err = String;

    fn from_str(name: &str) -> Result<Noise, String> {
        [Noise::Smooth, Noise::Strong]
            .into_iter()
            .find(|noise| noise.to_string() == name)
            .ok_or_else(|| format!("unknown noise `{name}`: there is smooth and strong"))
    }
}

/// What a probability is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Movement,
    Place,
    Orientation,
}

const KINDS: [(Kind, &str); 3] =
    [(Kind::Movement, "p_movement"), (Kind::Place, "p_coord"), (Kind::Orientation, "p_orientation")];

/// Leaves out the facts that the noise files of a directory give a probability below one half.
pub fn add_noise(videos: &mut Videos, directory: &Path, noise: Noise) -> Result<(), DataError> {
    let table = Table::read(&directory.join("noise").join(format!("{noise}.csv")))?;
    let kinds: Vec<(Kind, &str)> = KINDS.into_iter().filter(|(_, column)| table.has(column)).collect();
    let mut dropped: IndexMap<(Symbol, i64, Symbol), Vec<Kind>, FxBuildHasher> = IndexMap::default();
    for row in table.rows() {
        let unlikely = |column: &str| row.number::<f64>(column).map(|p| p < 0.5);
        let mut out = Vec::new();
        for (kind, column) in &kinds {
            if unlikely(column)? {
                out.push(*kind);
            }
        }
        let who = Symbol::new(&format!("id{}", row.text("id")?));
        dropped.insert((Symbol::new(row.text("video")?), row.number("frame")?, who), out);
    }
    for (video, frames) in videos {
        for frame in frames {
            frame.narrative = frame.narrative.filter(|signature, values| {
                let Some(Value::Sym(who)) = values.first() else { return true };
                let out = dropped.get(&(*video, frame.time, *who));
                kind(signature).zip(out).is_none_or(|(kind, out)| !out.contains(&kind))
            });
        }
    }
    Ok(())
}

fn kind(signature: Signature) -> Option<Kind> {
    match signature.name().as_str() {
        "coords" => Some(Kind::Place),
        "orientation" => Some(Kind::Orientation),
        "happensAt" => match signature.inner_name()?.as_str() {
            "walking" | "active" | "inactive" | "running" | "abrupt" => Some(Kind::Movement),
            _ => None,
        },
        _ => None,
    }
}
