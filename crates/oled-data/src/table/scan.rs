//! Scanning: all rows of a table, for whoever wants to know its columns and not its facts.

use std::fs::File;
use std::path::Path;

use super::cells::keys;
use super::{Cells, Row, delimiter};
use crate::error::{DataError, Problem, ProblemKind};
use crate::format::Format;
use crate::lines::LineReader;
use crate::reader::decompressed;

/// Calls a function with each row of a table; returns the names of its columns.
pub(crate) fn scan(
    path: &Path,
    mut each: impl FnMut(&[String], Row<'_>) -> Result<(), Problem>,
) -> Result<Vec<String>, DataError> {
    if Format::guess(path) == Some(Format::Parquet) {
        return super::parquet::scan(path, each);
    }
    // Objects may have keys that the first one does not have.
    let mut names: Option<Vec<String>> = None;
    if let Some(objects) = object_keys(path)? {
        names = Some(objects);
    }
    let objects = names.is_some();
    let mut cells = Cells::new(b',');
    let mut pending = String::new();
    for_each_line(path, |text| {
        if !objects && names.is_none() {
            cells = Cells::new(delimiter(text));
            let row = cells.split(text)?.ok_or_else(|| Problem::truncated(text.len()))?;
            names = Some(row.texts());
            return Ok(());
        }
        let names = names.as_deref().unwrap_or_default();
        if objects {
            return each(names, cells.object(text, names)?);
        }
        // A quoted cell may go on in the next line.
        let whole = if pending.is_empty() { text.to_string() } else { format!("{pending}\n{text}") };
        match cells.split(&whole)? {
            Some(row) => {
                pending.clear();
                each(names, row)
            }
            None => {
                pending = whole;
                Ok(())
            }
        }
    })?;
    names.ok_or_else(|| {
        let name = path.display().to_string();
        Problem::new(ProblemKind::Missing, 0, format!("`{name}` is empty"))
            .hint("a table has a line with the names of its columns, then rows")
            .of(name)
    })
}

/// The keys of all objects, where lines are objects.
fn object_keys(path: &Path) -> Result<Option<Vec<String>>, DataError> {
    let mut names: Vec<String> = Vec::new();
    let mut objects = None;
    for_each_line(path, |text| {
        if !*objects.get_or_insert(text.starts_with('{')) {
            return Ok(());
        }
        for key in keys(text)? {
            if !names.contains(&key) {
                names.push(key);
            }
        }
        Ok(())
    })?;
    Ok((objects == Some(true)).then_some(names))
}

fn for_each_line(path: &Path, mut each: impl FnMut(&str) -> Result<(), Problem>) -> Result<(), DataError> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| DataError::io("open", &name, &error))?;
    let input = decompressed(&name, file).map_err(|error| DataError::io("read", &name, &error))?;
    let mut lines = LineReader::new(input);
    loop {
        let line = match lines.next_line() {
            Ok(Some(line)) => line,
            Ok(None) => match lines.last_line() {
                Some(line) => line,
                None => return Ok(()),
            },
            Err(error) => return Err(DataError::io("read", &name, &error)),
        };
        let mut take = || {
            let text = std::str::from_utf8(line.bytes).map_err(|error| {
                Problem::new(ProblemKind::Syntax, error.valid_up_to(), "the line is not UTF-8 text")
                    .hint("convert the table to UTF-8, or decompress it")
            })?;
            let text = text.strip_suffix('\r').unwrap_or(text);
            if text.trim_ascii().is_empty() { Ok(()) } else { each(text) }
        };
        take().map_err(|problem: Problem| problem.locate(&name, line.number, line.bytes))?;
    }
}
