//! Replacing a file as a whole: it is written under another name, and takes the place of the old one when it is complete.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A file that is not there yet, and is removed unless it is kept.
///
/// Where the name is that of a link, the file that it points to is replaced. What is replaced keeps its mode. Nobody else
/// chooses what is written to: the file is always a new one, under a name that nobody had.
///
/// ```
/// use std::io::Write;
/// let folder = std::env::temp_dir().join(format!("oled-replacement-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// let path = folder.join("theory.lp");
/// let mut file = oled_data::Replacement::create(&path)?;
/// file.write_all(b"initiatedAt(lit(X), T) :- happensAt(on(X), T).\n")?;
/// assert!(!path.exists());
/// file.keep()?;
/// assert!(path.exists());
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Replacement {
    target: PathBuf,
    temporary: PathBuf,
    file: File,
}

/// So many names are tried. One is enough, unless somebody plants files under the names to come.
const NAMES: usize = 100;

impl Replacement {
    /// A new file beside the one that it will replace.
    pub fn create(path: &Path) -> io::Result<Replacement> {
        let target = behind_links(path)?;
        let Some(name) = target.file_name() else {
            return Err(io::Error::new(ErrorKind::InvalidInput, "it is not the name of a file"));
        };
        let mut options = OpenOptions::new();
        // Only where there is no such name, not even that of a link.
        options.write(true).create_new(true);
        let mode = mode_of(&target);
        #[cfg(unix)]
        if let Some(mode) = mode {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(mode);
        }
        for number in 0..NAMES {
            let mut hidden = OsString::from(".");
            hidden.push(name);
            hidden.push(format!(".{}.{number}.partial", std::process::id()));
            let temporary = target.with_file_name(hidden);
            match options.open(&temporary) {
                Ok(file) => {
                    let replacement = Replacement { target, temporary, file };
                    replacement.set_mode(mode)?;
                    return Ok(replacement);
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::new(ErrorKind::AlreadyExists, "all names for what is not complete yet are taken"))
    }

    /// A new file has no bits that the user's mask forbids; one that takes the place of another has them all the same.
    #[cfg(unix)]
    fn set_mode(&self, mode: Option<u32>) -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        mode.map_or(Ok(()), |mode| self.file.set_permissions(fs::Permissions::from_mode(mode)))
    }

    #[cfg(not(unix))]
    #[allow(clippy::unused_self, clippy::unnecessary_wraps)] // as on Unix
    fn set_mode(&self, _: Option<u32>) -> io::Result<()> {
        Ok(())
    }

    /// The file that is replaced.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Another hand on the file, for who wants to own it.
    pub fn writer(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Brings everything to disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// Puts the file in its place, when it is on disk.
    pub fn keep(self) -> io::Result<()> {
        self.sync()?;
        fs::rename(&self.temporary, &self.target)
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // Where it was kept there is nothing left to remove.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Who may read and write a file that is there, where there are such modes.
#[cfg(unix)]
fn mode_of(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    fs::symlink_metadata(path).ok().map(|metadata| metadata.permissions().mode() & 0o777)
}

#[cfg(not(unix))]
fn mode_of(_: &Path) -> Option<u32> {
    None
}

/// What a name stands for in the end: that of a link for what the link points to, whether that is there or not.
pub fn behind_links(path: &Path) -> io::Result<PathBuf> {
    /// As many as Linux follows.
    const MOST: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..MOST {
        match fs::read_link(&path) {
            Ok(link) => path = path.parent().unwrap_or(Path::new("")).join(link),
            // It is no link, or not there.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("it is a link that leads to no end"))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn replace(path: &Path, text: &str) -> io::Result<()> {
        let mut file = Replacement::create(path)?;
        file.write_all(text.as_bytes())?;
        file.keep()
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_link_planted_under_the_temporary_name_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, victim) = (folder.path().join("t.lp"), folder.path().join("victim"));
        fs::write(&victim, "precious").unwrap();
        for number in 0..3 {
            let planted = format!(".t.lp.{}.{number}.partial", std::process::id());
            symlink(&victim, folder.path().join(planted)).unwrap();
        }
        replace(&path, "rules").unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        assert_eq!(fs::read_to_string(&path).unwrap(), "rules");
        assert!(!fs::symlink_metadata(&path).unwrap().is_symlink());
    }

    #[test]
    fn the_mode_of_a_replaced_file_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.lp");
        for wanted in [0o600, 0o666, 0o440] {
            fs::write(&path, "before").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).unwrap();
            replace(&path, "after").unwrap();
            assert_eq!((fs::read_to_string(&path).unwrap().as_str(), mode(&path)), ("after", wanted));
            fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn a_link_is_written_through_to_its_target() {
        let folder = tempfile::tempdir().unwrap();
        let (disk, link) = (folder.path().join("disk"), folder.path().join("link"));
        fs::create_dir(&disk).unwrap();
        // By way of another link, and to a file that is not there yet.
        symlink("other", &link).unwrap();
        symlink("disk/t.lp", folder.path().join("other")).unwrap();
        for text in ["first", "second"] {
            replace(&link, text).unwrap();
            assert_eq!(fs::read_to_string(disk.join("t.lp")).unwrap(), text);
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        }
        assert_eq!(fs::read_dir(&disk).unwrap().count(), 1, "nothing is left behind");
        fs::remove_file(folder.path().join("other")).unwrap();
        symlink("link", folder.path().join("other")).unwrap();
        assert!(replace(&link, "third").unwrap_err().to_string().contains("leads to no end"));
    }
}
