//! Frames as rows of a table: segment, time, narrative and annotation, as lines of JSON become when a data frame reads them.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};
use oled::{FactReader, Facts, Frame, Symbol};

use crate::error::{DataError, Problem, ProblemKind};
use crate::frame::default_segment;
use crate::reader::{Advance, ReadOptions, Source};
use crate::sink::Sink;
use crate::table::{BatchReader, Cell, Slices, text_of};
use crate::times::Times;

/// The columns, of which the first two may be missing.
const COLUMNS: [&str; 4] = ["segment", "annotation", "time", "narrative"];

/// Reads a table whose rows are frames.
pub(crate) struct FrameTable {
    name: String,
    slices: Slices,
    /// Where each of [`COLUMNS`] is.
    places: [Option<usize>; 4],
    facts: FactReader,
    times: Times,
    number: u64,
}

/// So many rows are taken at once: each is a frame, and a data frame is often one batch.
const ROWS: usize = 256;

impl FrameTable {
    /// Whether the rows of such a table are frames: they have lists of atoms.
    pub(crate) fn has(schema: &Schema) -> bool {
        let is_list = |of: &DataType| matches!(of, DataType::List(_) | DataType::LargeList(_));
        let field = |name: &str| schema.field_with_name(name).ok();
        field("time").is_some() && field("narrative").is_some_and(|field| is_list(field.data_type()))
    }

    pub(crate) fn new(name: &str, reader: BatchReader, options: &ReadOptions) -> FrameTable {
        let schema = reader.schema();
        FrameTable {
            name: name.into(),
            places: COLUMNS.map(|column| schema.index_of(column).ok()),
            slices: Slices::new(reader, ROWS),
            facts: FactReader::new(options.kinds()),
            times: options.tables.as_ref().map(|tables| tables.times).unwrap_or_default(),
            number: 0,
        }
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>, DataError> {
        self.slices.next().map_err(|error| {
            Problem::new(ProblemKind::Format, 0, format!("`{}` cannot be read: {error}", self.name)).of(&self.name)
        })
    }

    /// The facts that the list of a row has.
    fn facts(&mut self, lists: Option<&ArrayRef>, row: usize, time: i64, sink: &mut Sink) -> Result<Facts, Problem> {
        let mut facts = Facts::default();
        let Some(lists) = lists.filter(|lists| lists.is_valid(row)) else { return Ok(facts) };
        let atoms = match lists.data_type() {
            DataType::List(_) => lists.as_list::<i32>().value(row),
            _ => lists.as_list::<i64>().value(row),
        };
        for i in 0..atoms.len() {
            let text = match atoms.data_type() {
                DataType::Utf8 => atoms.as_string::<i32>().value(i),
                DataType::LargeUtf8 => atoms.as_string::<i64>().value(i),
                DataType::Utf8View => atoms.as_string_view().value(i),
                other => {
                    let message = format!("atoms are texts, not {other}");
                    return Err(Problem::new(ProblemKind::WrongType, 0, message));
                }
            };
            let read = match self.facts.read(text, &mut facts) {
                Ok(own) if own == time => Ok(()),
                Ok(own) => {
                    facts.pop();
                    let message = format!("the atom `{text}` is about time {own}, its frame about time {time}");
                    Err(Problem::new(ProblemKind::WrongTime, 0, message))
                }
                Err(error) => Err(Problem::atom(&error, 0)),
            };
            read.or_else(|problem| sink.skip_or_fail(problem))?;
        }
        Ok(facts)
    }

    fn row(
        &mut self,
        [segments, times]: [Option<&Cell>; 2],
        lists: [Option<&ArrayRef>; 2],
        row: usize,
        sink: &mut Sink,
    ) -> Result<(), Problem> {
        let text = |cell: Option<&Cell>| {
            let mut text = String::new();
            cell.iter().for_each(|cell| cell(row, &mut text));
            text
        };
        let time = self.times.read(&text(times));
        let time = time.map_err(|error| Problem::new(ProblemKind::BadNumber, 0, error.message).hint(error.hint))?;
        let segment = Some(text(segments)).filter(|name| !name.is_empty());
        let segment = segment.map_or_else(default_segment, |name| Symbol::new(&name));
        sink.admit(segment, time)?;
        let [narrative, annotation] = lists;
        let narrative = self.facts(narrative, row, time, sink)?;
        let annotation = self.facts(annotation, row, time, sink)?;
        sink.push(Frame { segment, time, narrative, annotation });
        Ok(())
    }
}

impl Source for FrameTable {
    fn advance(&mut self, sink: &mut Sink) -> Result<Advance, DataError> {
        let Some(batch) = self.batch()? else { return Ok(Advance::End) };
        let [segment, annotation, time, narrative] = self.places.map(|place| place.map(|place| batch.column(place)));
        let (segments, times) =
            (segment.map(|array| text_of(array, None)), time.map(|array| text_of(array, Some(self.times))));
        for row in 0..batch.num_rows() {
            self.number += 1;
            let taken = self.row([segments.as_ref(), times.as_ref()], [narrative, annotation], row, sink);
            let taken = taken.or_else(|problem| sink.skip_or_fail(problem));
            taken.map_err(|problem| problem.in_row(self.number).of(&self.name))?;
        }
        Ok(Advance::More)
    }
}
