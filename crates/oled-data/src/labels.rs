//! Labels apart from the stream: a table of intervals, added to the frames that they are about.
//!
//! | column | what |
//! |---|---|
//! | `fluent` | its name, or the whole of it: `meeting(id1,id2)` |
//! | any other | an argument of the fluent, in the order of the columns; empty where it has fewer |
//! | `start`, `end` | the first time at which it holds, and the last; empty where it held before, or goes on |
//! | `segment` | the segment of the stream; without it, whichever has these times |
//! | `label` | `unknown` where nobody knows whether it held; without arguments, of anybody; without a fluent, of all of them |

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use indexmap::IndexMap;
use oled::calculus::{label_name, unknown};
use oled::lang::ec;
use oled::{Atom, Frame, Kinds, Signature, Symbol, Term, Value};
use rustc_hash::FxBuildHasher;

use crate::error::{DataError, Problem, ProblemKind};
use crate::everybody::Everybody;
use crate::format::Format;
use crate::joined::group_of;
use crate::lines::LineReader;
use crate::reader::{ReadOptions, decompressed};
#[cfg(feature = "arrow")]
use crate::table::{BatchReader, scan_batches};
use crate::table::{Cells, Row, Tables, delimiter, keys, scan, value_of};

/// Intervals of labels, and where frames are among them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels {
    /// By segment; under `None` those of all segments.
    by_segment: IndexMap<Option<Symbol>, Arc<Intervals>, FxBuildHasher>,
    /// Where the segments that frames come of are in their intervals.
    at: IndexMap<Symbol, Vec<Cursor>, FxBuildHasher>,
    current: Option<Symbol>,
    /// Whether the segments of the stream are parts of those that labels name.
    cut: bool,
    /// How many rows the table has.
    rows: usize,
    /// Who may be meant by labels about everybody.
    everybody: Everybody,
    /// Whether there are such labels, or may be some later.
    of_everybody: bool,
}

/// Labels of one segment, in the order of their first times.
#[derive(Debug, Default)]
struct Intervals {
    intervals: Vec<Interval>,
    /// The latest end of an interval and those before it.
    latest: Vec<i64>,
}

#[derive(Clone, Debug)]
struct Interval {
    first: i64,
    last: i64,
    signature: Signature,
    values: Vec<Value>,
    /// The label that is not known of anybody, where it is about all.
    of_all: Option<Signature>,
    /// The number of its row.
    row: usize,
}

/// A place among intervals: those that have begun and not ended, and the next to begin.
#[derive(Clone, Debug)]
struct Cursor {
    of: Arc<Intervals>,
    next: usize,
    active: Vec<usize>,
    time: i64,
}

impl Cursor {
    /// The place at a time, found by halving.
    fn new(of: Arc<Intervals>, time: i64) -> Cursor {
        let next = of.intervals.partition_point(|interval| interval.first <= time);
        // Nothing before has an end this late where the latest of all is earlier.
        let mut active: Vec<usize> =
            (0..next).rev().take_while(|i| of.latest[*i] >= time).filter(|i| of.intervals[*i].last >= time).collect();
        active.reverse();
        Cursor { of, next, active, time }
    }

    fn advance(&mut self, time: i64) {
        if time < self.time {
            *self = Cursor::new(self.of.clone(), time);
            return;
        }
        self.time = time;
        let Cursor { of, next, active, .. } = self;
        active.retain(|i| of.intervals[*i].last >= time);
        while let Some(interval) = of.intervals.get(*next).filter(|interval| interval.first <= time) {
            if interval.last >= time {
                active.push(*next);
            }
            *next += 1;
        }
    }
}

impl Labels {
    /// Whether a label begins or goes on at or before a frame, since the one before it.
    pub(crate) fn is_before(&mut self, frame: &Frame) -> bool {
        self.cursors(frame).iter().any(|cursor| {
            let next = cursor.of.intervals.get(cursor.next);
            !cursor.active.is_empty() || next.is_some_and(|next| next.first <= frame.time)
        })
    }

    /// Adds the labels of a frame; frames of a segment come in order. Returns whether there are any.
    pub(crate) fn add(&mut self, frame: &mut Frame, interleaved: bool) -> bool {
        let before = self.current.replace(frame.segment).filter(|before| *before != frame.segment);
        if let (Some(before), false) = (before, interleaved) {
            self.at.swap_remove(&before);
            self.everybody.forget(before);
        }
        if self.of_everybody {
            self.everybody.see(frame);
        }
        let everybody = std::mem::take(&mut self.everybody);
        let time = frame.time;
        let mut added = false;
        for cursor in self.cursors(frame) {
            cursor.advance(time);
            for interval in cursor.active.iter().map(|i| &cursor.of.intervals[*i]) {
                if let Some(label) = interval.of_all {
                    everybody.add(label, interval.signature, frame.segment, &mut frame.annotation);
                    added = true;
                    continue;
                }
                // A label may be written twice, or in intervals that overlap.
                if !frame.annotation.contains(interval.signature, &interval.values) {
                    frame.annotation.push(interval.signature, &interval.values);
                }
                added = true;
            }
        }
        self.everybody = everybody;
        added
    }

    fn cursors(&mut self, frame: &Frame) -> &mut Vec<Cursor> {
        let Labels { by_segment, at, cut, .. } = self;
        at.entry(frame.segment).or_insert_with(|| {
            let of = |segment: Option<Symbol>| by_segment.get(&segment).cloned();
            let whole = if *cut { group_of(frame.segment) } else { None };
            let own = [of(Some(frame.segment)), whole.and_then(|whole| of(Some(whole))), of(None)];
            own.into_iter().flatten().map(|intervals| Cursor::new(intervals, frame.time)).collect()
        })
    }

    fn new(found: LabelRows) -> Labels {
        let by_segment = found.by_segment.into_iter().map(|(segment, mut intervals)| {
            intervals.sort_by_key(|interval| interval.first);
            let mut latest = i64::MIN;
            let so_far = intervals.iter().map(|interval| {
                latest = latest.max(interval.last);
                latest
            });
            let latest = so_far.collect();
            (segment, Arc::new(Intervals { intervals, latest }))
        });
        Labels { by_segment: by_segment.collect(), rows: found.rows, ..Labels::default() }
    }

    /// How many rows the table has.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// How many labels behind so many rows begin at or before a time.
    pub(crate) fn begun(&self, known: usize, time: i64) -> u64 {
        let all = self.by_segment.values().flat_map(|intervals| &intervals.intervals);
        all.filter(|interval| interval.row >= known && interval.first <= time).count() as u64
    }

    /// Goes on where others were that were read before.
    pub(crate) fn go_on_from(&mut self, before: &mut Labels) {
        self.current = before.current;
        self.everybody = std::mem::take(&mut before.everybody);
    }

    /// Reads a table of labels, for a stream that is read so.
    pub(crate) fn read(path: &Path, options: &ReadOptions) -> Result<Labels, DataError> {
        Labels::read_table(path, options, false)
    }

    /// The same of a table that is being written: what follows its last line end may not be all of a row.
    pub(crate) fn read_growing(path: &Path, options: &ReadOptions) -> Result<Labels, DataError> {
        Labels::read_table(path, options, true)
    }

    /// The same of a table in memory.
    #[cfg(feature = "arrow")]
    pub(crate) fn of_batches(name: &str, batches: BatchReader, options: &ReadOptions) -> Result<Labels, DataError> {
        let (tables, kinds) = (options.tables.clone().unwrap_or_default(), options.kinds());
        let reading = Reading { tables: &tables, fluents: &options.labels, kinds: &kinds };
        let (mut found, mut header) = (LabelRows::default(), None);
        let is_time = |column: &str| column == "start" || column == "end";
        scan_batches(name, batches, tables.times, is_time, |names, row| {
            if header.is_none() {
                header = Some(Header::new(names.to_vec(), &tables)?);
            }
            found.add(reading.row(row, header.as_ref().expect("it was just read"))?);
            Ok(())
        })?;
        Ok(Labels { cut: tables.cut.is_some(), ..Labels::new(found) })
    }

    fn read_table(path: &Path, options: &ReadOptions, growing: bool) -> Result<Labels, DataError> {
        let (tables, kinds) = (options.tables.clone().unwrap_or_default(), options.kinds());
        let reading = Reading { tables: &tables, fluents: &options.labels, kinds: &kinds };
        let name = path.display().to_string();
        let mut found = LabelRows::default();
        if Format::guess(path) == Some(Format::Parquet) {
            let mut header = None;
            scan(path, |names, row| {
                if header.is_none() {
                    header = Some(Header::new(names.to_vec(), &tables)?);
                }
                found.add(reading.row(row, header.as_ref().expect("it was just read"))?);
                Ok(())
            })?;
        } else {
            let file = File::open(path).map_err(|error| DataError::io("open", &name, &error))?;
            let file = decompressed(&name, file).map_err(|error| DataError::io("read", &name, &error))?;
            found = read_labels(&name, file, &reading, growing)?;
        }
        let follows = options.live.as_ref().is_some_and(|live| live.follow);
        let mut labels = Labels::new(found);
        let mut all = labels.by_segment.values().flat_map(|intervals| &intervals.intervals);
        labels.of_everybody = follows || all.any(|interval| interval.of_all.is_some());
        labels.everybody = Everybody::new(&options.labels, kinds);
        labels.cut = tables.cut.is_some();
        Ok(labels)
    }
}

/// Labels by segment, as they are read.
#[derive(Default)]
struct LabelRows {
    by_segment: IndexMap<Option<Symbol>, Vec<Interval>, FxBuildHasher>,
    rows: usize,
}

impl LabelRows {
    /// Adds what a row says.
    fn add(&mut self, (segment, intervals): (Option<Symbol>, Vec<Interval>)) {
        let row = self.rows;
        let of_segment = self.by_segment.entry(segment).or_default();
        of_segment.extend(intervals.into_iter().map(|interval| Interval { row, ..interval }));
        self.rows += 1;
    }
}

/// What is not known: the fact that says so, its values, and the label, where it is not known of anybody.
type NotKnown = (Signature, Vec<Value>, Option<Signature>);

/// What is known when labels are read.
struct Reading<'a> {
    tables: &'a Tables,
    fluents: &'a [Signature],
    kinds: &'a Kinds,
}

/// Which column is what.
struct Header {
    names: Vec<String>,
    fluent: usize,
    start: usize,
    end: usize,
    segment: Option<usize>,
    label: Option<usize>,
    args: Vec<usize>,
}

/// Columns of what `oled recognise` prints that are no arguments.
const OTHERS: [&str; 5] = ["closed", "confidence", "weakest", "name", "values"];

/// The column of this name; where there is none, one that differs in capital letters only.
pub(crate) fn column_of(names: &[String], name: &str) -> Option<usize> {
    let exact = names.iter().position(|own| own == name);
    exact.or_else(|| names.iter().position(|own| own.eq_ignore_ascii_case(name)))
}

impl Header {
    fn new(names: Vec<String>, tables: &Tables) -> Result<Header, Problem> {
        let position = |name: &str| column_of(&names, name);
        let required = |name: &str| {
            position(name).ok_or_else(|| {
                let message = format!("a table of labels has no column `{name}`");
                Problem::new(ProblemKind::Missing, 0, message).hint(format!(
                    "it has the columns fluent, one for each argument, start and end; this one has {}",
                    names.join(", ")
                ))
            })
        };
        let (fluent, start, end) = (required("fluent")?, required("start")?, required("end")?);
        let own = tables.labels_segment.as_deref();
        let segment = own.map(required).transpose()?.or(position("segment"));
        let label = position("label");
        let is_argument = |column: &usize| {
            ![Some(fluent), Some(start), Some(end), label, position("segment")].contains(&Some(*column))
                && !OTHERS.iter().any(|own| names[*column].eq_ignore_ascii_case(own))
        };
        let args = match &tables.labels_arguments {
            Some(arguments) => arguments.iter().map(|name| required(name)).collect::<Result<_, _>>()?,
            None => (0..names.len()).filter(is_argument).collect(),
        };
        Ok(Header { names, fluent, start, end, segment, label, args })
    }
}

fn read_labels(
    name: &str,
    input: Box<dyn Read + Send>,
    reading: &Reading<'_>,
    growing: bool,
) -> Result<LabelRows, DataError> {
    let mut lines = LineReader::new(input);
    let mut header: Option<(Header, bool)> = None;
    let mut cells = Cells::new(b',');
    let mut found = LabelRows::default();
    loop {
        let line = match lines.next_line() {
            Ok(Some(line)) => line,
            Ok(None) => match lines.last_line() {
                Some(line) if !growing => line,
                _ => break,
            },
            Err(error) => return Err(DataError::io("read", name, &error)),
        };
        let mut take = || -> Result<(), Problem> {
            let text = std::str::from_utf8(line.bytes).map_err(|error| {
                Problem::new(ProblemKind::Syntax, error.valid_up_to(), "the line is not UTF-8 text")
                    .hint("convert the table to UTF-8")
            })?;
            let text = text.strip_suffix('\r').unwrap_or(text);
            if text.trim_ascii().is_empty() {
                return Ok(());
            }
            let objects = header.as_ref().map_or(text.starts_with('{'), |(_, objects)| *objects);
            if header.is_none() {
                if objects {
                    let mut names = keys(text)?;
                    for name in ["end", "start"] {
                        if !names.iter().any(|own| own == name) {
                            names.push(name.into());
                        }
                    }
                    header = Some((Header::new(names, reading.tables)?, true));
                } else {
                    cells = Cells::new(delimiter(text));
                    let row = cells.split(text)?.ok_or_else(|| Problem::truncated(text.len()))?;
                    let names = row.texts();
                    header = Some((Header::new(names, reading.tables)?, false));
                    return Ok(());
                }
            }
            let (header, _) = header.as_ref().expect("it was just read");
            let row = if objects {
                cells.object(text, &header.names)?
            } else {
                let row = cells.split(text)?.ok_or_else(|| Problem::truncated(text.len()))?;
                row.at_most(header.names.len(), text)?
            };
            found.add(reading.row(row, header)?);
            Ok(())
        };
        take().map_err(|problem| problem.locate(name, line.number, line.bytes))?;
    }
    if header.is_none() && !growing {
        return Err(Problem::new(ProblemKind::Missing, 0, format!("`{name}` is empty"))
            .hint("a table of labels has the columns fluent, one for each argument, start and end; then rows, if anything held")
            .of(name));
    }
    Ok(found)
}

impl Reading<'_> {
    /// The segment of a row, and the labels that it says.
    fn row(&self, row: Row<'_>, header: &Header) -> Result<(Option<Symbol>, Vec<Interval>), Problem> {
        let time = |column: usize, open: i64| match row.cell(column) {
            "" => Ok(open),
            cell => self.tables.times.read(cell).map_err(|error| {
                let message = format!("{}, in column `{}`", error.message, header.names[column]);
                Problem::new(ProblemKind::BadNumber, row.at(column), message).hint(error.hint)
            }),
        };
        let (first, last) = (time(header.start, i64::MIN)?, time(header.end, i64::MAX)?);
        if last < first {
            let message = format!("the label ends at {} and starts after it", row.cell(header.end));
            return Err(Problem::new(ProblemKind::WrongTime, row.at(header.start), message)
                .hint("a label holds from `start` up to and including `end`"));
        }
        let known = match header.label.map_or("", |column| row.cell(column)) {
            "" | "true" => true,
            "unknown" => false,
            other => {
                let at = row.at(header.label.unwrap_or(0));
                return Err(Problem::new(ProblemKind::Syntax, at, format!("a label is not `{other}`"))
                    .hint("write `unknown` where nobody knows whether the fluent held, and nothing otherwise"));
            }
        };
        let segment = header.segment.map(|column| row.cell(column)).filter(|cell| !cell.is_empty()).map(Symbol::new);
        let args: Vec<&str> =
            header.args.iter().map(|column| row.cell(*column)).take_while(|cell| !cell.is_empty()).collect();
        let name = row.cell(header.fluent);
        let interval = |signature, values, of_all| Interval { first, last, signature, values, of_all, row: 0 };
        if args.is_empty() && !known {
            let all = self.of_everybody(name).map_err(|problem| problem.at(row.at(header.fluent)))?;
            if !all.is_empty() {
                let intervals = all.into_iter().map(|(label, values, of_all)| interval(label, values, of_all));
                return Ok((segment, intervals.collect()));
            }
        }
        let (signature, values) = self.fluent(name, &args).map_err(|p| p.at(row.at(header.fluent)))?;
        let signature = if known { signature } else { unknown(signature) };
        Ok((segment, vec![interval(signature, values, None)]))
    }

    /// What is not known where a row names nobody: of everybody, of the fluent that it names, or of all.
    fn of_everybody(&self, name: &str) -> Result<Vec<NotKnown>, Problem> {
        // What is not known is among the labels too.
        let positive = |label: &Signature| !self.fluents.iter().any(|other| unknown(*other) == *label);
        let named = |own: Symbol| name.is_empty() || own.as_str() == name;
        let meant = |label: &&Signature| label_name(**label).is_some_and(named) && positive(label);
        let meant: Vec<Signature> = self.fluents.iter().filter(meant).copied().collect();
        if let Some(valued) = meant.iter().find(|label| label.to_string().contains('=')) {
            let message = format!("`{valued}` has values, and is not unknown of everybody at once");
            return Err(Problem::new(ProblemKind::Syntax, 0, message)
                .hint("write a row for each that is not known: `speed(v1)=low` under `fluent`"));
        }
        Ok(meant.into_iter().map(|label| (unknown(label), Vec::new(), Some(label))).collect())
    }

    /// A fluent by its name and its arguments, or as it is written in rules.
    fn fluent(&self, name: &str, args: &[&str]) -> Result<(Signature, Vec<Value>), Problem> {
        if name.is_empty() {
            return Err(Problem::new(ProblemKind::Missing, 0, "the label names no fluent")
                .hint("write its name into the column `fluent`"));
        }
        // What `oled recognise` prints.
        if name.contains(['(', '=']) && args.is_empty() {
            let atom = oled::parse_atom(&format!("{}({name}, 0)", ec::HOLDS)).ok();
            let ground = atom.as_ref().and_then(Signature::split);
            let (signature, mut values) = ground.ok_or_else(|| {
                Problem::new(ProblemKind::Syntax, 0, format!("`{name}` is no fluent")).hint(
                    "write its name here, and its arguments into columns of their own; or all of it: meeting(id1,id2)",
                )
            })?;
            values.pop();
            return Ok((self.declared(signature, name, values.len()), values));
        }
        let arguments = args.iter().map(|_| Term::Value(Value::Int(0))).collect::<Vec<_>>();
        let of_name = Term::App(Symbol::new(name), arguments);
        let usual = Signature::of(&Atom::new(ec::HOLDS, vec![of_name, Term::Value(Value::Int(0))]));
        let signature = self.declared(usual, name, args.len());
        let value = |(place, cell): (usize, &&str)| {
            let (kind, type_name) = self.kinds.at(signature, place);
            value_of(cell, kind).ok_or_else(|| {
                let message = format!("`{cell}` is not {}, as every `{type_name}` is", kind.noun());
                Problem::new(ProblemKind::WrongType, 0, message).hint("mend the cell, or the type in modes.lp")
            })
        };
        Ok((signature, args.iter().enumerate().map(value).collect::<Result<_, _>>()?))
    }

    /// The label of this name with so many arguments that is declared: a fluent, one with a value, or an ordinary predicate.
    fn declared(&self, usual: Signature, name: &str, args: usize) -> Signature {
        let is = |signature: &&Signature| {
            let own = signature.inner_name().unwrap_or_else(|| signature.name());
            own.as_str() == name && signature.arity() == args + 1
        };
        if self.fluents.contains(&usual) { usual } else { self.fluents.iter().find(is).copied().unwrap_or(usual) }
    }
}
