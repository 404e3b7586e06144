//! Survey: what the columns of tables are for: time, segment, whom a row is about, and what it says of them.

use std::path::{Path, PathBuf};

use indexmap::{IndexMap, IndexSet};
use oled::lang::Clock;
use rustc_hash::FxBuildHasher;

use super::labelled::Labelled;
use super::profile::{Column, Profile, overlap};
use crate::error::{DataError, Problem, ProblemKind};
use crate::table::scan;
use crate::times::Times;

/// What is asked of `oled init`.
#[derive(Clone, Debug, Default)]
pub struct InitOptions {
    /// The column of times, where its name does not tell.
    pub time: Option<String>,
    /// The column of segments.
    pub segment: Option<String>,
}

/// Names that a column of times usually has.
const TIMES: [&str; 8] = ["time", "timestamp", "datetime", "date", "ts", "t", "date_time", "event_time"];
/// Labelled segments that a fluent needs so that rules can be judged on some that they were not learned from: the learner
/// makes three groups of them.
const SEGMENTS: usize = 3;

/// What is known of tables and labels.
pub(super) struct Survey {
    pub(super) times: Times,
    /// `s`, `ms`, `us` or `ns`, where times are dates or have decimal points.
    pub(super) unit: Option<&'static str>,
    /// How far the clock is ahead of UTC, where dates say it.
    pub(super) zone: Option<String>,
    pub(super) tables: Vec<Surveyed>,
    pub(super) labels: Labelled,
    /// The types of the arguments of each place of fluents.
    pub(super) types: Vec<String>,
    pub(super) segments: Segments,
    /// Whether the inputs are in the order of time.
    pub(super) sorted: bool,
    /// Whether rows of several segments are mixed.
    pub(super) interleaved: bool,
    /// Whether somebody who has no row at a time point is gone.
    pub(super) tracked: bool,
    /// A grid of time points, and how long what was reported stands, where labels are about several who report at different times.
    pub(super) grid: Option<(i64, i64)>,
    /// Windows to look back at: quarters of how long labels last.
    pub(super) windows: Vec<i64>,
    /// What should be told.
    pub(super) remarks: Vec<String>,
}

/// Where segments begin and end.
#[derive(Default)]
pub(super) struct Segments {
    /// The column of each table that has them.
    pub(super) column: Option<String>,
    /// The same for tables whose column is called otherwise.
    pub(super) columns: Vec<Option<String>>,
    /// The column of the labels that has them.
    pub(super) of_labels: Option<String>,
    /// After how many units a segment is cut.
    pub(super) cut: Option<i64>,
}

/// A table whose columns are understood.
pub(super) struct Surveyed {
    pub(super) profile: Profile,
    pub(super) time: usize,
    pub(super) segment: Option<usize>,
    /// The columns that say whom a row is about, each with the type of what it names.
    pub(super) keys: Vec<(usize, String)>,
    /// What columns say, each alone, or the names of an event together.
    pub(super) said: Vec<(Vec<usize>, Said)>,
    /// Whether it has a row about everybody at each time point of the stream.
    pub(super) steady: bool,
}

impl Surveyed {
    /// Whether it says numbers, which stand until there are others.
    fn has_numbers(&self) -> bool {
        self.said.iter().any(|(_, said)| *said == Said::Gauge)
    }

    /// Whether some columns say something in every row, and there is one about everybody at each time point.
    pub(super) fn is_steady(&self, columns: &[usize]) -> bool {
        self.steady && columns.iter().all(|column| self.profile.columns[*column].filled == self.profile.rows)
    }
}

/// What a column says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// A number.
    Gauge,
    /// One of few names, in a row with numbers: something is in a state.
    State,
    /// One of few names, in a table without numbers: something happens.
    Event,
    /// Nothing that rules can use: too many names.
    Nothing,
}

/// Time points of a table that are compared with those of others; what the first million show is taken for all.
const STAMPS: usize = 1 << 20;
/// Different names of a column that become conditions; one with more says who or where, not what. Half of them would miss the
/// codes of larger systems; twice as many are twice as many conditions of every kind.
const NAMES: usize = 128;

impl Survey {
    pub(super) fn new(inputs: &[PathBuf], labels: &Path, options: &InitOptions) -> Result<Survey, DataError> {
        let profiles: Vec<Profile> = inputs.iter().map(|path| Profile::read(path)).collect::<Result<_, _>>()?;
        let mut labels = Labelled::new(labels)?;
        let time_columns: Vec<usize> =
            profiles.iter().map(|profile| time_column(profile, options)).collect::<Result<_, _>>()?;
        let stamps: Vec<&Column> = profiles.iter().zip(&time_columns).map(|(p, time)| &p.columns[*time]).collect();
        let (times, unit, zone) = times_of(&stamps, &labels.profile);
        labels.read(times)?;
        let mut remarks = Vec::new();
        let (tables, types) = tables_of(profiles, &time_columns, &labels, options, &mut remarks)?;
        let mut survey = Survey {
            times,
            unit,
            zone,
            tables,
            labels,
            types,
            segments: Segments::default(),
            sorted: true,
            interleaved: false,
            tracked: true,
            grid: None,
            windows: Vec::new(),
            remarks,
        };
        if survey.tables.iter().all(|table| table.said.iter().all(|(_, said)| *said == Said::Nothing)) {
            let message = "no column says anything that rules could ask for";
            return Err(Problem::new(ProblemKind::Missing, 0, message)
                .hint("beside the time and whom a row is about, a table has numbers, states or names of events")
                .of(inputs.first().map_or_else(String::new, |path| path.display().to_string())));
        }
        survey.look_at_times(options)?;
        let lengths = survey.labels.lengths();
        let quarter =
            |share: usize| lengths.get(lengths.len() * share / 4).copied().map(|length| readable(length.max(1)));
        survey.windows = [quarter(1), quarter(3)].into_iter().flatten().collect();
        survey.windows.dedup();
        Ok(survey)
    }

    /// Goes through the rows once more: are they in order, and who is there when?
    fn look_at_times(&mut self, options: &InitOptions) -> Result<(), DataError> {
        let by_entity = self.by_entity();
        let own = options.segment.is_some() || self.tables.iter().all(|table| table.segment.is_some());
        let mut seen: Vec<Stamps> = Vec::new();
        for table in &self.tables {
            let entity = table.keys.first().map(|(column, _)| *column).filter(|_| by_entity);
            let group = if own { table.segment } else { entity };
            let mut stamps = Stamps::new();
            let times = self.times;
            scan(&table.profile.path, |names, row| {
                let time = times.read(row.cell(table.time)).map_err(|error| {
                    let message = format!("{}, in column `{}`", error.message, names[table.time]);
                    Problem::new(ProblemKind::BadNumber, row.at(table.time), message).hint(error.hint)
                })?;
                stamps.see(group.map_or("", |column| row.cell(column)), time);
                stamps.report(table.keys.first().map_or("", |(column, _)| row.cell(*column)), time);
                Ok(())
            })?;
            seen.push(stamps);
        }
        // In the order of time; or segment by segment, in the same order in each table.
        let by_time = seen.iter().all(|stamps| stamps.by_time);
        let grouped = seen.iter().all(|stamps| stamps.grouped)
            && seen.windows(2).all(|pair| same_order(&pair[0].segments, &pair[1].segments));
        self.sorted = by_time || grouped;
        self.interleaved = by_time && !grouped;
        let first = seen.iter().map(|stamps| stamps.first).min().unwrap_or(0);
        let last = seen.iter().map(|stamps| stamps.last).max().unwrap_or(0);
        self.segments = self.choose_segments(own, by_entity, (first, last));
        let covers =
            |stamps: &Stamps| seen.iter().all(|other| other.found.iter().all(|stamp| stamps.found.contains(stamp)));
        for (table, stamps) in self.tables.iter_mut().zip(&seen) {
            let values = |column: usize| table.profile.columns[column].values.len();
            let everybody =
                if own || !by_entity { table.keys.iter().map(|(key, _)| values(*key)).max().unwrap_or(1) } else { 1 };
            table.steady = stamps.rows == (stamps.found.len() * everybody) as u64 && covers(stamps);
        }
        // Rules about several ask for all of them at one time point.
        let several = self.labels.fluents.values().any(|fluent| fluent.arity > 1);
        if several && !self.tables.iter().any(|table| table.steady) {
            let mut gaps: Vec<i64> = seen.iter().flat_map(|stamps| stamps.gaps.iter().copied()).collect();
            gaps.sort_unstable();
            let share = |hundredths: usize| gaps.get((gaps.len() * hundredths / 100).min(gaps.len().saturating_sub(1)));
            // Half of all reports come within a step; what is reported stands until all but one in a hundred have come.
            self.grid = share(50).zip(share(99)).map(|(step, fill)| (readable(*step).max(1), (*fill).max(*step)));
            self.tables.iter_mut().for_each(|table| table.steady = self.grid.is_some() && table.has_numbers());
        }
        self.tracked = !own && by_entity || self.tables.iter().any(|table| table.steady);
        Ok(())
    }

    /// Whether every fluent and every row is about one, of one type: then each can have a segment of its own.
    fn by_entity(&self) -> bool {
        let unary = self.labels.fluents.values().all(|fluent| fluent.arity == 1);
        unary && self.tables.iter().all(|table| table.keys.len() == 1)
    }

    fn choose_segments(&self, own: bool, by_entity: bool, span: (i64, i64)) -> Segments {
        let mut segments = Segments::default();
        if own {
            let name = |table: &Surveyed| table.segment.map(|column| table.profile.columns[column].name.clone());
            segments.columns = self.tables.iter().map(name).collect();
            segments.column = segments.columns.first().cloned().flatten();
            segments.of_labels = self.labels.has_segments.then(|| "segment".to_string());
        } else if by_entity {
            let name =
                |table: &Surveyed| table.keys.first().map(|(column, _)| table.profile.columns[*column].name.clone());
            segments.columns = self.tables.iter().map(name).collect();
            segments.column = segments.columns.first().cloned().flatten();
            segments.of_labels = self.labels.args.first().cloned();
        }
        let labelled = |cut: Option<i64>| {
            self.labels.fluents.values().all(|fluent| {
                let mut found: IndexSet<(String, i64), FxBuildHasher> = IndexSet::default();
                for interval in &fluent.intervals {
                    let who = if own {
                        interval.segment.clone()
                    } else if by_entity {
                        interval.args.first().cloned().unwrap_or_default()
                    } else {
                        String::new()
                    };
                    let start = interval.start.unwrap_or(span.0);
                    found.insert((who, cut.map_or(0, |cut| start.div_euclid(cut))));
                }
                found.len() >= SEGMENTS
            })
        };
        if !labelled(None) {
            segments.cut = self.cuts(span).into_iter().find(|cut| labelled(Some(*cut)));
        }
        segments
    }

    /// Lengths of time by which a stream may be cut, the longest first.
    fn cuts(&self, (first, last): (i64, i64)) -> Vec<i64> {
        let span = last.saturating_sub(first).max(1);
        let units = self.times.clock().units;
        let dated = [86_400, 43_200, 21_600, 10_800, 3_600, 1_800, 600, 300, 60]
            .map(|seconds: i64| seconds.saturating_mul(units));
        let plain = (0..=18).rev().flat_map(|power| [5, 2, 1].map(|digit| 10_i64.pow(power).saturating_mul(digit)));
        let all: Vec<i64> = if self.times.are_dates() { dated.to_vec() } else { plain.collect() };
        // A piece is longer than what happens in it.
        let lengths = self.labels.lengths();
        let median = lengths.get(lengths.len() / 2).copied().unwrap_or(0);
        all.into_iter().filter(|cut| *cut <= span && *cut > median).collect()
    }
}

/// The time points of a table, and the order in which they come.
struct Stamps {
    /// Segment and time, of the first rows.
    found: IndexSet<(String, i64), FxBuildHasher>,
    /// The rows of these.
    rows: u64,
    first: i64,
    last: i64,
    before: Option<(String, i64)>,
    /// Whether rows are in the order of time.
    by_time: bool,
    /// Whether each segment comes in one piece, in the order of time.
    grouped: bool,
    segments: IndexSet<String, FxBuildHasher>,
    /// When each was reported last, and the times between reports, of the first ones.
    reported: IndexMap<String, i64, FxBuildHasher>,
    gaps: Vec<i64>,
}

impl Stamps {
    fn new() -> Stamps {
        let (found, segments) = (IndexSet::default(), IndexSet::default());
        Stamps {
            found,
            rows: 0,
            first: i64::MAX,
            last: i64::MIN,
            before: None,
            by_time: true,
            grouped: true,
            segments,
            reported: IndexMap::default(),
            gaps: Vec::new(),
        }
    }

    /// Takes note of how long after the last one a report comes.
    fn report(&mut self, who: &str, time: i64) {
        if self.gaps.len() >= STAMPS {
            return;
        }
        let before = self.reported.insert(who.to_string(), time);
        self.gaps.extend(before.map(|before| time.saturating_sub(before)).filter(|gap| *gap > 0));
    }

    fn see(&mut self, segment: &str, time: i64) {
        (self.first, self.last) = (self.first.min(time), self.last.max(time));
        let new = self.segments.insert(segment.to_string());
        if let Some((other, before)) = &mut self.before {
            self.by_time &= *before <= time;
            self.grouped &= if other == segment { *before <= time } else { new };
            *before = time;
            if other != segment {
                *other = segment.to_string();
            }
        } else {
            self.before = Some((segment.to_string(), time));
        }
        if self.found.len() < STAMPS {
            self.found.insert((segment.to_string(), time));
            self.rows += 1;
        }
    }
}

/// Whether what two lists have in common is in the same order.
fn same_order(a: &IndexSet<String, FxBuildHasher>, b: &IndexSet<String, FxBuildHasher>) -> bool {
    let common: Vec<usize> = a.iter().filter_map(|name| b.get_index_of(name)).collect();
    common.is_sorted()
}

/// The largest number that is one digit with zeros behind it, and not larger than a number: 3000 for 3725.
pub(super) fn readable(number: i64) -> i64 {
    let power = 10_i64.pow(number.max(1).ilog10());
    number / power * power
}

/// The column of times: the one that is named, one that is called so, or the only one of dates.
fn time_column(profile: &Profile, options: &InitOptions) -> Result<usize, DataError> {
    let fits = |column: &Column| column.is_date() || column.is_number();
    let name = profile.path.display().to_string();
    let names: Vec<&str> = profile.columns.iter().map(|column| column.name.as_str()).collect();
    if profile.rows == 0 {
        return Err(Problem::new(ProblemKind::Missing, 0, format!("`{name}` has no rows"))
            .hint("a table has a line with the names of its columns, then rows")
            .of(name));
    }
    if let Some(wanted) = &options.time {
        return profile.position(wanted).ok_or_else(|| {
            Problem::new(ProblemKind::Missing, 0, format!("`{name}` has no column `{wanted}`"))
                .hint(format!("its columns are {}", names.join(", ")))
                .of(name)
        });
    }
    let usual = TIMES.iter().find_map(|usual| {
        profile.columns.iter().position(|column| column.name.eq_ignore_ascii_case(usual) && fits(column))
    });
    let dates: Vec<usize> = (0..names.len()).filter(|column| profile.columns[*column].is_date()).collect();
    let rising =
        || profile.columns.iter().position(|column| column.is_number() && column.rises && column.values.len() > 1);
    let found = usual.or(if let [only] = dates[..] { Some(only) } else { None }).or_else(rising);
    found.ok_or_else(|| {
        Problem::new(ProblemKind::Missing, 0, format!("no column of `{name}` is a time by its name or its cells"))
            .hint(format!("name one with `--time-column COLUMN`; its columns are {}", names.join(", ")))
            .of(name)
    })
}

/// How the times of all tables are written.
fn times_of(stamps: &[&Column], labels: &Profile) -> (Times, Option<&'static str>, Option<String>) {
    let of_labels = ["start", "end"].into_iter().filter_map(|name| labels.position(name)).map(|at| &labels.columns[at]);
    let columns: Vec<&Column> = stamps.iter().copied().chain(of_labels).collect();
    let unit = |digits: usize| match digits {
        0 => "s",
        1..=3 => "ms",
        4..=6 => "us",
        _ => "ns",
    };
    let clock = |unit: &str, ahead: i64| Clock::new(unit.parse().expect("it is a unit"), ahead);
    if stamps.iter().all(|column| column.is_date()) {
        let unit = unit(columns.iter().map(|column| column.dates.fraction).max().unwrap_or(0));
        let zoned = stamps.iter().any(|column| column.dates.zoned);
        let ahead = stamps.iter().find_map(|column| column.dates.ahead).unwrap_or(0);
        let zone = zoned.then(|| match ahead {
            0 => "UTC".to_string(),
            _ => {
                let (sign, minutes) = (if ahead < 0 { '-' } else { '+' }, ahead.abs() / 60);
                format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
        });
        return (Times::iso(clock(unit, ahead), zoned), Some(unit), zone);
    }
    if columns.iter().all(|column| column.is_whole() || column.filled == 0) {
        return (Times::default(), None, None);
    }
    let digits = |column: &&Column| {
        let parts = column
            .values
            .keys()
            .filter_map(|cell| cell.split_once('.').map(|(_, part)| part.trim_end_matches('0').len()));
        parts.max().unwrap_or(0)
    };
    // Values beyond those that were kept may have more digits.
    let unit = unit(columns.iter().map(digits).max().unwrap_or(0).max(1));
    (Times::seconds(clock(unit, 0)), Some(unit), None)
}

/// What the columns of all tables are for, and the types of arguments.
fn tables_of(
    profiles: Vec<Profile>,
    time_columns: &[usize],
    labels: &Labelled,
    options: &InitOptions,
    remarks: &mut Vec<String>,
) -> Result<(Vec<Surveyed>, Vec<String>), DataError> {
    let values = labels.values();
    // Which column of which table names an argument: the one that shares most values with it.
    let mut types: Vec<Option<String>> = vec![None; values.len()];
    let mut keys: Vec<Vec<(usize, usize)>> = vec![Vec::new(); profiles.len()];
    for (place, wanted) in values.iter().enumerate() {
        for (number, profile) in profiles.iter().enumerate() {
            let called = |column: &Column| labels.args.get(place).is_some_and(|name| *name == column.name);
            let candidates = profile.columns.iter().enumerate().filter(|(at, _)| *at != time_columns[number]);
            let share = |column: &Column| overlap(wanted, column);
            let scored =
                candidates.map(|(at, column)| (share(column), called(column), at)).filter(|(share, ..)| *share > 0.0);
            let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(b.2.cmp(&a.2)));
            let Some((share, _, at)) = best else { continue };
            keys[number].push((at, place));
            // A pair may stand in one row: the next column that has the same names.
            for (other, column) in profile.columns.iter().enumerate() {
                if other != at
                    && other != time_columns[number]
                    && overlap(wanted, column) > share / 2.0
                    && !column.is_truth()
                {
                    keys[number].push((other, place));
                }
            }
            types[place].get_or_insert_with(|| profile.columns[at].name.clone());
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
    let types: Vec<String> = types.into_iter().flatten().collect();
    let mut tables = Vec::new();
    for ((profile, time), mut own) in profiles.into_iter().zip(time_columns).zip(keys) {
        own.sort_unstable();
        own.dedup_by_key(|(column, _)| *column);
        let own: Vec<(usize, String)> = own.into_iter().map(|(column, place)| (column, types[place].clone())).collect();
        let segment = match &options.segment {
            Some(name) => profile.position(name),
            None => profile.position("segment"),
        };
        let rest = (0..profile.columns.len())
            .filter(|column| *column != *time && Some(*column) != segment && !own.iter().any(|(key, _)| key == column));
        let numeric = |column: &Column| column.is_number() && !column.is_truth() && column.values.len() > 1;
        let has_numbers = rest.clone().any(|column| numeric(&profile.columns[column]));
        let named = |column: &Column| !column.more && column.values.len() <= NAMES && !numeric(column);
        let events =
            !has_numbers && rest.clone().any(|at| named(&profile.columns[at]) && !profile.columns[at].is_truth());
        let said = |column: &Column| match column {
            column if column.filled == 0 || column.values.len() < 2 && has_numbers => Said::Nothing,
            column if numeric(column) => Said::Gauge,
            column if !named(column) => Said::Nothing,
            _ if events => Said::Event,
            _ => Said::State,
        };
        let mut said: Vec<(Vec<usize>, Said)> =
            rest.map(|column| (vec![column], said(&profile.columns[column]))).collect();
        // The names of one row are one event, unless they are too many together.
        let together: Vec<usize> =
            said.iter().filter(|(_, said)| *said == Said::Event).flat_map(|(own, _)| own.clone()).collect();
        let product = together.iter().map(|column| profile.columns[*column].values.len()).product::<usize>();
        if together.len() > 1 && product <= NAMES {
            said.retain(|(_, said)| *said != Said::Event);
            said.push((together, Said::Event));
        }
        for (column, _) in said.iter().filter(|(_, said)| *said == Said::Nothing) {
            let column = &profile.columns[column[0]];
            let why = match column.values.len() {
                0 => "it is empty".into(),
                1 => "it says the same in every row".into(),
                _ => format!("it has more than {NAMES} different names"),
            };
            remarks.push(format!("column `{}` of `{}` is left out: {why}", column.name, profile.path.display()));
        }
        tables.push(Surveyed { profile, time: *time, segment, keys: own, said, steady: false });
    }
    Ok((tables, types))
}

fn sample(values: &IndexSet<String, FxBuildHasher>) -> String {
    values.iter().take(3).map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ")
}
