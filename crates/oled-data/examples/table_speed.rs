//! How fast a table becomes frames, beside the crate that reads its cells and no more, `csv` or `parquet`:
//! `cargo run --release -p oled-data --features parquet --example table_speed -- 300`, in megabytes of text; with `iso` behind,
//! times are dates, with `once` each reader runs once. Without the feature only text is read.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use oled_data::task_folder::TaskFolder;
use oled_data::{ReadOptions, open};

/// Runs of each reader, in turn: the median of five is not moved by two that were disturbed.
const RUNS: usize = 5;

const MODES: &str = "input(temp(+machine, +number, +time)). input(load(+machine, +number, +time)).
input(rpm(+machine, +count, +time)). input(happensAt(error(+machine, +code), +time)).
type(machine, symbol). type(number, real). type(count, int). type(code, symbol).
example(holdsAt(hot(+machine), +time)).\n";

const TABLE: &str = "[[table]]\ntime = \"time\"
facts = [\"temp(machine, temp)\", \"load(machine, load)\", \"rpm(machine, rpm)\", \"happensAt(error(machine, code)) if code\"]\n";

/// Rows of five machines a second, one error in a hundred rows; the same bytes each time.
fn write(path: &Path, bytes: usize, iso: bool) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let times = oled_data::Times::iso(oled::lang::Clock::default(), true);
    let (mut written, mut row, mut random) = (0, 0_u64, 1_u64);
    let mut line = String::from("time,machine,temp,load,rpm,code\n");
    while written < bytes {
        out.write_all(line.as_bytes())?;
        written += line.len();
        // A linear congruential generator, as good as any for digits.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (time, machine, digits) = (1_772_359_200 + (row / 5) as i64, row % 5, random >> 33);
        let time = if iso { times.show(time) } else { time.to_string() };
        let (temp, load, rpm) = (digits % 90_000, digits % 1_000, digits % 8_000);
        let code = if digits % 100 == 0 { "E42" } else { "" };
        line = format!("{time},machine-{machine:02},{}.{:03},0.{load:03},{rpm},{code}\n", temp / 1_000, temp % 1_000);
        row += 1;
    }
    out.flush()
}

/// The most memory that the process ever had, in megabytes; `None` where the system does not tell.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()? / 1024.0)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Reads a file with the `csv` crate; returns the number of rows.
fn text_alone(path: &Path) -> Result<usize, Box<dyn std::error::Error>> {
    let mut reader = csv::Reader::from_path(path)?;
    let (mut record, mut rows) = (csv::ByteRecord::new(), 0);
    while reader.read_byte_record(&mut record)? {
        rows += 1;
    }
    Ok(rows)
}

/// A reader that does nothing with what it reads, and says how many rows there are.
type Alone = fn(&Path) -> Result<usize, Box<dyn std::error::Error>>;

/// Measures ways of reading a file and making frames of it, in turn, and reports them.
fn measure(
    task: &TaskFolder,
    path: &Path,
    runs: usize,
    name: &str,
    alone: &[(&str, Alone)],
    parsers: &[usize],
) -> Result<(), Box<dyn std::error::Error>> {
    let mut times = vec![Vec::new(); alone.len()];
    let mut of_frames = vec![Vec::new(); parsers.len()];
    let (mut rows, mut frames, mut facts) = (0, 0, 0);
    for _ in 0..runs {
        for ((_, alone), times) in alone.iter().zip(&mut times) {
            let start = Instant::now();
            rows = alone(path)?;
            times.push(start.elapsed().as_secs_f64());
        }
        for (parsers, times) in parsers.iter().zip(&mut of_frames) {
            (frames, facts) = (0, 0);
            let start = Instant::now();
            for frame in open(path, &ReadOptions { parsers: *parsers, ..task.read_options(None, false) })? {
                frames += 1;
                facts += frame?.narrative.len();
            }
            times.push(start.elapsed().as_secs_f64());
        }
    }
    let bytes = path.metadata()?.len();
    let [times, of_frames] = [times, of_frames].map(|all| all.into_iter().map(median).collect::<Vec<f64>>());
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{name}: {bytes} bytes, {rows} rows, {frames} frames, {facts} facts; medians of {runs} runs in turn"
    )?;
    let speed = |seconds: f64| {
        format!("{:.0} MB/s, {:.1} million rows/s", bytes as f64 / 1e6 / seconds, rows as f64 / 1e6 / seconds)
    };
    for (parsers, seconds) in parsers.iter().zip(&of_frames) {
        writeln!(out, "  to frames, parsed by {parsers}: {}", speed(*seconds))?;
    }
    for ((what, _), seconds) in alone.iter().zip(&times) {
        let shares: Vec<String> = of_frames.iter().map(|frames| format!("{:.2}", seconds / frames)).collect();
        writeln!(out, "  the crate alone, {what}: {}; frames are {} of it", speed(*seconds), shares.join(" and "))?;
    }
    Ok(())
}

/// The same rows as Parquet.
#[cfg(feature = "parquet")]
mod columnar {
    use std::fs::File;
    use std::path::Path;
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
    use parquet::arrow::ArrowWriter;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use parquet::file::reader::{FileReader, SerializedFileReader};

    /// Rows that are written at a time.
    const ROWS: usize = 65_536;

    /// Writes what a file of text has; its times are numbers.
    pub(super) fn write(text: &Path, path: &Path) -> Result<(), Box<dyn std::error::Error>> {
        let mut reader = csv::Reader::from_path(text)?;
        let mut records = reader.records().peekable();
        let mut writer: Option<ArrowWriter<File>> = None;
        while records.peek().is_some() {
            let rows: Vec<csv::StringRecord> = records.by_ref().take(ROWS).collect::<Result<_, _>>()?;
            let texts = |at: usize| -> ArrayRef {
                Arc::new(rows.iter().map(|row| Some(&row[at]).filter(|cell| !cell.is_empty())).collect::<StringArray>())
            };
            let whole = |at: usize| -> ArrayRef {
                Arc::new(rows.iter().map(|row| row[at].parse::<i64>().ok()).collect::<Int64Array>())
            };
            let real = |at: usize| -> ArrayRef {
                Arc::new(rows.iter().map(|row| row[at].parse::<f64>().ok()).collect::<Float64Array>())
            };
            let columns = [
                ("time", whole(0)),
                ("machine", texts(1)),
                ("temp", real(2)),
                ("load", real(3)),
                ("rpm", whole(4)),
                ("code", texts(5)),
            ];
            let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))?;
            let writer = match &mut writer {
                Some(writer) => writer,
                none => none.insert(ArrowWriter::try_new(File::create(path)?, batch.schema(), None)?),
            };
            writer.write(&batch)?;
        }
        if let Some(writer) = writer {
            writer.close()?;
        }
        Ok(())
    }

    /// Reads a file row by row with the `parquet` crate, as the `csv` crate does; returns the number of rows.
    pub(super) fn rows(path: &Path) -> Result<usize, Box<dyn std::error::Error>> {
        let reader = SerializedFileReader::new(File::open(path)?)?;
        let mut rows = 0;
        for row in reader.get_row_iter(None)? {
            row?;
            rows += 1;
        }
        Ok(rows)
    }

    /// Reads a file into columns with the `parquet` crate, of which no row is made; returns the number of rows.
    pub(super) fn columns(path: &Path) -> Result<usize, Box<dyn std::error::Error>> {
        let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path)?)?.build()?;
        let mut rows = 0;
        for batch in reader {
            rows += batch?.num_rows();
        }
        Ok(rows)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| args.iter().any(|arg| arg == word);
    let (iso, runs) = (has("iso"), if has("once") { 1 } else { RUNS });
    let megabytes: usize = args.first().map_or(Ok(100), |arg| arg.parse())?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("table.csv");
    write(&path, megabytes * 1_000_000, iso)?;
    let stream = if iso { "[stream]\ntime = \"iso\"\n" } else { "" };
    let task = TaskFolder::from_texts("speed", &format!("{stream}{TABLE}"), MODES, "")?;
    measure(&task, &path, runs, "text", &[("rows", text_alone)], &[1, 2])?;
    let after_text = peak();
    #[cfg(feature = "parquet")]
    if !iso {
        let columnar = folder.path().join("table.parquet");
        columnar::write(&path, &columnar)?;
        measure(&task, &columnar, runs, "Parquet", &[("rows", columnar::rows), ("columns", columnar::columns)], &[1])?;
    }
    let mut out = io::stdout().lock();
    if let (Some(text), Some(all)) = (after_text, peak()) {
        writeln!(out, "peak memory: {text:.0} MB after text, {all:.0} MB in the end")?;
    }
    Ok(())
}
