//! Output: standard output, or a file that appears under its name only when it is complete; and how numbers are written.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// A number with what it counts: `1 rule`, `2 rules`.
pub(crate) fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Standard output, or a file that appears under its name only when it is complete.
pub(crate) enum Output<'a> {
    Standard,
    File(PartialFile<'a>),
}

/// A file under another name, which is removed unless it is kept.
pub(crate) struct PartialFile<'a> {
    pub(crate) path: &'a Path,
    /// `None` where the name is that of a device or a pipe, which is written to and never replaced.
    partial: Option<PathBuf>,
}

impl<'a> Output<'a> {
    pub(crate) fn create(path: &'a Path) -> anyhow::Result<Output<'a>> {
        if path == Path::new("-") {
            return Ok(Output::Standard);
        }
        let Some(name) = path.file_name() else { bail!("`{}` is not the name of a file", path.display()) };
        let is_special = path.metadata().is_ok_and(|m| !m.is_file());
        let partial = (!is_special).then(|| path.with_file_name(format!(".{}.partial", name.to_string_lossy())));
        Ok(Output::File(PartialFile { path, partial }))
    }

    pub(crate) fn open(&self) -> anyhow::Result<Box<dyn Write>> {
        let Output::File(PartialFile { path, partial }) = self else { return Ok(Box::new(std::io::stdout().lock())) };
        let file = File::create(partial.as_deref().unwrap_or(path))
            .with_context(|| format!("cannot write `{}`", path.display()))?;
        Ok(Box::new(file))
    }

    /// What went wrong while it was written to.
    pub(crate) fn failed(&self, error: std::io::Error) -> anyhow::Error {
        match self {
            Output::Standard => error.into(),
            Output::File(file) => anyhow::Error::new(error).context(format!("cannot write `{}`", file.path.display())),
        }
    }

    pub(crate) fn keep(&self) -> anyhow::Result<()> {
        if let Output::File(PartialFile { path, partial: Some(partial) }) = self {
            std::fs::rename(partial, path).with_context(|| format!("cannot write `{}`", path.display()))?;
        }
        Ok(())
    }
}

/// Writes a whole file, or to standard output.
pub(crate) fn write_file(path: &Path, text: &str) -> anyhow::Result<()> {
    let output = Output::create(path)?;
    output.open()?.write_all(text.as_bytes()).map_err(|error| output.failed(error))?;
    output.keep()
}

impl Drop for PartialFile<'_> {
    fn drop(&mut self) {
        // Where it was kept there is nothing left to remove.
        if let Some(partial) = &self.partial {
            let _ = std::fs::remove_file(partial);
        }
    }
}
