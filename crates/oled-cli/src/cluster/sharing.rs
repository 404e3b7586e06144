//! Sharing: a file that all processes see, of which each reads its pieces.

use oled::{Frame, Symbol, state};
use oled_cluster::{Error, Finished, Head, Hosts, Kept, Make, Pieces, Reads, SHARDS};
use oled_data::task_folder::TaskFolder;
use oled_data::{ReadOptions, Shares, Skipped};

use crate::args::InputArgs;
use crate::broker;
use crate::checkpoint::LiveArgs;
use crate::input::stream_path;
use crate::learn::LearnArgs;
use crate::progress::say;

/// The pieces of a file.
pub(super) struct FilePieces(Shares);

impl FilePieces {
    /// Nothing that was left out yet.
    pub(super) fn skipped(&self) -> Skipped {
        self.0.skipped()
    }
}

/// Opens the stream of a command in pieces; where that is not possible it says why, and one process reads all of it.
pub(super) fn open(
    folder: &TaskFolder,
    input: &InputArgs,
    live: &LiveArgs,
    tell: bool,
) -> anyhow::Result<Option<FilePieces>> {
    let path = stream_path(folder, input)?;
    let options = ReadOptions { lateness: live.lateness, ..input.read_options(folder) };
    let opened = if broker::is_log(&path) { Err("it is a log".into()) } else { Shares::open(&path, &options)? };
    Ok(match opened {
        Ok(shares) => Some(FilePieces(shares)),
        Err(why) => {
            one_reads(&why, tell);
            None
        }
    })
}

/// The same for learning, where segments may be forgotten by how many have begun since: only who reads all of it knows.
pub(super) fn open_to_learn(folder: &TaskFolder, args: &LearnArgs, tell: bool) -> anyhow::Result<Option<FilePieces>> {
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
pub(super) fn agreed(mut agreed: Vec<(String, String)>, pieces: Option<&FilePieces>) -> Vec<(String, String)> {
    let shared = pieces.map(|pieces| format!("{} bytes", pieces.0.size()));
    agreed.push(("`--shared-input`".into(), shared.unwrap_or_default()));
    agreed
}

/// How what is known is kept, for a checkpoint: positions are of one kind or the other.
pub(super) fn kind(pieces: Option<&FilePieces>) -> String {
    format!("{SHARDS} shards{}", if pieces.is_some() { ", shared input" } else { "" })
}

/// Runs this process, with its pieces if there are any.
pub(super) fn run(
    hosts: &Hosts,
    make: Make,
    pieces: Option<FilePieces>,
    head: Option<(Box<dyn Head>, Option<Kept>)>,
) -> Result<Option<Finished>, Error> {
    match pieces {
        Some(pieces) => oled_cluster::run_pieces(hosts, make, Box::new(pieces), head),
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
        let told = again.map_or_else(|error| Some(error.to_string()), |found| found.map(|error| error.to_string()));
        told.unwrap_or_else(|| "a segment returns after another one began".into())
    }

    fn evidence(&mut self, piece: u64) -> Result<u64, String> {
        self.0.evidence(piece).map_err(|error| error.to_string())
    }
}
