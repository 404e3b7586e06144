//! Output: standard output, or a file that appears under its name only when it is complete.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// Standard output, or a file that appears under its name only when it is complete.
pub(crate) enum Output<'a> {
    Standard,
    File(PartialFile<'a>),
}

/// A file under another name, which is removed unless it is kept.
pub(crate) struct PartialFile<'a> {
    pub(crate) path: &'a Path,
    partial: PathBuf,
}

impl<'a> Output<'a> {
    pub(crate) fn create(path: &'a Path) -> anyhow::Result<Output<'a>> {
        if path == Path::new("-") {
            return Ok(Output::Standard);
        }
        let Some(name) = path.file_name() else { bail!("`{}` is not the name of a file", path.display()) };
        let partial = path.with_file_name(format!(".{}.partial", name.to_string_lossy()));
        Ok(Output::File(PartialFile { path, partial }))
    }

    pub(crate) fn open(&self) -> anyhow::Result<Box<dyn Write>> {
        let Output::File(PartialFile { path, partial }) = self else { return Ok(Box::new(std::io::stdout().lock())) };
        let file = File::create(partial).with_context(|| format!("cannot write `{}`", path.display()))?;
        Ok(Box::new(file))
    }

    pub(crate) fn keep(&self) -> anyhow::Result<()> {
        if let Output::File(PartialFile { path, partial }) = self {
            std::fs::rename(partial, path).with_context(|| format!("cannot write `{}`", path.display()))?;
        }
        Ok(())
    }
}

impl Drop for PartialFile<'_> {
    fn drop(&mut self) {
        // Where it was kept there is nothing left to remove.
        let _ = std::fs::remove_file(&self.partial);
    }
}
