//! Output: standard output, or a file that appears under its name only when it is complete; and how numbers are written.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use anyhow::bail;
use oled_data::Replacement;

/// A number with what it counts: `1 rule`, `2 rules`.
pub(crate) fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Standard output, or a file that appears under its name only when it is complete.
pub(crate) struct Output<'a> {
    path: &'a Path,
    kind: Kind,
}

enum Kind {
    Standard,
    /// It is removed unless it is kept.
    File(Replacement),
    /// A device or a pipe, which is written to and never replaced.
    Special(File),
}

impl<'a> Output<'a> {
    pub(crate) fn create(path: &'a Path) -> anyhow::Result<Output<'a>> {
        let kind = if path == Path::new("-") {
            Ok(Kind::Standard)
        } else if is_special(path) {
            File::create(path).map(Kind::Special)
        } else {
            Replacement::create(path).map(Kind::File)
        };
        kind.map(|kind| Output { path, kind }).map_err(|error| failed(path, error))
    }

    /// Tells of a path that cannot be written to, before anything is done for it.
    pub(crate) fn check(path: &Path) -> anyhow::Result<()> {
        if path.is_dir() {
            bail!("cannot write `{}`: it is a folder\nhint: name a file in it", path.display());
        }
        // A pipe may wait for whoever reads it.
        if !is_special(path) {
            Output::create(path)?;
        }
        Ok(())
    }

    pub(crate) fn writer(&self) -> anyhow::Result<Box<dyn Write>> {
        let writer: io::Result<Box<dyn Write>> = match &self.kind {
            Kind::Standard => Ok(Box::new(io::stdout().lock())),
            Kind::File(file) => file.writer().map(|file| Box::new(file) as Box<dyn Write>),
            Kind::Special(file) => file.try_clone().map(|file| Box::new(file) as Box<dyn Write>),
        };
        writer.map_err(|error| self.failed(error))
    }

    /// What went wrong while it was written to.
    pub(crate) fn failed(&self, error: io::Error) -> anyhow::Error {
        match self.kind {
            Kind::Standard => error.into(),
            Kind::File(_) | Kind::Special(_) => failed(self.path, error),
        }
    }

    pub(crate) fn keep(self) -> anyhow::Result<()> {
        match self.kind {
            Kind::File(file) => file.keep().map_err(|error| failed(self.path, error)),
            Kind::Standard | Kind::Special(_) => Ok(()),
        }
    }
}

fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file())
}

fn failed(path: &Path, error: io::Error) -> anyhow::Error {
    anyhow::Error::new(error).context(format!("cannot write `{}`", path.display()))
}

/// Writes a whole file, or to standard output.
pub(crate) fn write_file(path: &Path, text: &str) -> anyhow::Result<()> {
    let output = Output::create(path)?;
    output.writer()?.write_all(text.as_bytes()).map_err(|error| output.failed(error))?;
    output.keep()
}
