//! Recurring: names that come again in segment after segment, such as `cup` and `left_hand` in videos: they say what somebody is.

use std::fmt::Write;

use indexmap::{IndexMap, IndexSet};
use oled::{Symbol, Value};
use rustc_hash::FxBuildHasher;

use super::names::name_of;
use super::roles::NAMES;
use super::survey::{SEGMENTS, Survey, Surveyed};
use crate::error::DataError;
use crate::table::scan;

/// For each type the names of it that are in as many segments as rules need to be judged, where half of its names are.
pub(super) fn recurring(tables: &[Surveyed]) -> Result<IndexMap<String, Vec<String>, FxBuildHasher>, DataError> {
    type Segments = IndexSet<String, FxBuildHasher>;
    let mut seen: IndexMap<String, IndexMap<String, Segments, FxBuildHasher>, FxBuildHasher> = IndexMap::default();
    for table in tables {
        let Some(segment) = table.segment else { continue };
        for path in table.profile.paths() {
            scan(path, |_, row| {
                for (key, own) in &table.keys {
                    if table.profile.columns[*key].more {
                        continue;
                    }
                    let of_type = seen.entry(name_of(own)).or_default();
                    let segments = of_type.entry(row.cell(*key).to_string()).or_default();
                    if segments.len() < SEGMENTS {
                        segments.insert(row.cell(segment).to_string());
                    }
                }
                Ok(())
            })?;
        }
    }
    let recurs = |(own, names): (String, IndexMap<String, Segments, FxBuildHasher>)| {
        let all = names.len();
        let mut names: Vec<String> =
            names.into_iter().filter(|(_, segments)| segments.len() >= SEGMENTS).map(|(name, _)| name).collect();
        names.sort();
        (2 * names.len() > all && (2..=NAMES).contains(&names.len())).then_some((own, names))
    };
    Ok(seen.into_iter().filter_map(recurs).collect())
}

impl Survey {
    /// Which one it is, and is not.
    pub(super) fn write_recurring(&self, modes: &mut String, background: &mut String) {
        for (own, names) in &self.recurring {
            let _ = writeln!(background, "\n% Which `{own}` it is: these names come again in other segments.");
            for name in names {
                let name = Value::Sym(Symbol::new(name));
                let _ = writeln!(background, "{own}_name({name}).\nis_{own}({name}, {name}).");
            }
            let _ = writeln!(modes, "modeb(is_{own}(+{own}, #{own}_name)).\nmodeb(not is_{own}(+{own}, #{own}_name)).");
        }
    }
}
