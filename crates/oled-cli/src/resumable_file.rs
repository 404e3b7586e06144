//! A resumable file: one that is written to as a run goes on, and cut where a checkpoint left it when the run is resumed.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use oled_data::Digest;

/// A file that is written to as a run goes on.
pub(crate) struct ResumableFile {
    path: PathBuf,
    output: BufWriter<File>,
    /// What was written so far.
    written: Digest,
    /// A device or a pipe is written to, and can neither be cut nor be brought to disk.
    is_file: bool,
    /// Whether what the file had before was cut off: not until there is something to be written.
    begun: bool,
}

impl ResumableFile {
    /// A new file, or one that has this in it since a checkpoint was written. A file that has something else is not touched.
    pub(crate) fn open(path: &Path, written: Option<Digest>) -> anyhow::Result<ResumableFile> {
        let failed = || format!("cannot write `{}`", path.display());
        let mut options = OpenOptions::new();
        options.write(true);
        match &written {
            None => options.create(true).truncate(false),
            Some(_) => options.read(path.is_file()),
        };
        let mut file = match options.open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound && written.is_some() => {
                bail!(
                    "`{}` is not there, and the checkpoint goes on with it\nhint: bring it back, or start anew with another checkpoint",
                    path.display()
                );
            }
            file => file.with_context(failed)?,
        };
        let is_file = file.metadata().with_context(failed)?.is_file();
        if let (Some(written), true) = (&written, is_file)
            && !starts_with(&mut file, written).with_context(failed)?
        {
            bail!(
                "`{}` does not begin with what was written to it before the checkpoint, and is left as it is\nhint: bring back the one that was written, or start anew with another checkpoint",
                path.display()
            );
        }
        let (path, output) = (path.to_path_buf(), BufWriter::new(file));
        Ok(ResumableFile { path, output, written: written.unwrap_or_default(), is_file, begun: false })
    }

    /// Cuts off what is to be written anew.
    fn begin(&mut self) -> io::Result<()> {
        if self.is_file && !self.begun {
            let file = self.output.get_mut();
            file.set_len(self.written.length())?;
            file.seek(SeekFrom::End(0))?;
        }
        self.begun = true;
        Ok(())
    }

    /// Brings all to disk; returns what there is.
    pub(crate) fn sync(&mut self) -> anyhow::Result<Digest> {
        let is_file = self.is_file;
        let to_disk = |file: &File| if is_file { file.sync_data() } else { Ok(()) };
        let synced = self.flush().and_then(|()| to_disk(self.output.get_ref()));
        synced.map_err(|error| self.failed(error))?;
        Ok(self.written.clone())
    }

    /// What went wrong while it was written to.
    pub(crate) fn failed(&self, error: io::Error) -> anyhow::Error {
        anyhow::Error::new(error).context(format!("cannot write `{}`", self.path.display()))
    }
}

/// Whether the first bytes of a file are those that were written.
fn starts_with(file: &mut File, written: &Digest) -> io::Result<bool> {
    let mut there = Digest::default();
    io::copy(&mut file.take(written.length()), &mut there)?;
    Ok(there == *written)
}

impl Write for ResumableFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begin()?;
        let count = self.output.write(bytes)?;
        self.written.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.begin()?;
        self.output.flush()
    }
}
