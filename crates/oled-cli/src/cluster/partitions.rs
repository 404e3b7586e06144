//! Partitions: a log of a broker, of which each process reads some stretches.
//!
//! The first process decides what is read: what there is when it opens the log, partition after partition, in stretches of so many
//! messages, each of which is a piece. Others are told. Pieces are numbered on from run to run, so that a later run goes on.

use oled::{Frame, Symbol, state};
use oled_cluster::broker::{Log, Positions, Stretch};
use oled_cluster::{Pieces, Reads};
use oled_data::{ReadOptions, Share};
use serde::{Deserialize, Serialize};

/// The messages of a piece: about as many frames as a piece of a file has.
const MESSAGES: i64 = 256;

/// A log in pieces.
pub(super) struct LogPieces {
    name: String,
    options: ReadOptions,
    log: Log,
    plan: Plan,
}

/// What is read, and by which numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Plan {
    /// Where each partition was gone on from.
    before: Positions,
    /// How many pieces other runs have read.
    done: u64,
    /// The pieces of this run.
    pieces: Vec<Stretch>,
}

impl Plan {
    /// Cuts stretches into pieces.
    fn new(before: Positions, done: u64, stretches: &[Stretch]) -> Plan {
        let cut = |stretch: &Stretch| {
            let Stretch { partition, from, to } = *stretch;
            let at = move |from: i64| Stretch { partition, from, to: to.min(from + MESSAGES) };
            (0..).map(move |i| from + i * MESSAGES).take_while(move |from| *from < to).map(at)
        };
        Plan { before, done, pieces: stretches.iter().flat_map(cut).collect() }
    }

    /// The pieces before one that are read in this run.
    fn before(&self, piece: u64) -> &[Stretch] {
        let count = usize::try_from(piece.saturating_sub(self.done)).unwrap_or(usize::MAX);
        &self.pieces[..count.min(self.pieces.len())]
    }

    /// Where each partition is gone on from before a piece.
    fn positions(&self, piece: u64) -> Positions {
        let mut positions = self.before.clone();
        positions.extend(self.before(piece).iter().map(|stretch| (stretch.partition, stretch.to)));
        positions
    }
}

impl LogPieces {
    /// Opens a log, unless it cannot be read in pieces: then the second error says why.
    pub(super) fn open(name: &str, options: ReadOptions) -> Result<Result<LogPieces, String>, String> {
        let why_not = match () {
            () if !options.interleaved => "it is a log, and the task does not say `interleaved = true`",
            () if options.lenient => "`--lenient` goes on after faults, which may be about what came long before",
            () if options.lateness.is_some() => "frames may be late by more than a piece",
            () if options.ticks.is_some() => "ticks follow on frames of other pieces",
            () => {
                let log = Log::open(name, &Positions::new())?;
                return Ok(Ok(LogPieces { name: name.into(), options, log, plan: Plan::default() }));
            }
        };
        Ok(Err(why_not.into()))
    }

    /// The frames of a piece; `before`: segments that were there before, with their last times.
    fn share(&mut self, piece: u64, before: &[(Symbol, i64)]) -> Result<Share, String> {
        let own = self.plan.before(piece + 1).last().copied().ok_or("the log has no such piece")?;
        // Those of runs before are not counted, as one reader does not count them.
        let lines = self.plan.before(piece).iter().map(|stretch| stretch.to - stretch.from).sum::<i64>();
        let bytes = self.log.lines(own)?;
        let share = Share::of_lines(&self.name, bytes, &self.options, before, usize::try_from(lines).unwrap_or(0));
        share.map_err(|error| error.to_string())
    }
}

impl Pieces for LogPieces {
    fn is_interleaved(&self) -> bool {
        true
    }

    fn count(&self) -> u64 {
        self.plan.done + self.plan.pieces.len() as u64
    }

    fn read(&mut self, piece: u64, give: &mut dyn FnMut(Frame)) -> Result<Reads, String> {
        let mut share = self.share(piece, &[])?;
        for frame in &mut share {
            give(frame.map_err(|error| error.to_string())?);
        }
        // A message is there as a whole, so that a later run may go on behind any of them.
        Ok(Reads { closed: true, told: state::encode(share.skipped()) })
    }

    fn returned(&mut self, piece: u64, before: &[(Symbol, i64)]) -> String {
        let again = self.share(piece, before).map(|mut share| share.find_map(Result::err));
        super::sharing::fault(again.map(|found| found.map(|error| error.to_string())))
    }

    fn position(&mut self, piece: u64) -> Result<Vec<u8>, String> {
        Ok(state::encode(&(piece, self.plan.positions(piece))))
    }

    fn go_on(&mut self, position: Option<&[u8]>) -> Result<u64, String> {
        let damaged = |error| format!("what is known of the position in the log is damaged: {error}");
        let (done, before): (u64, Positions) =
            position.map_or(Ok((0, Positions::new())), state::decode).map_err(damaged)?;
        self.log = Log::open(&self.name, &before)?;
        self.plan = Plan::new(before, done, &self.log.stretches());
        Ok(done)
    }

    fn plan(&self) -> Vec<u8> {
        state::encode(&self.plan)
    }

    fn follow(&mut self, plan: &[u8]) -> Result<(), String> {
        self.plan = state::decode(plan).map_err(|error| error.to_string())?;
        Ok(())
    }

    fn goes_on(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_has_all_messages_once_and_knows_the_positions_between_pieces() {
        let stretch = |partition, from, to| Stretch { partition, from, to };
        let before = Positions::from([(0, 10), (1, 3)]);
        let plan = Plan::new(before.clone(), 7, &[stretch(0, 10, 10 + 2 * MESSAGES), stretch(2, 0, MESSAGES + 1)]);
        let expected = [
            stretch(0, 10, 10 + MESSAGES),
            stretch(0, 10 + MESSAGES, 10 + 2 * MESSAGES),
            stretch(2, 0, MESSAGES),
            stretch(2, MESSAGES, MESSAGES + 1),
        ];
        assert_eq!(plan.pieces, expected);
        assert_eq!(plan.positions(7), before);
        assert_eq!(plan.positions(8), Positions::from([(0, 10 + MESSAGES), (1, 3)]));
        assert_eq!(plan.positions(11), Positions::from([(0, 10 + 2 * MESSAGES), (1, 3), (2, MESSAGES + 1)]));
    }
}
