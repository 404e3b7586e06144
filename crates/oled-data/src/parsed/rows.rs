//! Parsed rows: tables, whose rows of one time are one frame, wherever blocks end.

use super::Blocks;
use crate::error::DataError;
use crate::lines::{Block, LineReader, Place};
use crate::reader::{Advance, LineFormat, Lines, Source};
use crate::sink::Sink;
use crate::table::{Runs, TableReader};

/// So many runs of rows are handed on at once, at most, until a frame is ready: few enough that whoever waits can stop soon.
const RUNS: usize = 64;

/// The source of frames.
pub(crate) struct ParsedRows {
    /// Has the frames that are open, and reads what threads leave to it: the header, and blocks in which something has to be looked at
    /// more closely, or is wrong.
    lines: Lines<TableReader>,
    /// One reader of rows for each parser, until the header is known.
    readers: Vec<TableReader>,
    blocks: Option<Blocks<(Block, Option<Runs>)>>,
    /// The block that is handed on, if it is not left to the reader of lines; and how many of its runs were.
    current: Option<(Block, Runs, usize)>,
    is_last: bool,
}

impl ParsedRows {
    /// The rows of an input, with a reader for each thread that is to parse them.
    pub(crate) fn new(lines: Lines<TableReader>, readers: Vec<TableReader>) -> ParsedRows {
        ParsedRows { lines, readers, blocks: None, current: None, is_last: false }
    }

    /// Starts to read ahead and to parse, once the header is known.
    fn start(&mut self) {
        let format = self.lines.format();
        let header = format.behind_header();
        if !format.has_header() {
            return;
        }
        let mut readers = std::mem::take(&mut self.readers);
        readers.retain_mut(|reader| reader.restore(&header).is_ok());
        if readers.is_empty() {
            return;
        }
        let parser = |mut reader: TableReader| {
            move |block: Block| {
                let text = std::str::from_utf8(&block.bytes).ok().filter(|_| !block.is_last);
                let runs = text.and_then(|text| reader.runs(text));
                (block, runs)
            }
        };
        let place = self.lines.input().place();
        let input = self.lines.go_on(LineReader::of_bytes(Vec::new(), &place));
        self.blocks = Some(Blocks::new(input, readers.into_iter().map(parser)));
    }

    /// Hands runs on, until a frame is ready. One that may not come is left to the reader of lines, which says where it stands.
    fn hand_on(&mut self, sink: &mut Sink) {
        let Some((block, runs, taken)) = &mut self.current else { return };
        for _ in 0..RUNS {
            if *taken == runs.len() || !sink.ready.is_empty() {
                return;
            }
            if self.lines.format().add_run(runs, *taken, sink).is_err() {
                let (lines, bytes) = runs.taken(*taken);
                let place = block.place.after(lines, &block.bytes[..bytes]);
                self.lines.go_on(LineReader::of_bytes(block.bytes.split_off(bytes), &place));
                self.current = None;
                return;
            }
            *taken += 1;
        }
    }
}

impl Source for ParsedRows {
    fn advance(&mut self, sink: &mut Sink) -> Result<Advance, DataError> {
        if let Some((_, runs, taken)) = &self.current
            && *taken < runs.len()
        {
            self.hand_on(sink);
            return Ok(Advance::More);
        }
        if self.current.is_none() {
            let advance = self.lines.advance(sink)?;
            if self.blocks.is_none() {
                self.start();
            }
            if advance != Advance::End || self.is_last {
                return Ok(advance);
            }
        }
        let Some(blocks) = &mut self.blocks else { return Ok(Advance::End) };
        let (block, runs) = blocks.next(self.lines.name())?;
        self.is_last = block.is_last;
        // A row that began in the block before goes on here.
        match runs.filter(|_| self.lines.format().is_between_rows()) {
            Some(runs) => self.current = Some((block, runs, 0)),
            None => {
                self.current = None;
                self.lines.go_on(LineReader::of_bytes(block.bytes, &block.place));
            }
        }
        Ok(Advance::More)
    }

    fn end(&mut self, sink: &mut Sink) -> Result<(), DataError> {
        self.lines.end(sink)
    }

    fn save(&self) -> Option<(Place, Vec<u8>)> {
        let (place, held) = self.lines.save()?;
        let place = self.current.as_ref().map_or(place, |(block, runs, taken)| {
            let (lines, bytes) = runs.taken(*taken);
            block.place.after(lines, &block.bytes[..bytes])
        });
        Some((place, held))
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use crate::parsed::tests::{STEP, read};
    use crate::reader::{Frames, ReadOptions};
    use crate::task_folder::TaskFolder;

    const MODES: &str = "input(temp(+room, +celsius, +time)). input(happensAt(alarm(+room, +code), +time)).
        type(room, symbol). type(celsius, real). type(code, symbol). example(holdsAt(hot(+room), +time)).";
    const TABLE: &str = "[[table]]\ntime = \"time\"\nsegment = \"floor\"
        facts = [\"temp(room, temp)\", \"happensAt(alarm(room, code)) if code\"]";

    fn options(parsers: usize, lenient: bool, interleaved: bool) -> ReadOptions {
        let task = TaskFolder::from_texts("rooms", TABLE, MODES, "").unwrap();
        ReadOptions { interleaved, parsers, ..task.read_options(None, lenient) }
    }

    /// Three rooms on two floors, in rows of several blocks with others among them.
    fn table(odd: &str) -> String {
        let row = |i: usize| match i % 6_000 {
            5_000 => odd.to_string(),
            _ => format!(
                "{},f{},r{},{}.{},{}\n",
                i / 6,
                i / 3 % 2,
                i % 3,
                i % 40,
                i % 7,
                if i.is_multiple_of(50) { "E1" } else { "" }
            ),
        };
        let rows: String = (0..20_000).map(row).collect();
        format!("\u{feff}time,floor,room,temp,code\n{rows}")
    }

    #[test]
    fn many_parsers_read_what_one_reads() {
        for odd in [
            "",
            "\n",
            "time,floor,room,temp,code\n",
            "833,f1,\"a, b\",1,x\n",
            "\"833\",f1,\"a\nb\",1,x\n",
            "833,f1,a\n",
            "833,f1,a,hot,x\n",
            "1,f1,a,1,\n",
        ] {
            let text = table(odd);
            for (text, name) in
                [(text.replace('\n', "\r\n"), "t.csv"), (text.replace(',', "\t"), "t.tsv"), (text, "t.csv")]
            {
                for (lenient, interleaved) in [(false, true), (true, true), (true, false)] {
                    let one = read(name, &text, &options(1, lenient, interleaved));
                    assert!(one.0.len() > 1_000 || !interleaved, "{odd:?}: {:?}", one.0.last());
                    for parsers in [2, 3] {
                        let many = read(name, &text, &options(parsers, lenient, interleaved));
                        assert_eq!(one.0.len(), many.0.len(), "{odd:?}");
                        assert!(one.0 == many.0 && one.1 == many.1, "{odd:?}: {:?} {:?}", one.0.last(), many.0.last());
                    }
                }
            }
        }
    }

    #[test]
    fn objects_are_read_as_rows_are() {
        let line = |i: usize| {
            format!("{{\"time\":{},\"floor\":\"f{}\",\"room\":\"r{}\",\"temp\":{}}}\n", i / 6, i / 3 % 2, i % 3, i % 40)
        };
        let text: String = (0..20_000).map(line).collect();
        let read = |parsers| {
            let options = ReadOptions { format: Some(crate::Format::Records), ..options(parsers, false, true) };
            read("t.jsonl", &text, &options)
        };
        let (one, many) = (read(1), read(2));
        assert!(one.0.len() > 6_000 && one.0 == many.0 && one.1 == many.1);
    }

    #[test]
    fn reading_goes_on_at_any_position() {
        let text = table("833,f1,\"a, b\",1,x\n");
        let options = options(2, true, true);
        let (frames, _, places) = read("t.csv", &text, &options);
        assert!(places.len() > 50);
        for at in (0..places.len() - 1).step_by(11) {
            let (offset, saved) = &places[at];
            let rest = text.as_bytes()[offset.unwrap() as usize..].to_vec();
            let frames_from_there = Frames::from_reader_at("t.csv", io::Cursor::new(rest), &options, saved).unwrap();
            let rest: Vec<String> = frames_from_there.map(|frame| format!("{:?}", frame.unwrap())).collect();
            assert!(rest == frames[(at + 1) * STEP..], "{at}");
        }
    }
}
