//! Sharing: a file or a log that all processes see, of which each reads its pieces.

use anyhow::anyhow;
use oled::{Frame, Symbol, state};
use oled_cluster::{Error, Finished, Head, Hosts, Kept, Make, Pieces, Reads, SHARDS};
use oled_data::task_folder::TaskFolder;
use oled_data::{ReadOptions, Shares, Skipped};

use super::partitions::LogPieces;
use crate::args::InputArgs;
use crate::broker;
use crate::checkpoint::LiveArgs;
use crate::input::stream_path;
use crate::learn::LearnArgs;
use crate::progress::say;

/// A stream in pieces.
pub(super) struct Shared {
    pieces: Box<dyn Pieces>,
    /// Nothing that was left out yet.
    skipped: Skipped,
    /// What tells it from others.
    size: String,
}

impl Shared {
    /// Nothing that was left out yet.
    pub(super) fn skipped(&self) -> Skipped {
        self.skipped.clone()
    }
}

/// The pieces of a file.
struct FilePieces(Shares);

/// Opens the stream of a command in pieces; where that is not possible it says why, and one process reads all of it.
pub(super) fn open(
    folder: &TaskFolder,
    input: &InputArgs,
    live: &LiveArgs,
    tell: bool,
) -> anyhow::Result<Option<Shared>> {
    let path = stream_path(folder, input)?;
    let options = ReadOptions { lateness: live.lateness, ..input.read_options(folder) };
    let opened = if broker::is_log(&path) {
        let (name, options) = (path.display().to_string(), broker::options_of(&path, &options)?);
        let skipped = options.nothing_skipped();
        let opened = LogPieces::open(&name, options).map_err(|why| anyhow!(why))?;
        opened.map(|pieces| Shared { pieces: Box::new(pieces), skipped, size: name })
    } else {
        Shares::open(&path, &options)?.map(|shares| {
            let size = format!("{} bytes", shares.size());
            Shared { skipped: options.nothing_skipped(), size, pieces: Box::new(FilePieces(shares)) }
        })
    };
    Ok(match opened {
        Ok(shared) => Some(shared),
        Err(why) => {
            one_reads(&why, tell);
            None
        }
    })
}

/// The same for learning, where segments may be forgotten by how many have begun since: only who reads all of it knows.
pub(super) fn open_to_learn(folder: &TaskFolder, args: &LearnArgs, tell: bool) -> anyhow::Result<Option<Shared>> {
    let made_of = crate::learn::made_of(folder, args, &crate::learn::overrides(args)?)?.without(&[]);
    let forgets = |(name, value): &(String, String)| {
        ["window", "forget"].iter().any(|setting| name.ends_with(&format!(" {setting}")))
            && !value.is_empty()
            && value != "none"
    };
    if made_of.iter().any(forgets) {
        one_reads("segments are forgotten in the order of the stream", tell);
        return Ok(None);
    }
    open(folder, &args.input, &args.live, tell)
}

fn one_reads(why: &str, tell: bool) {
    if tell {
        say(&format!(
            "remark: the input is not read in pieces, since {why}: the first process reads it and feeds the others"
        ));
    }
}

/// What all processes must have in common, with how the stream is read.
pub(super) fn agreed(mut agreed: Vec<(String, String)>, pieces: Option<&Shared>) -> Vec<(String, String)> {
    let shared = pieces.map(|pieces| pieces.size.clone());
    agreed.push(("`--shared-input`".into(), shared.unwrap_or_default()));
    agreed
}

/// How what is known is kept, for a checkpoint: positions are of one kind or the other.
pub(super) fn kind(pieces: Option<&Shared>) -> String {
    format!("{SHARDS} shards{}", if pieces.is_some() { ", shared input" } else { "" })
}

/// Runs this process, with its pieces if there are any.
pub(super) fn run(
    hosts: &Hosts,
    make: Make,
    pieces: Option<Shared>,
    head: Option<(Box<dyn Head>, Option<Kept>)>,
) -> Result<Option<Finished>, Error> {
    match pieces {
        Some(shared) => oled_cluster::run_pieces(hosts, make, shared.pieces, head),
        None => oled_cluster::run(hosts, make, head),
    }
}

impl Pieces for FilePieces {
    fn is_interleaved(&self) -> bool {
        self.0.is_interleaved()
    }

    fn count(&self) -> u64 {
        self.0.pieces()
    }

    fn read(&mut self, piece: u64, give: &mut dyn FnMut(Frame)) -> Result<Reads, String> {
        let Some(mut share) = self.0.read(piece, &[]).map_err(|error| error.to_string())? else {
            return Ok(Reads { closed: true, told: state::encode(&Skipped::default()) });
        };
        for frame in &mut share {
            give(frame.map_err(|error| error.to_string())?);
        }
        Ok(Reads { closed: share.is_closed(), told: state::encode(share.skipped()) })
    }

    fn returned(&mut self, piece: u64, before: &[(Symbol, i64)]) -> String {
        let again = self.0.read(piece, before).map(|share| share.and_then(|mut share| share.find_map(Result::err)));
        fault(again.map(|found| found.map(|error| error.to_string())).map_err(|error| error.to_string()))
    }

    fn position(&mut self, piece: u64) -> Result<Vec<u8>, String> {
        let evidence = self.0.evidence(piece).map_err(|error| error.to_string())?;
        Ok(state::encode(&(piece, evidence)))
    }

    fn go_on(&mut self, position: Option<&[u8]>) -> Result<u64, String> {
        let Some(position) = position else { return Ok(0) };
        let damaged = |error| format!("what is known of the position in the stream is damaged: {error}");
        let (piece, evidence): (u64, u64) = state::decode(position).map_err(damaged)?;
        if self.0.pieces() < piece || self.0.evidence(piece).map_err(|error| error.to_string())? != evidence {
            return Err("the stream does not go on where it was read before\nhint: it was replaced, cut or written anew: name the stream that was read, or start from its beginning".into());
        }
        Ok(piece)
    }
}

/// What is to be told of a piece that was read again for its fault.
pub(super) fn fault(found: Result<Option<String>, String>) -> String {
    let told = found.unwrap_or_else(Some);
    told.unwrap_or_else(|| "a segment returns after another one began".into())
}
