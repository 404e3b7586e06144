//! Segments: which column of a table says which of several streams a row is of, where none is called so.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::labelled::Labelled;
use super::profile::{Profile, overlap};
use crate::error::DataError;
use crate::table::{number, scan};

/// The column of segments: the one that is called so; else the one that has the names that the labels have for segments; else,
/// where times begin again and again, one whose rows are each in the order of time. A column that says whom rows are about is
/// none: everybody may have a segment of their own anyway.
pub(super) fn segment_column(
    profile: &Profile,
    time: usize,
    keys: &[usize],
    labels: &Labelled,
    remarks: &mut Vec<String>,
) -> Result<Option<usize>, DataError> {
    if let Some(column) = profile.position("segment") {
        return Ok(Some(column));
    }
    let (wanted, path) = (labels.segments(), profile.path.display());
    if !wanted.is_empty() {
        let share = |at: usize| overlap(&wanted, &profile.columns[at]);
        let columns = (0..profile.columns.len()).filter(|at| *at != time && share(*at) > 0.0);
        let best = columns.max_by(|a, b| share(*a).total_cmp(&share(*b)).then(b.cmp(a)));
        match best {
            None => remarks.push(format!(
                "no column of `{path}` has the segments of the labels, so they are taken to be about all of it; if there is one, name it with the option `segment_column`"
            )),
            Some(column) if keys.contains(&column) => {}
            Some(column) => {
                let name = &profile.columns[column].name;
                remarks.push(format!("column `{name}` of `{path}` has the segments of the labels"));
                return Ok(Some(column));
            }
        }
        return Ok(None);
    }
    let column = restarting(profile, time, keys)?;
    if let Some(column) = column {
        let name = &profile.columns[column].name;
        remarks.push(format!(
            "column `{name}` of `{path}` is taken for segments: times begin again with each of its names"
        ));
    }
    Ok(column)
}

/// The argument of labels that is no argument but says which of several streams they are about: others are left, and times begin
/// again in a column of that name. Nothing of one video has to do with anything of another.
pub(super) fn segment_argument(
    profiles: &[Profile],
    times: &[usize],
    labels: &Labelled,
    remarks: &mut Vec<String>,
) -> Result<Option<String>, DataError> {
    if labels.segment.is_some() || labels.args.len() < 2 {
        return Ok(None);
    }
    for (profile, time) in profiles.iter().zip(times) {
        let Some(column) = restarting(profile, *time, &[])? else { continue };
        let name = &profile.columns[column].name;
        if let Some(arg) = labels.args.iter().find(|arg| arg.eq_ignore_ascii_case(name)) {
            let path = profile.path.display();
            remarks.push(format!(
                "`{arg}` of the labels is taken for segments, since times begin again with each of its names in `{path}`"
            ));
            return Ok(Some(arg.clone()));
        }
    }
    Ok(None)
}

/// Where times begin again, the column with the fewest names of which each has its rows in the order of time.
fn restarting(profile: &Profile, time: usize, keys: &[usize]) -> Result<Option<usize>, DataError> {
    if profile.columns[time].rises || !profile.columns[time].is_number() {
        return Ok(None);
    }
    let mut last = None;
    // The last time of each name; none where a name has gone back in time, or there are too many of them.
    let mut columns: Vec<Option<IndexMap<String, f64, FxBuildHasher>>> = (0..profile.columns.len())
        .map(|at| (at != time && !profile.columns[at].more).then(IndexMap::default))
        .collect();
    let mut begins_again = 0;
    for path in profile.paths() {
        scan(path, |_, row| {
            let Some(at) = number(row.cell(time)).and_then(oled::Value::as_f64) else { return Ok(()) };
            begins_again += usize::from(last.is_some_and(|last| at < last));
            last = Some(at);
            for (i, names) in columns.iter_mut().enumerate() {
                let Some(known) = names else { continue };
                match known.get_mut(row.cell(i)) {
                    Some(last) if at < *last => *names = None,
                    Some(last) => *last = at,
                    None => _ = known.insert(row.cell(i).to_string(), at),
                }
            }
            Ok(())
        })?;
    }
    // Rows of one after the other.
    if keys.iter().any(|key| columns[*key].is_some()) {
        return Ok(None);
    }
    // As many names as there are beginnings: with more, one that has a name for each row would do, and with fewer, rows that are
    // just in no order.
    let names = |at: &usize| {
        columns[*at].as_ref().map(IndexMap::len).filter(|names| begins_again > 0 && *names == begins_again + 1)
    };
    Ok((0..columns.len()).filter(|at| names(at).is_some()).min_by_key(|at| (names(at), *at)))
}
