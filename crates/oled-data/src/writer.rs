//! Writing: frames become bytes in a format.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use oled::Frame;

use crate::atom::{Template, Templates};
use crate::error::{DataError, Problem, ProblemKind};
use crate::facts::FactsWriter;
use crate::format::Format;
use crate::jsonl::JsonWriter;
use crate::mongo;
use crate::rtec::RtecWriter;

/// Writes frames one by one. Reading them back gives the same frames.
///
/// ```
/// use oled_data::{Format, FrameWriter, Frames, ReadOptions};
/// let options = ReadOptions { format: Some(Format::Facts), ..ReadOptions::default() };
/// let facts = "happensAt(walking(id1),680).\nexample(holdsAt(moving(id1,id2),680)).\n";
/// let mut writer = FrameWriter::new(Format::Rtec, std::io::sink())?;
/// for frame in Frames::from_reader("stream.lp", facts.as_bytes(), &options)? {
///     writer.write(&frame?)?;
/// }
/// writer.finish()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FrameWriter<W: Write> {
    format: TextFormat,
    text: String,
    output: Output<W>,
}

enum Output<W: Write> {
    Plain(W),
    Compressed(GzEncoder<Patient<W>>),
}

/// Goes on where a signal interrupted it, which the encoder of gzip does not do by itself.
struct Patient<W>(W);

impl<W: Write> Write for Patient<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

enum TextFormat {
    Json(JsonWriter),
    Facts(FactsWriter),
    Rtec(RtecWriter),
}

/// Text is handed on in pieces of about this size.
const BUFFER: usize = 1 << 16;

impl<W: Write> FrameWriter<W> {
    /// A writer of any format but CAVIAR's.
    pub fn new(format: Format, output: W) -> Result<FrameWriter<W>, DataError> {
        FrameWriter::with_output(format, Output::Plain(output))
    }

    /// The same, compressed with gzip.
    pub fn compressed(format: Format, output: W) -> Result<FrameWriter<W>, DataError> {
        FrameWriter::with_output(format, Output::Compressed(GzEncoder::new(Patient(output), Compression::default())))
    }

    fn with_output(format: Format, output: Output<W>) -> Result<FrameWriter<W>, DataError> {
        let json = |reserved: &'static [&'static str]| {
            TextFormat::Json(JsonWriter::new(Templates::new(|signature| Template::atom(signature, reserved))))
        };
        let format = match format {
            Format::Jsonl => json(&[]),
            Format::Mongo => json(&mongo::RESERVED),
            Format::Facts => TextFormat::Facts(FactsWriter::new()),
            Format::Rtec => TextFormat::Rtec(RtecWriter::new()),
            Format::Caviar | Format::Csv | Format::Records | Format::Parquet => {
                let message = if format == Format::Caviar {
                    "CAVIAR's XML can be read, not written"
                } else {
                    "tables are several files, and no stream of frames"
                };
                return Err(Problem::new(ProblemKind::Format, 0, message)
                    .hint("write one of jsonl, mongo, facts, rtec")
                    .of(format.name()));
            }
        };
        Ok(FrameWriter { format, text: String::with_capacity(2 * BUFFER), output })
    }

    /// Writes a frame; what the output gets may lag behind until [`FrameWriter::finish`].
    pub fn write(&mut self, frame: &Frame) -> io::Result<()> {
        match &mut self.format {
            TextFormat::Json(writer) => writer.write(frame, &mut self.text),
            TextFormat::Facts(writer) => writer.write(frame, &mut self.text),
            TextFormat::Rtec(writer) => writer.write(frame, &mut self.text),
        }
        if self.text.len() < BUFFER {
            return Ok(());
        }
        self.hand_on()
    }

    /// The text of a frame, which is not written.
    pub fn text(&mut self, frame: &Frame) -> String {
        let written = std::mem::take(&mut self.text);
        match &mut self.format {
            TextFormat::Json(writer) => writer.write(frame, &mut self.text),
            TextFormat::Facts(writer) => writer.write(frame, &mut self.text),
            TextFormat::Rtec(writer) => writer.write(frame, &mut self.text),
        }
        std::mem::replace(&mut self.text, written)
    }

    /// Writes a text as it is.
    pub fn write_text(&mut self, text: &str) -> io::Result<()> {
        self.text.push_str(text);
        if self.text.len() < BUFFER { Ok(()) } else { self.hand_on() }
    }

    /// Writes what is left, and flushes the output.
    pub fn finish(mut self) -> io::Result<()> {
        self.hand_on()?;
        match self.output {
            Output::Plain(mut output) => output.flush(),
            Output::Compressed(encoder) => encoder.finish()?.flush(),
        }
    }

    fn hand_on(&mut self) -> io::Result<()> {
        match &mut self.output {
            Output::Plain(output) => output.write_all(self.text.as_bytes())?,
            Output::Compressed(encoder) => encoder.write_all(self.text.as_bytes())?,
        }
        self.text.clear();
        Ok(())
    }
}
