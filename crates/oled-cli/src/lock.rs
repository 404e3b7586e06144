//! Lock: at most one process works on a checkpoint.

use std::path::Path;

/// The right to work on a checkpoint, which ends with the process at the latest, however that ends.
///
/// The file `FILE.lock` beside the checkpoint is locked, not the checkpoint itself, which is replaced again and again. What a
/// process that was killed leaves behind is not locked any more.
#[cfg(unix)]
pub(crate) struct Lock {
    path: std::path::PathBuf,
    /// Locked as long as it is open.
    _file: std::fs::File,
}

#[cfg(unix)]
impl Lock {
    /// Takes it, or says who has it.
    pub(crate) fn take(checkpoint: &Path) -> anyhow::Result<Lock> {
        use std::fs::OpenOptions;
        use std::io::{Read, Write};
        use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

        use anyhow::{Context, bail};
        use rustix::fs::{FlockOperation, OFlags, flock};
        use rustix::io::Errno;

        let failed = || format!("cannot write the checkpoint `{}`", checkpoint.display());
        let mut path = oled_data::behind_links(checkpoint).with_context(failed)?.into_os_string();
        path.push(".lock");
        let path = std::path::PathBuf::from(path);
        let mut options = OpenOptions::new();
        // Links are not followed: whoever plants one does not choose which file is made.
        options.read(true).write(true).create(true).custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
        loop {
            let mut file = options.open(&path).with_context(failed)?;
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::INTR) => continue,
                Err(Errno::WOULDBLOCK) => {
                    let mut process = String::new();
                    let _ = file.read_to_string(&mut process);
                    let checkpoint = checkpoint.display();
                    bail!(
                        "another process, {}, works on the checkpoint `{checkpoint}`\nhint: end it first, or name another checkpoint",
                        process.trim()
                    );
                }
                // Some file systems have no locks: then there is nobody to ask.
                Ok(()) | Err(_) => {}
            }
            // Whoever had it before may have removed the file that was just locked.
            let named = path.symlink_metadata().map(|named| (named.dev(), named.ino())).ok();
            let own = file.metadata().with_context(failed)?;
            if named == Some((own.dev(), own.ino())) {
                // For the message above; the lock does not need it.
                let _ = file.set_len(0).and_then(|()| write!(file, "{}", std::process::id()));
                return Ok(Lock { path, _file: file });
            }
        }
    }
}

#[cfg(unix)]
impl Drop for Lock {
    fn drop(&mut self) {
        // While it is still locked, so that nobody else's is removed.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Where there are no such locks, everybody may.
#[cfg(not(unix))]
pub(crate) struct Lock;

#[cfg(not(unix))]
impl Lock {
    #[allow(clippy::unnecessary_wraps)] // as on Unix
    pub(crate) fn take(_: &Path) -> anyhow::Result<Lock> {
        Ok(Lock)
    }
}
