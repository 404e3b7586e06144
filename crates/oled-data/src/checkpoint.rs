//! Checkpoints: what a run knows, in a file that is either whole or not there.
//!
//! ```text
//! OLEDCKPT  version: u32  length: u64  payload  checksum: u64        numbers with the low byte first
//! ```
//!
//! The payload is what the run was made of, as names with texts, and its state. The file is written under another name,
//! brought to disk, and put in the place of the last one, which is kept beside it: `FILE.previous`. Where `FILE` is a link,
//! all of this happens beside what it points to.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use oled::state;

use crate::digest::digest;
use crate::replace::{Replacement, behind_links};

/// A file begins with this.
const MAGIC: &[u8; 8] = b"OLEDCKPT";
/// The version of the format. A state is read by the version that wrote it; whatever changes what states are made of
/// counts this up, and either reads the older ones too or says that it does not.
const VERSION: u32 = 9;
/// What comes before the payload.
const HEAD: usize = 20;

/// What a run was made of, and what it knew.
///
/// ```
/// use oled_data::Checkpoint;
/// let folder = std::env::temp_dir().join(format!("oled-checkpoint-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// let path = folder.join("run.ckpt");
/// let checkpoint = Checkpoint { made_of: vec![("task".into(), "lobby".into())], state: vec![1, 2, 3] };
/// checkpoint.write(&path)?;
/// assert_eq!(Checkpoint::read(&path)?, checkpoint);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Everything that the state depends on beside the stream: the task, the learner and its settings. A run that is made of
    /// something else cannot go on from it.
    pub made_of: Vec<(String, String)>,
    /// What was known.
    pub state: Vec<u8>,
}

/// Why there is no checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// There is no such file.
    #[error("there is no checkpoint `{}`{}", .0.display(), offer(.0))]
    Missing(PathBuf),
    /// The system could not read or write it.
    #[error("cannot {} the checkpoint `{}`", .0, .1.display())]
    Io(&'static str, PathBuf, #[source] io::Error),
    /// It is another kind of file.
    #[error("`{}` is not a checkpoint{}", .0.display(), offer(.0))]
    Other(PathBuf),
    /// Another version wrote it.
    #[error("the checkpoint `{}` has version {} of the format, and this program reads version {}\nhint: go on with the program that wrote it, or start from the beginning of the stream", .0.display(), .1, VERSION)]
    Version(PathBuf, u32),
    /// It is not as it was written.
    #[error("the checkpoint `{}` is damaged: {}{}", .0.display(), .1, offer(.0))]
    Damaged(PathBuf, String),
    /// It was made of something else.
    #[error("the checkpoint `{}` was made with {}\nhint: go on with the same task and options, or start anew with another checkpoint", .0.display(), .1)]
    Different(PathBuf, String),
}

/// The name under which the last good checkpoint is kept.
pub fn previous(path: &Path) -> PathBuf {
    let mut name = behind_links(path).unwrap_or_else(|_| path.into()).into_os_string();
    name.push(".previous");
    name.into()
}

/// Offers the checkpoint before, if it is a good one.
fn offer(path: &Path) -> String {
    let before = previous(path);
    match fs::read(&before).ok().and_then(|bytes| decode(&before, &bytes).ok()) {
        Some(_) => {
            let (before, path) = (before.display(), path.display());
            format!("\nhint: the one before it is good: `cp {before} {path}`, and go on from there")
        }
        None => "\nhint: start from the beginning of the stream, with another checkpoint".into(),
    }
}

impl Checkpoint {
    /// Writes it, so that whenever this is interrupted there is a whole one under the name: this one, or the last.
    pub fn write(&self, path: &Path) -> Result<(), CheckpointError> {
        let write = || -> io::Result<()> {
            let mut new = Replacement::create(path)?;
            new.write_all(&self.encode())?;
            new.sync()?;
            let now = new.target().to_path_buf();
            if now.exists() {
                let before = previous(&now);
                if fs::symlink_metadata(&before).is_ok() {
                    fs::remove_file(&before)?;
                }
                // Where a file cannot have two names there is a moment without one under the usual name.
                fs::hard_link(&now, &before).or_else(|_| fs::rename(&now, &before))?;
            }
            new.keep()?;
            sync_folder(&now)
        };
        write().map_err(|error| CheckpointError::Io("write", path.into(), error))
    }

    /// Reads it, and tells whatever is wrong with it.
    pub fn read(path: &Path) -> Result<Checkpoint, CheckpointError> {
        let bytes = fs::read(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => CheckpointError::Missing(path.into()),
            _ => CheckpointError::Io("read", path.into(), error),
        })?;
        decode(path, &bytes)
    }

    /// Whether it was made of the same; if not, the first difference is told.
    pub fn check(&self, path: &Path, made_of: &[(String, String)]) -> Result<(), CheckpointError> {
        let different = |message: String| Err(CheckpointError::Different(path.into(), message));
        for (name, text) in made_of {
            match self.made_of.iter().find(|(n, _)| n == name) {
                Some((_, other)) if other == text => {}
                Some((_, other)) => return different(format!("{name} {}, and this is {}", shown(other), shown(text))),
                None => return different(format!("no {name}, and this is with {}", shown(text))),
            }
        }
        match self.made_of.iter().find(|(name, _)| !made_of.iter().any(|(n, _)| n == name)) {
            Some((name, text)) => different(format!("{name} {}, and this is without", shown(text))),
            None => Ok(()),
        }
    }

    /// It as bytes, as [`Checkpoint::write`] writes them.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.encode()
    }

    /// The checkpoint that bytes are; the name is only told.
    pub fn from_bytes(name: &Path, bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
        decode(name, bytes)
    }

    fn encode(&self) -> Vec<u8> {
        let payload = state::encode(&(&self.made_of, &self.state));
        let mut bytes = Vec::with_capacity(payload.len() + HEAD + 8);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&(payload.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&payload);
        let checksum = digest(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }
}

fn shown(text: &str) -> String {
    if text.is_empty() { "none".into() } else { format!("`{text}`") }
}

fn decode(path: &Path, bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
    let damaged = |what: String| CheckpointError::Damaged(path.into(), what);
    if bytes.len() < MAGIC.len() && MAGIC.starts_with(bytes) {
        return Err(damaged("it ends too early".into()));
    }
    let Some(rest) = bytes.strip_prefix(MAGIC) else { return Err(CheckpointError::Other(path.into())) };
    let Some((version, rest)) = rest.split_first_chunk() else { return Err(damaged("it ends too early".into())) };
    let version = u32::from_le_bytes(*version);
    if version != VERSION {
        return Err(CheckpointError::Version(path.into(), version));
    }
    let Some((length, rest)) = rest.split_first_chunk() else { return Err(damaged("it ends too early".into())) };
    let Some((payload, checksum)) = rest.split_last_chunk() else { return Err(damaged("it ends too early".into())) };
    if u64::from_le_bytes(*length) != payload.len() as u64 {
        let (has, says) = (payload.len(), u64::from_le_bytes(*length));
        return Err(damaged(format!("it has {has} bytes where it says that it has {says}")));
    }
    if digest(&bytes[..bytes.len() - 8]) != u64::from_le_bytes(*checksum) {
        return Err(damaged("its checksum is wrong".into()));
    }
    let (made_of, state) = state::decode(payload).map_err(|error| damaged(error.to_string()))?;
    Ok(Checkpoint { made_of, state })
}

/// The name of a file is on disk when its folder is.
fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint(number: u8) -> Checkpoint {
        Checkpoint { made_of: vec![("learner".into(), "replay".into())], state: vec![number; 40] }
    }

    #[test]
    fn every_damage_is_told_and_the_one_before_is_offered() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.ckpt");
        for number in 1..=3 {
            checkpoint(number).write(&path).unwrap();
        }
        assert_eq!(Checkpoint::read(&path).unwrap(), checkpoint(3));
        assert_eq!(Checkpoint::read(&previous(&path)).unwrap(), checkpoint(2));
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << bit;
                assert!(decode(&path, &damaged).is_err(), "bit {bit} of byte {at}");
            }
            fs::write(&path, &whole[..at]).unwrap();
            let error = Checkpoint::read(&path).unwrap_err();
            assert!(error.to_string().contains("the one before it is good"), "cut at {at}: {error}");
        }
        fs::write(&path, "a text").unwrap();
        assert!(Checkpoint::read(&path).unwrap_err().to_string().contains("is not a checkpoint"));
        fs::remove_file(previous(&path)).unwrap();
        assert!(Checkpoint::read(&path).unwrap_err().to_string().ends_with("with another checkpoint"));
    }

    #[test]
    fn another_version_is_told() {
        let mut bytes = checkpoint(1).encode();
        bytes[8] = VERSION as u8 + 1;
        let error = decode(Path::new("run.ckpt"), &bytes).unwrap_err().to_string();
        let expected = format!("the checkpoint `run.ckpt` has version {} of the format", VERSION + 1);
        assert!(error.starts_with(&expected), "{error}");
    }

    #[test]
    fn what_is_made_of_something_else_is_told() {
        let term = |name: &str, text: &str| (name.to_string(), text.to_string());
        let check = |made_of: &[(String, String)]| {
            checkpoint(1).check(Path::new("c"), made_of).map_err(|e| e.to_string().lines().next().unwrap().to_string())
        };
        assert_eq!(check(&[term("learner", "replay")]), Ok(()));
        assert_eq!(
            check(&[term("learner", "oled")]).unwrap_err(),
            "the checkpoint `c` was made with learner `replay`, and this is `oled`"
        );
        assert!(check(&[]).unwrap_err().ends_with("learner `replay`, and this is without"));
        assert!(check(&[term("learner", "replay"), term("delta", "1")]).unwrap_err().contains("no delta"));
    }
}
