//! Tables of Apache Arrow as a stream: what a data frame of any library is, without copying it to a file.

use arrow_array::RecordBatchReader;

use crate::error::DataError;
use crate::format::Format;
use crate::frame_table::FrameTable;
use crate::joined::Joined;
use crate::labels::Labels;
use crate::reader::{Counter, Frames, ReadOptions, Source};
use crate::table::ArrowReader;

/// A table in memory, with the name under which it is told of. Where its columns fit several tables of a task, the name tells
/// which it is, as that of a file does.
pub type Batches = (String, Box<dyn RecordBatchReader + Send>);

/// Reads tables as one stream, merged by time. Columns mean what `[[table]]` in `task.toml` says, as they do in files; or the rows of a
/// table are frames, with the columns `segment`, `time`, and `narrative` and `annotation` as lists of atoms.
pub fn read_batches(mut tables: Vec<Batches>, options: &ReadOptions) -> Result<Frames, DataError> {
    let bytes = Counter::default();
    let mut frames = if tables.len() == 1 && !options.is_joined() {
        let table = tables.swap_remove(0);
        Frames::new(source(table, options)?, options, bytes, None)?
    } else {
        let alone = Joined::alone(options);
        let open = |table: Batches| {
            let name = table.0.clone();
            Ok((name, Frames::new(source(table, &alone)?, &alone, Counter::default(), None)?))
        };
        let parts = tables.into_iter().map(open).collect::<Result<Vec<_>, DataError>>()?;
        Frames::new(Box::new(Joined::of(parts, options, bytes.clone())), options, bytes, None)?
    };
    // Whatever tells formats apart takes it for a table.
    frames.format = Format::Parquet;
    Ok(frames)
}

fn source((name, batches): Batches, options: &ReadOptions) -> Result<Box<dyn Source>, DataError> {
    if FrameTable::has(&batches.schema()) {
        return Ok(Box::new(FrameTable::new(&name, batches, options)));
    }
    Ok(Box::new(ArrowReader::new(&name, batches, options)?))
}

impl Frames {
    /// The same frames with the labels of a table in memory.
    pub fn with_labels(mut self, (name, batches): Batches, options: &ReadOptions) -> Result<Frames, DataError> {
        self.sink.spans.labels = Some(Labels::of_batches(&name, batches, options)?);
        Ok(self)
    }
}
