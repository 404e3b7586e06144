//! Writing tables: the frames of a task as files that people and other programs read, and labels as intervals.
//!
//! | file | a row |
//! |---|---|
//! | `events.csv` | an event: its name, then its arguments |
//! | `gauges.csv` | what is measured of somebody at a time |
//! | `NAME.csv` | another fact of that name |
//! | `labels.csv` | an interval in which a fluent is labelled |
//!
//! Events and gauges about others have files of their own, with the names of their types.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use oled::calculus::{fluent_name, label_name, unknown};
use oled::lang::ec;
use oled::{Frame, Mode, Signature, Symbol, Task, Value};
use rustc_hash::FxBuildHasher;

use crate::csv::csv_field;
use crate::error::DataError;
use crate::times::Times;

/// Writes frames as tables into a folder.
pub struct TableWriter {
    folder: PathBuf,
    times: Times,
    files: Vec<Table>,
    /// Which file a fact goes to, and from which column on.
    places: IndexMap<Signature, Place, FxBuildHasher>,
    labels: Labels,
}

struct Table {
    name: String,
    columns: Vec<String>,
    /// How many columns say whom a row is about.
    keys: usize,
    /// The facts that rows have, as `task.toml` writes them.
    facts: Vec<String>,
    out: BufWriter<File>,
    /// The rows of the frame that is being written, where facts share rows.
    rows: IndexMap<Vec<Value>, Vec<Option<Value>>, FxBuildHasher>,
}

#[derive(Clone, Copy)]
struct Place {
    file: usize,
    /// The first column behind the keys.
    column: usize,
    row: RowOf,
}

/// How a fact becomes a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowOf {
    /// Its name, then its arguments.
    Event,
    /// Numbers in a row that several facts share.
    Gauge,
    /// Its arguments.
    Fact,
}

/// A segment, and what is labelled in it.
type Instance = (Symbol, Signature, Vec<Value>);

/// Labels that have begun, and the file of those that have ended.
struct Labels {
    out: BufWriter<File>,
    known: Vec<Signature>,
    columns: usize,
    open: IndexMap<Instance, (i64, i64), FxBuildHasher>,
    /// The last time of each segment.
    last: IndexMap<Symbol, i64, FxBuildHasher>,
}

impl TableWriter {
    /// Makes the files of a task's tables in a folder, which may be there.
    pub fn new(folder: &Path, task: &Task, times: Times) -> Result<TableWriter, DataError> {
        fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
        let mut plans: IndexMap<(FileOf, Vec<String>), Plan, FxBuildHasher> = IndexMap::default();
        let mut places: Vec<(Signature, (FileOf, Vec<String>), usize)> = Vec::new();
        for mode in &task.bias.inputs {
            let types: Vec<Symbol> = mode.types().into_iter().flatten().collect();
            let types = types.get(..mode.signature().arity().saturating_sub(1)).unwrap_or_default();
            let numbers = types.iter().rev().take_while(|own| task.bias.kind_of(**own).is_number()).count();
            let keys: Vec<String> = types[..types.len() - numbers].iter().map(ToString::to_string).collect();
            let name = fact_name(mode);
            let kind = match mode.atom.name.as_str() {
                ec::HAPPENS => FileOf::Event,
                ec::HOLDS => FileOf::Fact(name.clone()),
                _ if numbers > 0 => FileOf::Gauge,
                _ => FileOf::Fact(name.clone()),
            };
            let about = match kind {
                FileOf::Gauge => keys.clone(),
                _ => types.iter().map(ToString::to_string).collect(),
            };
            let plan = plans.entry((kind.clone(), about.clone())).or_insert_with(|| Plan::new(&kind, &about));
            let column = plan.add(mode, &name, numbers, &kind);
            places.push((mode.signature(), (kind, about), column));
        }
        let several = |kind: &FileOf| plans.keys().filter(|(own, _)| own == kind).count() > 1;
        let mut files = Vec::new();
        for ((kind, about), plan) in &plans {
            let name = match kind {
                FileOf::Fact(name) => name.clone(),
                _ => {
                    let name = if *kind == FileOf::Event { "events" } else { "gauges" };
                    if several(kind) { format!("{name}_{}", about.join("_")) } else { name.into() }
                }
            };
            files.push(plan.open(folder, name)?);
        }
        let place = |(signature, key, column): (Signature, (FileOf, Vec<String>), usize)| {
            let file = plans.get_index_of(&key).expect("it was just put there");
            let row = match key.0 {
                FileOf::Event => RowOf::Event,
                FileOf::Gauge => RowOf::Gauge,
                FileOf::Fact(_) => RowOf::Fact,
            };
            (signature, Place { file, column, row })
        };
        let labels = Labels::open(folder, task)?;
        let places = places.into_iter().map(place).collect();
        Ok(TableWriter { folder: folder.to_path_buf(), times, files, places, labels })
    }

    /// Writes a frame. Facts that the task does not declare have no table, and are not written.
    pub fn write(&mut self, frame: &Frame) -> Result<(), DataError> {
        let TableWriter { folder, times, files, places, labels } = self;
        let time = times.show(frame.time);
        let head = format!("{},{time}", csv_field(frame.segment.as_str()));
        let wrong = |error| failed(folder, &error);
        for (signature, values) in frame.narrative.iter() {
            let Some(place) = places.get(&signature) else { continue };
            let table = &mut files[place.file];
            match place.row {
                RowOf::Gauge => table.gauge(&head, place.column, values).map_err(wrong)?,
                RowOf::Event | RowOf::Fact => {
                    let mut line = head.clone();
                    if place.row == RowOf::Event {
                        line.push(',');
                        line.push_str(&csv_field(fluent_name(signature, values).as_str()));
                    }
                    let skipped = usize::from(signature.inner_name().is_none() && place.row == RowOf::Event);
                    values[skipped..].iter().for_each(|value| push_cell(&mut line, Some(*value)));
                    writeln!(table.out, "{line}").map_err(wrong)?;
                }
            }
        }
        for table in files.iter_mut() {
            table.flush_rows(&head).map_err(wrong)?;
        }
        labels.see(frame, *times).map_err(wrong)
    }

    /// Writes what is left; returns what `task.toml` says of the tables.
    pub fn finish(mut self) -> Result<String, DataError> {
        let wrong = |error| failed(&self.folder, &error);
        self.labels.finish(self.times).map_err(wrong)?;
        let mut manifest = String::new();
        for table in &mut self.files {
            table.out.flush().map_err(wrong)?;
            // Writing to a string cannot fail.
            let _ = write!(
                manifest,
                "[[table]]\nname = \"{}\"\ntime = \"time\"\nsegment = \"segment\"\nfacts = [\n",
                table.name
            );
            table.facts.iter().for_each(|fact| _ = writeln!(manifest, "    \"{fact}\","));
            manifest.push_str("]\n\n");
        }
        Ok(manifest)
    }
}

/// What decides, with those that a fact is about, which file it goes to.
#[derive(Clone, PartialEq, Eq, Hash)]
enum FileOf {
    Event,
    Gauge,
    Fact(String),
}

/// A file before it is made.
struct Plan {
    columns: Vec<String>,
    /// The columns that say whom a row is about.
    keys: Vec<String>,
    facts: Vec<String>,
}

impl Plan {
    fn new(kind: &FileOf, about: &[String]) -> Plan {
        let mut columns = vec!["segment".to_string(), "time".into()];
        if *kind == FileOf::Event {
            columns.push("event".into());
        }
        let first = columns.len();
        for own in about {
            columns.push(fresh(own, &columns));
        }
        Plan { keys: columns[first..].to_vec(), columns, facts: Vec::new() }
    }

    /// Takes note of a fact; returns its first column behind the keys.
    fn add(&mut self, mode: &Mode, name: &str, numbers: usize, kind: &FileOf) -> usize {
        let keys = self.keys.clone();
        match kind {
            FileOf::Event => {
                let fact = if keys.is_empty() {
                    "happensAt({event})".into()
                } else {
                    format!("happensAt({{event}}({}))", keys.join(", "))
                };
                if self.facts.is_empty() {
                    self.facts.push(fact);
                }
                0
            }
            FileOf::Gauge => {
                let of = |number: usize| if numbers == 1 { name.to_string() } else { format!("{name}_{}", number + 1) };
                let first = self.columns.len() - 2 - keys.len();
                let mut args = keys;
                for number in 0..numbers {
                    let column = fresh(&of(number), &self.columns);
                    args.push(column.clone());
                    self.columns.push(column);
                }
                self.facts.push(format!("{name}({})", args.join(", ")));
                first
            }
            FileOf::Fact(_) => {
                let fact = if keys.is_empty() { name.to_string() } else { format!("{name}({})", keys.join(", ")) };
                let holds = mode.atom.name.as_str() == ec::HOLDS;
                self.facts.push(if holds { format!("holdsAt({fact})") } else { fact });
                0
            }
        }
    }

    fn open(&self, folder: &Path, name: String) -> Result<Table, DataError> {
        let path = folder.join(format!("{name}.csv"));
        let mut out = BufWriter::new(File::create(&path).map_err(|error| failed(&path, &error))?);
        writeln!(out, "{}", self.columns.join(",")).map_err(|error| failed(&path, &error))?;
        let Plan { columns, keys, facts } = self;
        Ok(Table {
            name,
            columns: columns.clone(),
            keys: keys.len(),
            facts: facts.clone(),
            out,
            rows: IndexMap::default(),
        })
    }
}

/// A name for a column that none has: `entity`, `entity_2`.
fn fresh(name: &str, taken: &[String]) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let mut names = std::iter::once(name.to_string()).chain(numbered);
    names.find(|name| !taken.contains(name)).expect("there are always more")
}

/// The name of a fact, an event or a fluent.
fn fact_name(mode: &Mode) -> String {
    let signature = mode.signature();
    signature.inner_name().unwrap_or_else(|| signature.name()).to_string()
}

impl Table {
    /// Puts numbers into the row of those that they are about; a second row where they have these already.
    fn gauge(&mut self, head: &str, column: usize, values: &[Value]) -> std::io::Result<()> {
        let (keys, numbers) = values.split_at(self.keys.min(values.len()));
        let width = self.columns.len() - 2 - self.keys;
        let row = self.rows.entry(keys.to_vec()).or_insert_with(|| vec![None; width]);
        if row[column].is_some() {
            let full = std::mem::replace(row, vec![None; width]);
            let line = line_of(head, keys, &full);
            writeln!(self.out, "{line}")?;
        }
        let row = self.rows.entry(keys.to_vec()).or_insert_with(|| vec![None; width]);
        for (cell, number) in row[column..].iter_mut().zip(numbers) {
            *cell = Some(*number);
        }
        Ok(())
    }

    fn flush_rows(&mut self, head: &str) -> std::io::Result<()> {
        for (keys, cells) in self.rows.drain(..) {
            writeln!(self.out, "{}", line_of(head, &keys, &cells))?;
        }
        Ok(())
    }
}

fn line_of(head: &str, keys: &[Value], cells: &[Option<Value>]) -> String {
    let mut line = head.to_string();
    keys.iter().for_each(|key| push_cell(&mut line, Some(*key)));
    cells.iter().for_each(|cell| push_cell(&mut line, *cell));
    line
}

/// A cell as the reader takes it: names without quotes of the language.
fn push_cell(line: &mut String, value: Option<Value>) {
    line.push(',');
    match value {
        Some(Value::Sym(name)) => line.push_str(&csv_field(name.as_str())),
        Some(number) => line.push_str(&number.to_string()),
        None => {}
    }
}

impl Labels {
    fn open(folder: &Path, task: &Task) -> Result<Labels, DataError> {
        let path = folder.join("labels.csv");
        let mut out = BufWriter::new(File::create(&path).map_err(|error| failed(&path, &error))?);
        let known = task.labels();
        let mut columns: Vec<String> = Vec::new();
        for mode in &task.bias.examples {
            let types = mode.types();
            let types = types.get(..types.len().saturating_sub(1)).unwrap_or_default();
            for (place, own) in
                types.iter().enumerate().filter(|(place, _)| *place >= columns.len()).collect::<Vec<_>>()
            {
                let name = own.map_or_else(|| format!("value_{place}"), |own| own.to_string());
                columns.push(fresh(&name, &columns));
            }
        }
        let names = columns.iter().fold(String::new(), |text, name| text + name + ",");
        writeln!(out, "segment,fluent,{names}start,end,label").map_err(|error| failed(&path, &error))?;
        Ok(Labels { out, known, columns: columns.len(), open: IndexMap::default(), last: IndexMap::default() })
    }

    fn see(&mut self, frame: &Frame, times: Times) -> std::io::Result<()> {
        let before = self.last.insert(frame.segment, frame.time);
        let is_label =
            |signature: Signature| self.known.iter().any(|own| *own == signature || unknown(*own) == signature);
        for (signature, values) in frame.annotation.iter().filter(|(signature, _)| is_label(*signature)) {
            let key = (frame.segment, signature, values.to_vec());
            let held = self.open.get_mut(&key).filter(|(_, last)| Some(*last) == before || *last == frame.time);
            match held {
                Some((_, last)) => *last = frame.time,
                None => _ = self.open.insert(key, (frame.time, frame.time)),
            }
        }
        let over = |(segment, ..): &Instance, last: i64| *segment == frame.segment && last < frame.time;
        let mut ended: Vec<_> = Vec::new();
        self.open.retain(|key, held| {
            let over = over(key, held.1);
            if over {
                ended.push((key.clone(), *held));
            }
            !over
        });
        ended.iter().try_for_each(|(key, held)| self.row(key, *held, times))
    }

    fn row(
        &mut self,
        (segment, signature, values): &Instance,
        (first, last): (i64, i64),
        times: Times,
    ) -> std::io::Result<()> {
        let known = self.known.contains(signature);
        let named = label_name(*signature).is_some();
        let name = fluent_name(*signature, values);
        let args = if named { &values[..] } else { values.get(1..).unwrap_or_default() };
        let mut line = format!("{},{}", csv_field(segment.as_str()), csv_field(name.as_str()));
        (0..self.columns).for_each(|place| push_cell(&mut line, args.get(place).copied()));
        let label = if known { "" } else { "unknown" };
        writeln!(self.out, "{line},{},{},{label}", times.show(first), times.show(last))
    }

    fn finish(&mut self, times: Times) -> std::io::Result<()> {
        for (key, held) in std::mem::take(&mut self.open) {
            self.row(&key, held, times)?;
        }
        self.out.flush()
    }
}

fn failed(path: &Path, error: &std::io::Error) -> DataError {
    DataError::io("write", &path.display().to_string(), error)
}
