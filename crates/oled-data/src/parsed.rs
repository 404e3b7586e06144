//! Parsed: what several threads make of an input ahead of use, handed on in its order.
//!
//! One thread cuts the input into blocks of whole lines, and deals them out in turn; whoever takes frames collects them in the same
//! turn. What a block says depends on no other, and whether it may come is asked when it is handed on, so that frames, errors and
//! positions are those of one reader.

mod lines;
mod rows;

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use crate::error::{DataError, Problem};
use crate::lines::{Block, LineReader};
use crate::reader::ReadOptions;
pub(crate) use lines::ParsedLines;
pub(crate) use rows::ParsedRows;

/// Blocks that may wait on either side of a parser, so that it has work while others are slow: with one it sometimes has none, with
/// more there is more memory and no more speed.
const WAITING: usize = 2;

/// Whether an input is parsed by other threads. Who waits for an input wants each line at once, and a limit of the length of lines is
/// the affair of who reads them one by one.
pub(crate) fn is_spread(options: &ReadOptions) -> bool {
    options.parsers > 1 && options.live.is_none() && options.max_line.is_none()
}

/// What threads make of the blocks of an input, in its order.
struct Blocks<T> {
    done: Vec<Receiver<io::Result<T>>>,
    /// Whose turn it is.
    turn: usize,
}

impl<T: Send + 'static> Blocks<T> {
    /// Starts to read, and a thread for each parser.
    fn new(input: LineReader, parsers: impl Iterator<Item = impl FnMut(Block) -> T + Send + 'static>) -> Blocks<T> {
        let (mut blocks, mut done) = (Vec::new(), Vec::new());
        for parser in parsers {
            let (give, given) = sync_channel(WAITING);
            let (tell, told) = sync_channel(WAITING);
            thread::spawn(move || parse(&given, &tell, parser));
            blocks.push(give);
            done.push(told);
        }
        thread::spawn(move || deal(input, &blocks));
        Blocks { done, turn: 0 }
    }

    /// What was made of the next block of an input of this name. Behind the last one there is none to be asked for.
    fn next(&mut self, name: &str) -> Result<T, DataError> {
        let done = self.done[self.turn].recv();
        self.turn = (self.turn + 1) % self.done.len();
        match done {
            Ok(done) => done.map_err(|error| DataError::io("read", name, &error)),
            // The end is told: whoever says nothing has failed.
            Err(_) => Err(Problem::panicked("a thread that parses has ended").of("the stream")),
        }
    }
}

/// Deals the blocks of the input out, until nobody wants them any more.
fn deal(mut input: LineReader, parsers: &[SyncSender<io::Result<Block>>]) {
    for parser in parsers.iter().cycle() {
        let block = input.next_block();
        let is_last = block.as_ref().map_or(true, |block| block.is_last);
        if parser.send(block).is_err() || is_last {
            return;
        }
    }
}

/// Parses blocks, until there are no more, or nobody wants them.
fn parse<T>(
    blocks: &Receiver<io::Result<Block>>,
    done: &SyncSender<io::Result<T>>,
    mut parser: impl FnMut(Block) -> T,
) {
    for block in blocks {
        if done.send(block.map(&mut parser)).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::Frames;

    /// A position is told by all bytes of its block.
    pub(super) const STEP: usize = 97;

    /// Where the next piece of an input begins, and the position there.
    type Saved = (Option<u64>, Vec<u8>);

    /// Frames as they are written, or the error; what was skipped; and the position after each [`STEP`]th of them.
    pub(super) fn read(name: &str, text: &str, options: &ReadOptions) -> (Vec<String>, String, Vec<Saved>) {
        let input = io::Cursor::new(text.as_bytes().to_vec());
        let mut frames = Frames::from_reader(name, input, options).unwrap().pausing();
        let (mut told, mut places) = (Vec::new(), Vec::new());
        loop {
            match frames.next() {
                Some(Ok(frame)) => {
                    told.push(format!("{frame:?}"));
                    if told.len() % STEP > 0 {
                        continue;
                    }
                    places.push((frames.place().1, frames.save()));
                }
                Some(Err(error)) => told.push(error.to_string()),
                None if frames.pause().is_some() => {
                    places.push((frames.place().1, frames.save()));
                    frames.end();
                }
                None => return (told, frames.skipped().to_string(), places),
            }
        }
    }
}
