//! Survey: what the columns of tables are for: time, segment, whom a row is about, and what it says of them.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::clock::{check_times, time_column, times_of};
use super::labelled::Labelled;
use super::profile::{Column, Profile};
use super::recurring::recurring;
use super::roles::tables_of;
use super::segments::segment_argument;
use super::stamps::{Stamps, same_order};
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

/// Segments, or days, that a condition has to come in so that rules with it can be judged on some that they were not learned from:
/// the learner makes three groups of them.
pub(super) const SEGMENTS: usize = 3;

/// Time points in a labelled interval that is short, one of four, where a log has none of its own. With half as many its ends are
/// rounded by half of it; with twice as many there is twice as much to look at.
const PARTS: i64 = 4;

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
    /// The types of whom a row comes at each time point: who has none is gone.
    pub(super) tracked: Vec<String>,
    /// A grid of time points, and how long what was reported stands, where labels are about several who report at different times.
    pub(super) grid: Option<(i64, i64)>,
    /// How far time points are apart where nothing is reported, if all there is are logs.
    pub(super) tick: Option<i64>,
    /// How many days the rows are of, where times are dates.
    pub(super) days: i64,
    /// The usual time from one report of somebody to the next.
    pub(super) step: Option<i64>,
    /// That between reports that come close behind each other: all but a quarter are further apart.
    pub(super) burst: Option<i64>,
    /// Windows to look back at.
    pub(super) windows: Vec<i64>,
    /// Names by their type that say what somebody is.
    pub(super) recurring: IndexMap<String, Vec<String>, FxBuildHasher>,
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
}

/// A table whose columns are understood.
pub(super) struct Surveyed {
    pub(super) profile: Profile,
    pub(super) time: usize,
    pub(super) segment: Option<usize>,
    /// The column of the time at which rows end, where they are intervals.
    pub(super) end: Option<usize>,
    /// The columns that say whom a row is about, each with the type of what it names.
    pub(super) keys: Vec<(usize, String)>,
    /// In which role they are in its rows, where others are in another one: as the receiver, say.
    pub(super) role: Option<String>,
    /// Whether its rows are about several, of whom some of the surveyed tables have one each: this and its neighbours are one table.
    pub(super) several: bool,
    /// What columns say, each alone, or the names of an event together.
    pub(super) said: Vec<Says>,
    /// Whether it has a row about everybody at each time point of the stream.
    pub(super) steady: bool,
    /// Whether its rows have numbers and come at any time, as payments do: each is something that happens.
    pub(super) at_any_time: bool,
}

/// Something that columns say.
#[derive(Clone, Debug)]
pub(super) struct Says {
    pub(super) columns: Vec<usize>,
    pub(super) said: Said,
    /// Where other rows say other things in the same columns: the column that says which, and the cell of this one.
    pub(super) under: Option<(usize, String)>,
    /// Of an event, the column whose names replace each other, if there is one: what was said last goes on.
    pub(super) replaced: Option<usize>,
    /// Of an event with one name, those that take turns, two and two.
    pub(super) turns: Vec<[String; 2]>,
}

impl Says {
    pub(super) fn new(columns: Vec<usize>, said: Said) -> Says {
        Says { columns, said, under: None, replaced: None, turns: Vec::new() }
    }
}

impl Surveyed {
    /// Whether it says numbers, which stand until there are others.
    fn has_numbers(&self) -> bool {
        self.said.iter().any(|says| says.said == Said::Gauge)
    }

    /// Whether its rows could be things that happen: they have numbers, but are no intervals, and are not of several kinds.
    fn may_be_at_any_time(&self) -> bool {
        self.end.is_none() && self.has_numbers() && self.said.iter().all(|says| says.under.is_none())
    }

    /// Takes each row for something that happens, with the names that it has; numbers and names are those of the last row.
    fn take_rows_for_events(&mut self) {
        (self.at_any_time, self.steady) = (true, false);
        for says in self.said.iter_mut().filter(|says| says.said == Said::State) {
            (says.said, says.replaced) = (Said::Event, Some(says.columns[0]));
        }
        self.said.push(Says::new(Vec::new(), Said::Event));
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
    /// One of few names, in a table without numbers, or in few of its rows: something happens.
    Event,
    /// Nothing that rules can use: too many names.
    Nothing,
}

impl Survey {
    pub(super) fn new(inputs: &[PathBuf], labels: &Path, options: &InitOptions) -> Result<Survey, DataError> {
        let profiles: Vec<Profile> = inputs.iter().map(|path| Profile::read(path)).collect::<Result<_, _>>()?;
        let mut labels = Labelled::new(labels, options.segment.as_deref())?;
        let time_columns: Vec<usize> =
            profiles.iter().map(|profile| time_column(profile, &labels.profile, options)).collect::<Result<_, _>>()?;
        let of_labels =
            ["start", "end"].into_iter().filter_map(|name| Some((&labels.profile, labels.profile.position(name)?)));
        let stamped: Vec<(&Profile, usize)> =
            profiles.iter().zip(time_columns.iter().copied()).chain(of_labels).collect();
        check_times(&stamped)?;
        let stamps: Vec<&Column> = profiles.iter().zip(&time_columns).map(|(p, time)| &p.columns[*time]).collect();
        let (times, unit, zone) = times_of(&stamps, &labels.profile);
        let mut remarks = Vec::new();
        if let Some(argument) = segment_argument(&profiles, &time_columns, &labels, &mut remarks)? {
            labels.take_for_segments(argument);
        }
        labels.read(times)?;
        let (tables, types) = tables_of(profiles, (&time_columns, times), &labels, options, &mut remarks)?;
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
            tracked: Vec::new(),
            grid: None,
            tick: None,
            days: 0,
            step: None,
            burst: None,
            windows: Vec::new(),
            recurring: IndexMap::default(),
            remarks,
        };
        if survey.tables.iter().all(|table| table.said.iter().all(|says| says.said == Said::Nothing)) {
            let message = "no column says anything that rules could ask for";
            return Err(Problem::new(ProblemKind::Missing, 0, message)
                .hint("beside the time and whom a row is about, a table has numbers, states or names of events")
                .of(inputs.first().map_or_else(String::new, |path| path.display().to_string())));
        }
        survey.recurring = recurring(&survey.tables)?;
        survey.look_at_times(options)?;
        survey.choose_windows();
        survey.choose_tick();
        Ok(survey)
    }

    /// A log has no rows while nothing happens, and what is labelled goes on: without time points in between, an activity of an
    /// hour would count for less than one of a minute in which doors are opened.
    fn choose_tick(&mut self) {
        let happens = |says: &Says| matches!(says.said, Said::Event | Said::Nothing);
        let is_log = |table: &Surveyed| table.at_any_time || table.said.iter().all(happens);
        let lengths = self.labels.lengths();
        let short = lengths.get(lengths.len() / 4).filter(|_| self.tables.iter().all(is_log));
        self.tick = short.map(|length| readable((length / PARTS).max(1)));
    }

    /// How long rules look back for changes and counts: as long as what is labelled lasts, and, since it begins and ends faster
    /// than it lasts, between that and the time from one report to the next: the root of their product, whatever the unit. Where
    /// reports come close behind each other at times, the same with the time between those.
    fn choose_windows(&mut self) {
        let lengths = self.labels.lengths();
        let quarter = |share: usize| lengths.get(lengths.len() * share / 4).copied();
        let between =
            |step: Option<i64>| quarter(2).zip(step).map(|(length, step)| (length as f64 * step as f64).sqrt() as i64);
        let windows = [between(self.burst), between(self.step), quarter(1), quarter(3)].into_iter().flatten();
        self.windows = windows.map(|length| readable(length.max(1))).collect();
        self.windows.sort_unstable();
        self.windows.dedup();
    }

    /// Goes through the rows once more: are they in order, and who is there when?
    fn look_at_times(&mut self, options: &InitOptions) -> Result<(), DataError> {
        let by_entity = self.by_entity();
        let own_segments = options.segment.is_some() || self.tables.iter().all(|table| table.segment.is_some());
        let (mut seen, mut orders): (Vec<Stamps>, Vec<Stamps>) = (Vec::new(), Vec::new());
        for table in &self.tables {
            let mut all = Stamps::new();
            let entity = table.keys.first().map(|(column, _)| *column).filter(|_| by_entity);
            let group = if own_segments { table.segment } else { entity };
            let times = self.times;
            for path in table.profile.paths() {
                let mut stamps = Stamps::new();
                scan(path, |_, row| {
                    let time = times.read(&table.profile.cell(&row, table.time)).map_err(|error| {
                        let column = &table.profile.columns[table.time].name;
                        let message = format!("{}, in column `{column}`", error.message);
                        Problem::new(ProblemKind::BadNumber, row.at(table.time), message).hint(error.hint)
                    })?;
                    stamps.see(group.map_or("", |column| row.cell(column)), time);
                    let who = row.joined(table.keys.iter().map(|(key, _)| *key));
                    stamps.report(&who, time);
                    Ok(())
                })?;
                all.merge(&stamps);
                orders.push(stamps);
            }
            seen.push(all);
        }
        // In the order of time; or segment by segment, in the same order in each file.
        let by_time = orders.iter().all(|stamps| stamps.by_time);
        let grouped = orders.iter().all(|stamps| stamps.grouped)
            && orders.windows(2).all(|pair| same_order(&pair[0].segments, &pair[1].segments));
        self.sorted = by_time || grouped;
        self.interleaved = by_time && !grouped;
        let first = seen.iter().map(|stamps| stamps.first).min().unwrap_or(0);
        let last = seen.iter().map(|stamps| stamps.last).max().unwrap_or(0);
        if self.times.are_dates() {
            self.days = last.saturating_sub(first) / self.times.clock().units.saturating_mul(86_400);
        }
        self.segments = self.choose_segments(own_segments, by_entity);
        self.remark_on_rows_without_segment();
        let covers =
            |stamps: &Stamps| seen.iter().all(|other| other.found.iter().all(|stamp| stamps.found.contains(stamp)));
        for (table, stamps) in self.tables.iter_mut().zip(&seen) {
            // In a segment of one's own one row is all there is.
            let everybody = if own_segments || !by_entity { stamps.everybody() } else { 1 };
            table.steady =
                table.end.is_none() && stamps.rows == (stamps.found.len() * everybody) as u64 && covers(stamps);
        }
        let mut gaps: Vec<i64> = seen.iter().flat_map(Stamps::gaps).collect();
        gaps.sort_unstable();
        let share = |hundredths: usize| gaps.get((gaps.len() * hundredths / 100).min(gaps.len().saturating_sub(1)));
        (self.burst, self.step) = (share(25).copied(), share(50).copied());
        // Rules about several ask for the numbers of all of them at one time point, and each reports alone.
        let arity = self.labels.fluents.values().map(|fluent| fluent.arity).max().unwrap_or(0);
        let apart = |table: &Surveyed| !table.several && table.has_numbers() && (1..arity).contains(&table.keys.len());
        if self.tables.iter().any(apart) && !self.tables.iter().any(|table| table.steady) {
            // Half of all reports come within a step; what is reported stands until all but one in a hundred have come.
            self.grid = share(50).zip(share(99)).map(|(step, fill)| (readable(*step).max(1), (*fill).max(*step)));
            self.tables.iter_mut().for_each(|table| table.steady = self.grid.is_some() && table.has_numbers());
        }
        for (table, stamps) in self.tables.iter_mut().zip(&seen).filter(|_| self.grid.is_none()) {
            if table.may_be_at_any_time() && stamps.are_at_any_time() {
                table.take_rows_for_events();
            }
        }
        // Numbers of a room say nothing of who is in it.
        let steady = |own: &&String| {
            let mut steady = self.tables.iter().filter(|table| table.steady);
            steady.any(|table| table.keys.iter().any(|(_, key)| key == *own))
        };
        self.tracked = self.types.iter().filter(|own| !own_segments && by_entity || steady(own)).cloned().collect();
        Ok(())
    }

    /// Whether every fluent and every row is about one, of one type: then each can have a segment of its own.
    fn by_entity(&self) -> bool {
        let unary = self.labels.fluents.values().all(|fluent| fluent.arity == 1);
        unary && self.tables.iter().all(|table| table.keys.len() == 1 && !table.several)
    }

    fn choose_segments(&self, own: bool, by_entity: bool) -> Segments {
        let mut segments = Segments::default();
        if own {
            let name = |table: &Surveyed| table.segment.map(|column| table.profile.columns[column].name.clone());
            segments.columns = self.tables.iter().map(name).collect();
            segments.column = segments.columns.first().cloned().flatten();
            segments.of_labels.clone_from(&self.labels.segment);
        } else if by_entity {
            let name =
                |table: &Surveyed| table.keys.first().map(|(column, _)| table.profile.columns[*column].name.clone());
            segments.columns = self.tables.iter().map(name).collect();
            segments.column = segments.columns.first().cloned().flatten();
            segments.of_labels = self.labels.args.first().cloned();
        }
        segments
    }

    /// Rows that do not say whose they are cannot be read: it is better to know before they are.
    fn remark_on_rows_without_segment(&mut self) {
        for (table, segment) in self.tables.iter().zip(&self.segments.columns) {
            let profile = &table.profile;
            let column = segment.as_ref().and_then(|name| profile.columns.iter().find(|column| column.name == *name));
            if let Some((column, missing)) = column.map(|own| (own, profile.rows - own.filled)).filter(|(_, n)| *n > 0)
            {
                self.remarks.push(format!(
                    "{missing} of the {} rows of `{}` have no `{}`, which is their segment: fill the cells, or leave these rows out with the option `lenient`",
                    profile.rows,
                    profile.path.display(),
                    column.name
                ));
            }
        }
    }
}

/// The largest number that is one digit with zeros behind it, and not larger than a number: 3000 for 3725.
pub(super) fn readable(number: i64) -> i64 {
    let power = 10_i64.pow(number.max(1).ilog10());
    number / power * power
}
