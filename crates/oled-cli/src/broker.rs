//! Logs of brokers as streams: `kafka://HOST:PORT/TOPIC` and `nats://HOST:PORT/STREAM`.

use std::path::Path;

use oled_data::{Format, Frames, ReadOptions};

/// Whether a stream is a log.
pub(crate) fn is_log(path: &Path) -> bool {
    let is_named = |name: &str| name.starts_with("kafka://") || name.starts_with("nats://");
    path.to_str().is_some_and(is_named)
}

/// How a log is read: a line of JSON a message, unless the command says otherwise; and by itself.
pub(crate) fn options_of(path: &Path, options: &ReadOptions) -> anyhow::Result<ReadOptions> {
    if !options.with.is_empty() || options.labels_from.is_some() {
        anyhow::bail!(
            "`{}` is a log, and is read by itself\nhint: write labels and other streams into it",
            path.display()
        );
    }
    Ok(ReadOptions { format: options.format.or(Some(Format::Jsonl)), ..options.clone() })
}

#[cfg(feature = "cluster")]
mod opened {
    use anyhow::{Context, anyhow};
    use oled::state;
    use oled_cluster::broker::{self, Positions, Taken};

    use super::{Frames, Path, ReadOptions, options_of};

    /// Opens a log, from its beginning to its present end.
    pub(crate) fn open(path: &Path, options: &ReadOptions) -> anyhow::Result<Frames> {
        Ok(open_at(path, options, None)?.0)
    }

    /// The same from a position, with what knows the position later on.
    pub(crate) fn open_at(
        path: &Path,
        options: &ReadOptions,
        position: Option<&[u8]>,
    ) -> anyhow::Result<(Frames, InLog)> {
        let options = options_of(path, options)?;
        let name = path.to_str().context("names of logs are text")?;
        let saved: Option<(Vec<u8>, Positions)> = position.map(state::decode).transpose()?;
        let positions = saved.as_ref().map(|(_, positions)| positions.clone()).unwrap_or_default();
        let (reader, taken) = broker::open(name, &positions).map_err(|why| anyhow!(why))?;
        let frames = match &saved {
            Some((frames, _)) => Frames::from_reader_at(name, reader, &options, frames)?,
            None => Frames::from_reader(name, reader, &options)?,
        };
        let begins = frames.place().1.unwrap_or(0);
        Ok((frames, InLog { taken, begins }))
    }

    /// What knows the position in a log.
    pub(crate) struct InLog {
        taken: Taken,
        /// The bytes before the first message.
        begins: u64,
    }

    impl InLog {
        /// The position behind the frame that was taken last.
        pub(crate) fn save(&self, frames: &Frames) -> Vec<u8> {
            let read = frames.place().1.unwrap_or(self.begins) - self.begins;
            state::encode(&(frames.save(), self.taken.positions(read)))
        }
    }
}

#[cfg(feature = "cluster")]
pub(crate) use opened::{InLog, open, open_at};

/// Says what is missing.
#[cfg(not(feature = "cluster"))]
pub(crate) fn open(path: &Path, options: &ReadOptions) -> anyhow::Result<Frames> {
    let _checked = options_of(path, options)?;
    anyhow::bail!(
        "this program reads no logs of brokers, as `{}`\nhint: build it with `--features kafka` or `--features nats`",
        path.display()
    )
}
