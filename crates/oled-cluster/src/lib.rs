//! Many processes on one stream, with the same bytes out: timely dataflow under what `oled` does by segment.
//!
//! One head reads the stream, gives each frame its place, and deals frames out in epochs. A segment belongs to one of [`SHARDS`]
//! shards by a fixed hash of its name, and a shard to a worker. Each shard has a worker of its own, which knows nothing of other
//! shards, so that what it tells, and what is saved of it, does not depend on how many processes there are. What is told goes back to
//! the head, which writes it epoch by epoch, in the order of the stream.
//!
//! | module | what |
//! |---|---|
//! | [`hosts`] | the processes, by their addresses |
//! | [`head`] | what the first process does beside: where frames come from, where lines go, what is kept |
//! | [`parcel`] | what goes from process to process |
//! | [`pieces`] | streams that every process sees: each reads its pieces |
//! | [`shards`] | the shards of one worker |
//! | [`flow`] | the dataflow, and the loop that feeds it |
//! | [`broker`] | logs of Kafka and NATS as lines, with positions |
//! | [`fault`] | processes that end at a chosen point, for tests |

pub mod broker;
mod connect;
pub mod fault;
pub mod flow;
pub mod head;
pub mod hosts;
pub mod parcel;
pub mod pieces;
pub mod shards;

pub use flow::{Finished, Make, run};
pub use head::{Head, Kept, Next};
pub use hosts::Hosts;
pub use pieces::{Pieces, Reads, run_pieces};
pub use shards::SHARDS;

/// Why a cluster did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The list of hosts is of no use.
    #[error("{0}")]
    Hosts(String),
    /// The processes did not find each other.
    #[error(
        "the processes of the cluster cannot be connected: {0}\nhint: is another program using the port, or another cluster? each process needs its own line in the file of hosts"
    )]
    Network(String),
    /// Somebody works on something else.
    #[error("the processes of the cluster do not work on the same: {0}")]
    Differs(String),
    /// The stream, the rules or the disk.
    #[error("{0}")]
    Work(String),
}
