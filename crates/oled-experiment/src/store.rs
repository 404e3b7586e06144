//! Store: finished parts of an experiment on disk, so that one that was stopped goes on with what is missing.
//!
//! A line of JSON each: a key, which stands for everything that the part depends on, and what came out. Lines are only
//! ever added. One that was cut short by a crash is left out when the file is opened, and its part is done again.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Error;

/// Finished parts, in memory or also on disk.
#[derive(Debug, Default)]
pub struct Store {
    path: PathBuf,
    file: Option<Mutex<File>>,
    known: Mutex<IndexMap<String, Value, FxBuildHasher>>,
}

#[derive(Serialize, Deserialize)]
struct Line {
    key: String,
    value: Value,
}

impl Store {
    /// A store that forgets everything in the end.
    pub fn in_memory() -> Store {
        Store::default()
    }

    /// A store in a file, with what the file has.
    pub fn open(path: &Path) -> Result<Store, Error> {
        let failed = |error| Error::Store { path: path.to_path_buf(), error };
        let mut options = OpenOptions::new();
        let mut file = options.read(true).append(true).create(true).open(path).map_err(failed)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let mut known = IndexMap::default();
        let mut good = 0;
        for line in bytes.split_inclusive(|b| *b == b'\n') {
            match serde_json::from_slice::<Line>(line) {
                Ok(Line { key, value }) if line.ends_with(b"\n") => {
                    known.insert(key, value);
                    good += line.len();
                }
                _ => break,
            }
        }
        // What follows a broken line was never promised to anybody; new lines must not be glued to it.
        if good < bytes.len() {
            file.set_len(good as u64).map_err(failed)?;
            file.seek(SeekFrom::End(0)).map_err(failed)?;
        }
        Ok(Store { path: path.to_path_buf(), file: Some(Mutex::new(file)), known: Mutex::new(known) })
    }

    /// All that is known, as lines.
    pub fn lines(&self) -> Result<Vec<String>, Error> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let line = |(key, value): (&String, &Value)| {
            let line = Line { key: key.clone(), value: value.clone() };
            serde_json::to_string(&line).map_err(|error| Error::Store { path: self.path.clone(), error: error.into() })
        };
        known.iter().map(line).collect()
    }

    /// Keeps a line of another store, unless it is known.
    pub fn add(&self, line: &str) -> Result<(), Error> {
        let line = serde_json::from_str(line);
        let Line { key, value } =
            line.map_err(|error| Error::Store { path: self.path.clone(), error: error.into() })?;
        if self.get::<Value>(&key).is_some() { Ok(()) } else { self.put(&key, &value) }
    }

    /// What is known of a part.
    pub(crate) fn get<T: for<'a> Deserialize<'a>>(&self, key: &str) -> Option<T> {
        T::deserialize(self.known.lock().unwrap_or_else(PoisonError::into_inner).get(key)?).ok()
    }

    /// Keeps what came out of a part: where there is a file, it is on disk when this returns.
    pub(crate) fn put<T: Serialize>(&self, key: &str, value: &T) -> Result<(), Error> {
        let failed = |error| Error::Store { path: self.path.clone(), error };
        let value = serde_json::to_value(value).map_err(|e| failed(e.into()))?;
        let line = Line { key: key.into(), value };
        if let Some(file) = &self.file {
            let mut text = serde_json::to_vec(&line).map_err(|e| failed(e.into()))?;
            text.push(b'\n');
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            file.write_all(&text).and_then(|()| file.sync_data()).map_err(failed)?;
        }
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(line.key, line.value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_cut_short_is_done_again_and_nothing_else_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.jsonl");
        let store = Store::open(&path).unwrap();
        for i in 0..3 {
            store.put(&format!("part{i}"), &i).unwrap();
        }
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let store = Store::open(&path).unwrap();
            let lines = whole[..cut].split(|b| *b == b'\n').count() - 1;
            let known = |store: &Store| (0..3).filter(|i| store.get::<i32>(&format!("part{i}")) == Some(*i)).count();
            assert_eq!(known(&store), lines);
            store.put("part2", &2).unwrap();
            let store = Store::open(&path).unwrap();
            assert_eq!(store.get::<i32>("part2"), Some(2));
            assert_eq!(known(&store), (lines + 1).min(3));
        }
    }
}
