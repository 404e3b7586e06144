//! Bytes to frames: everything about files, formats and simulated streams that the library `oled` need not know.
//!
//! | format | one line, or one file | to read | to write |
//! | --- | --- | --- | --- |
//! | `jsonl` | a frame as a JSON object | yes | yes |
//! | `mongo` | a document of OLED's data base, with one or more time points | yes | yes |
//! | `facts` | atoms with full stops | yes | yes |
//! | `rtec` | an event, a fluent or a predicate between bars | yes | yes |
//! | `caviar` | a video's ground truth in XML | yes | no |
//! | `csv` | a row of a table, whose columns the task knows | yes | no |
//! | `records` | the same as a flat JSON object | yes | no |
//! | `parquet` | a table of Apache Parquet (feature `parquet`) | yes | no |
//!
//! With the feature `arrow`, `read_batches` reads tables of Apache Arrow in memory; a [`Feed`] takes frames one by one.
//!
//! ```
//! use oled_data::{Format, Frames, ReadOptions};
//! let text = r#"{"segment":"walk1","time":680,"narrative":["happensAt(walking(id1),680)"]}"#;
//! let frames = Frames::from_reader("stream.jsonl", text.as_bytes(), &ReadOptions::default())?;
//! for frame in frames {
//!     let frame = frame?;
//!     assert_eq!(frame.time, 680);
//!     assert_eq!(frame.narrative.len(), 1);
//! }
//! # Ok::<(), oled_data::DataError>(())
//! ```

mod ahead;
#[cfg(feature = "arrow")]
mod arrow;
mod atom;
pub mod caviar;
mod checkpoint;
mod constants;
mod csv;
mod declarations;
mod delay;
mod digest;
mod document;
mod error;
mod everybody;
mod facts;
mod feed;
mod format;
mod frame;
mod frame_assembler;
#[cfg(feature = "arrow")]
mod frame_table;
mod grid;
pub mod homes;
pub mod init;
mod intervals;
mod joined;
mod jsonl;
mod labels;
mod lateness;
mod lines;
mod live;
mod mongo;
mod parsed;
mod reader;
mod reasoner;
mod replace;
mod rtec;
mod share;
mod sink;
mod spans;
mod table;
pub mod task_folder;
mod times;
mod unknown;
pub mod world;
mod writer;
mod zones;
mod zstd;

pub use ahead::ReadAhead;
#[cfg(feature = "arrow")]
pub use arrow::{Batches, read_batches};
pub use caviar::{Protocol, Unit};
pub use checkpoint::{Checkpoint, CheckpointError, previous};
pub use constants::{Constants, MOST_CONSTANTS};
pub use csv::csv_field;
pub use declarations::Declarations;
pub use digest::{Digest, digest};
pub use error::{DataError, ProblemKind, Skipped};
pub use feed::Feed;
pub use format::Format;
pub use grid::Grid;
pub use intervals::{INTERVAL_COLUMNS, IntervalFormat, compact, interval_line, json_time, json_value, wanted};
pub use jsonl::printable_json;
pub use live::Live;
pub use reader::{Frames, Pause, ReadOptions, Sorting, open, open_at};
pub use reasoner::{MakeReasoner, Reasoner, provide};
pub use replace::{Replacement, behind_links};
pub use share::{Share, Shares};
pub use table::{Cut, MISSING, TableWriter, Tables};
pub use times::{TimeError, Times};
pub use unknown::Unknown;
pub use writer::FrameWriter;
