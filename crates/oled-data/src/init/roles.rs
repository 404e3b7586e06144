//! Roles: what each column of a table is for: whom a row is about, and what it says of them.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::clock::words;
use super::labelled::Labelled;
use super::profile::{Column, Profile, overlap};
use super::replaced::{replaced_column, turns};
use super::segments::segment_column;
use super::spans::end_column;
use super::survey::{InitOptions, Said, Says, Surveyed};
use crate::error::{DataError, Problem, ProblemKind};
use crate::times::Times;

/// Different names of a column that become conditions; one with more says who or where, not what. Half of them would miss the
/// codes of larger systems; twice as many are twice as many conditions of every kind.
pub(super) const NAMES: usize = 128;

/// The columns of a table that say whom its rows are about, each with the place among the arguments of labels.
type Keys = Vec<(usize, usize)>;

/// Which columns of each table name whom labels are about, and the type of each argument: the name of such a column.
fn keys_of(
    profiles: &[Profile],
    time_columns: &[usize],
    labels: &Labelled,
    options: &InitOptions,
) -> Result<(Vec<Keys>, Vec<String>), DataError> {
    let values = labels.values();
    let mut types: Vec<Option<String>> = vec![None; values.len()];
    let mut keys: Vec<Keys> = vec![Vec::new(); profiles.len()];
    for (place, wanted) in values.iter().enumerate() {
        for (number, profile) in profiles.iter().enumerate() {
            let arg = labels.args.get(place).map_or(Vec::new(), |name| words(name));
            // Whom it is about says the name of the column, or else the names in it.
            let called = |column: &Column| {
                let own = words(&column.name);
                !arg.is_empty() && arg.iter().all(|word| own.contains(word))
            };
            let segment = options.segment.as_ref().and_then(|name| profile.position(name));
            let others = |at: usize| at != time_columns[number] && Some(at) != segment && !profile.is_of_two(at);
            let candidates = profile.columns.iter().enumerate().filter(|(at, _)| others(*at));
            let scored = candidates
                .map(|(at, column)| (overlap(wanted, column), called(column), !column.is_number(), at))
                .filter(|(share, ..)| *share > 0.0);
            let best = scored.max_by(|a, b| {
                let sure = |(share, called, ..): &(f64, bool, bool, usize)| *called && *share > 0.5;
                let order = sure(a).cmp(&sure(b)).then(a.0.total_cmp(&b.0)).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2));
                order.then(b.3.cmp(&a.3))
            });
            let Some((share, _, _, at)) = best else { continue };
            // One that names whom an argument before is about too names the same kind of things.
            let known =
                keys[number].iter().find(|(column, _)| *column == at).and_then(|(_, first)| types[*first].clone());
            keys[number].push((at, place));
            // A pair may stand in one row: another column that has the same names. Small numbers are in many columns.
            for (other, column) in profile.columns.iter().enumerate() {
                let same = overlap(wanted, column) > share / 2.0 && !column.is_truth();
                if other != at && others(other) && same && (values.len() > 1 || !column.is_number()) {
                    keys[number].push((other, place));
                }
            }
            types[place].get_or_insert_with(|| known.unwrap_or_else(|| profile.columns[at].name.clone()));
        }
        if types[place].is_none() {
            let name = labels.args.get(place).map_or("fluent", String::as_str);
            let path = labels.profile.path.display().to_string();
            let message = format!("no column of the tables has the names that the labels have under `{name}`");
            return Err(Problem::new(ProblemKind::Missing, 0, message)
                .hint(format!("labels are about {}…: write them as the tables do", sample(wanted)))
                .of(path));
        }
    }
    Ok((keys, types.into_iter().flatten().collect()))
}

/// What the columns of all tables are for, and the types of arguments.
pub(super) fn tables_of(
    profiles: Vec<Profile>,
    (time_columns, times): (&[usize], Times),
    labels: &Labelled,
    options: &InitOptions,
    remarks: &mut Vec<String>,
) -> Result<(Vec<Surveyed>, Vec<String>), DataError> {
    let (keys, types) = keys_of(&profiles, time_columns, labels, options)?;
    let mut tables = Vec::new();
    for (profile, time, own) in parts_together(profiles, time_columns, keys) {
        let own: Vec<(usize, String)> = own.into_iter().map(|(column, place)| (column, types[place].clone())).collect();
        let keys: Vec<usize> = own.iter().map(|(column, _)| *column).collect();
        let segment = match &options.segment {
            Some(name) => profile.position(name),
            None => segment_column(&profile, time, &keys, labels, remarks)?,
        };
        let no_place = |at: &usize| ![Some(time), segment].contains(&Some(*at)) && !profile.is_of_two(*at);
        let other = |at: &usize| no_place(at) && !keys.contains(at);
        let end = end_column(&profile, time, times)?.filter(&other);
        let rest: Vec<usize> = (0..profile.columns.len()).filter(|at| other(at) && Some(*at) != end).collect();
        let views = views_of(&profile, own, labels);
        let several = views.len() > 1;
        for (keys, role) in views {
            let said = said_of(&profile, time, &keys, (&rest, end.is_some()), remarks)?;
            // Of numbers nothing is said at the end of a row.
            let end = end.filter(|_| said.iter().any(|says| says.said == Said::Event));
            if let Some(end) = end {
                let (name, path) = (&profile.columns[end].name, profile.path.display());
                remarks.push(format!("rows of `{path}` are intervals, which end at the time in column `{name}`"));
            }
            let profile = profile.clone();
            tables.push(Surveyed {
                profile,
                time,
                segment,
                end,
                keys,
                role,
                several,
                said,
                steady: false,
                at_any_time: false,
            });
        }
    }
    // What is said of a table is said of each of its views.
    let mut told = IndexSet::<String, FxBuildHasher>::default();
    remarks.retain(|remark| told.insert(remark.clone()));
    Ok((tables, types))
}

/// Columns that say whom rows are about, each with the type of what it names; and in which role they are, if others are in another.
type View = (Vec<(usize, String)>, Option<String>);

/// Of whom the rows of a table are looked at, and in which role: of all that a row is about together, where fluents are about as many;
/// and where fluents are about one, of each alone, since no rule about one asks for what is said of two.
fn views_of(profile: &Profile, keys: Vec<(usize, String)>, labels: &Labelled) -> Vec<View> {
    let mut arities = labels.fluents.values().map(|fluent| fluent.arity);
    if keys.len() < 2 || !arities.clone().any(|arity| arity == 1) {
        return vec![(keys, None)];
    }
    let together = arities.any(|arity| arity > 1).then(|| (keys.clone(), None));
    // Conditions on the column that the type is called after have plain names, unless there are those of all together.
    let role = |column: usize, own: &str| {
        let name = &profile.columns[column].name;
        (together.is_some() || name != own).then(|| name.clone())
    };
    let alone: Vec<_> = keys.iter().map(|(column, own)| (vec![(*column, own.clone())], role(*column, own))).collect();
    together.into_iter().chain(alone).collect()
}

/// What the columns of a table say, but for those that say when, and of whom; with whether its rows are intervals.
fn said_of(
    profile: &Profile,
    time: usize,
    own: &[(usize, String)],
    (rest, are_intervals): (&[usize], bool),
    remarks: &mut Vec<String>,
) -> Result<Vec<Says>, DataError> {
    let keys: Vec<usize> = own.iter().map(|(column, _)| *column).collect();
    let rest = rest.iter().copied();
    let numeric = |column: &Column| column.is_number() && !column.is_truth() && column.values.len() > 1;
    let has_numbers = rest.clone().any(|column| numeric(&profile.columns[column]));
    let named = |column: &Column| !column.more && column.values.len() <= NAMES && !numeric(column);
    let events = !has_numbers && rest.clone().any(|at| named(&profile.columns[at]) && !profile.columns[at].is_truth());
    // Beside numbers, a name in the minority of their rows says that something happens, or that a state changes.
    let numbers = rest.clone().map(|column| &profile.columns[column]).filter(|column| numeric(column));
    let reports = numbers.map(|column| column.filled).max().unwrap_or(0);
    let said = |column: &Column| match column {
        column if column.filled == 0 => Said::Nothing,
        column if numeric(column) => Said::Gauge,
        column if !named(column) => Said::Nothing,
        column if events || column.filled * 2 < reports => Said::Event,
        column if column.values.len() < 2 && has_numbers => Said::Nothing,
        _ => Said::State,
    };
    let mut said: Vec<Says> = rest.map(|column| Says::new(vec![column], said(&profile.columns[column]))).collect();
    take_apart(profile, time, &keys, &mut said, remarks)?;
    // The names of one row are one event, unless they are too many together. Each alone is one too, whoever did it or wherever it was;
    // but a truth value says nothing without the others, nor they without it.
    let together: Vec<usize> = said
        .iter()
        .filter(|says| says.said == Said::Event && !has_numbers)
        .flat_map(|says| says.columns.clone())
        .collect();
    let product = together.iter().map(|column| profile.columns[*column].values.len()).product::<usize>();
    if together.len() > 1 && product <= NAMES {
        if together.iter().any(|column| profile.columns[*column].is_truth()) {
            said.retain(|says| says.said != Said::Event);
        }
        said.push(Says::new(together, Said::Event));
    }
    // What is on is known by its interval, where there is one.
    for says in said.iter_mut().filter(|says| says.said == Said::Event && !are_intervals) {
        says.replaced =
            if has_numbers { Some(says.columns[0]) } else { replaced_column(profile, &keys, &says.columns)? };
        // Of two names those that replace each other are known already.
        if let [column] = says.columns[..]
            && (says.replaced.is_none() || profile.columns[column].values.len() > 2)
        {
            says.turns = turns(profile, &keys, column)?;
        }
    }
    for says in said.iter().filter(|says| says.said == Said::Nothing) {
        let column = &profile.columns[says.columns[0]];
        let why = match column.values.len() {
            0 => "it is empty".into(),
            1 => "it says the same in every row".into(),
            _ => format!("it has more than {NAMES} different names"),
        };
        remarks.push(format!("column `{}` of `{}` is left out: {why}", column.name, profile.path.display()));
    }
    Ok(said)
}

/// Files that are parts of one table, such as those of several days or sites, as one; each with its columns of times and keys.
fn parts_together(profiles: Vec<Profile>, times: &[usize], keys: Vec<Keys>) -> Vec<(Profile, usize, Keys)> {
    let mut whole: Vec<(Profile, usize, Keys)> = Vec::new();
    for ((profile, time), mut own) in profiles.into_iter().zip(times).zip(keys) {
        own.sort_unstable();
        own.dedup_by_key(|(column, _)| *column);
        let columns: Vec<usize> = own.iter().map(|(column, _)| *column).collect();
        let goes_on = |(before, at, keys): &&mut (Profile, usize, Keys)| {
            *at == *time && *keys == own && before.goes_on_in(&profile, *time, &columns)
        };
        match whole.iter_mut().find(goes_on) {
            Some((before, ..)) => before.merge(profile),
            None => whole.push((profile, *time, own)),
        }
    }
    whole
}

/// In a long table, which has one column of numbers and one that says what they are, each of these is something of its own.
fn take_apart(
    profile: &Profile,
    time: usize,
    keys: &[usize],
    said: &mut Vec<Says>,
    remarks: &mut Vec<String>,
) -> Result<(), DataError> {
    let of = |wanted: Said| said.iter().filter(move |says| says.said == wanted).map(|says| says.columns[0]);
    let (gauges, names): (Vec<usize>, Vec<usize>) = (of(Said::Gauge).collect(), of(Said::State).collect());
    let ([value], false) = (&gauges[..], names.is_empty()) else { return Ok(()) };
    let Some(kinds) = super::long::kinds_column(profile, time, keys, *value, &names)? else { return Ok(()) };
    for other in names.iter().filter(|name| **name != kinds) {
        let (other, kinds) = (&profile.columns[*other].name, &profile.columns[kinds].name);
        let path = profile.path.display();
        remarks.push(format!(
            "column `{other}` of `{path}` is left out: rows are about different things, which `{kinds}` names"
        ));
    }
    said.retain(|says| !names.contains(&says.columns[0]) && says.columns[0] != *value);
    let mut cells: Vec<&String> = profile.columns[kinds].values.keys().collect();
    cells.sort();
    let under = |cell: &String| Says { under: Some((kinds, cell.clone())), ..Says::new(vec![*value], Said::Gauge) };
    said.extend(cells.into_iter().map(under));
    Ok(())
}

fn sample(values: &IndexSet<String, FxBuildHasher>) -> String {
    values.iter().take(3).map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ")
}
