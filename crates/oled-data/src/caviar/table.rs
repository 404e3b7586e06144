//! Tables: small files of comma-separated values with a header and without quotes.

use std::fs;
use std::path::Path;
use std::str::FromStr;

use crate::error::{DataError, Problem, ProblemKind};

/// A file in memory.
pub(super) struct Table {
    shown: String,
    text: String,
}

/// A line of a table.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    table: &'a Table,
    /// Where the line starts.
    at: usize,
    text: &'a str,
}

impl Table {
    pub(super) fn read(path: &Path) -> Result<Table, DataError> {
        let shown = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|e| DataError::io("read", &shown, &e))?;
        Ok(Table { shown, text })
    }

    pub(super) fn read_if_there(path: &Path) -> Result<Option<Table>, DataError> {
        if path.is_file() { Table::read(path).map(Some) } else { Ok(None) }
    }

    /// All lines but the header and empty ones.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let mut at = 0;
        self.text
            .split_inclusive('\n')
            .map(move |line| {
                let row = Row { table: self, at, text: line.trim_end() };
                at += line.len();
                row
            })
            .skip(1)
            .filter(|row| !row.text.is_empty())
    }

    /// Whether the header has this column.
    pub(super) fn has(&self, column: &str) -> bool {
        self.header().any(|c| c == column)
    }

    fn header(&self) -> impl Iterator<Item = &str> {
        self.text.lines().next().unwrap_or("").trim_end().split(',')
    }
}

impl<'a> Row<'a> {
    /// The field in a column.
    pub(super) fn text(self, column: &str) -> Result<&'a str, DataError> {
        self.field(column).map(|(_, field)| field)
    }

    /// The number in a column.
    pub(super) fn number<N: FromStr>(self, column: &str) -> Result<N, DataError> {
        let (at, field) = self.field(column)?;
        field.parse().map_err(|_| {
            let message = format!("`{field}` is not a number for the column `{column}`");
            self.problem(ProblemKind::BadNumber, at, message)
        })
    }

    fn field(self, column: &str) -> Result<(usize, &'a str), DataError> {
        let Some(index) = self.table.header().position(|c| c == column) else {
            let message = format!("the table has no column `{column}`");
            return Err(Problem::new(ProblemKind::Missing, 0, message).locate(
                &self.table.shown,
                1,
                self.table.text.as_bytes(),
            ));
        };
        let field = self.text.split(',').nth(index).filter(|field| !field.is_empty());
        field.map(|field| (field.as_ptr() as usize - self.text.as_ptr() as usize, field)).ok_or_else(|| {
            let message = format!("the row has nothing in the column `{column}`");
            self.problem(ProblemKind::Missing, self.text.len(), message)
        })
    }

    fn problem(self, kind: ProblemKind, at: usize, message: String) -> DataError {
        Problem::new(kind, self.at + at, message).locate(&self.table.shown, 1, self.table.text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Table {
        Table { shown: "t.csv".into(), text: text.into() }
    }

    #[test]
    fn fields_are_found_by_the_name_of_their_column() {
        let table = table("a,b\r\n1,x\r\n\r\n2,y\r\n");
        let rows: Vec<(i64, &str)> = table.rows().map(|r| (r.number("a").unwrap(), r.text("b").unwrap())).collect();
        assert_eq!(rows, [(1, "x"), (2, "y")]);
        assert!(table.has("a") && !table.has("c"));
    }

    #[test]
    fn what_is_missing_or_no_number_is_shown_with_its_place() {
        let table = table("a,b\n1,x\n2\n");
        let rows: Vec<Row<'_>> = table.rows().collect();
        assert_eq!(
            rows[1].text("b").unwrap_err().to_string(),
            "the row has nothing in the column `b`\n --> t.csv:3:2\n  |\n3 | 2\n  |  ^"
        );
        assert_eq!(
            rows[0].number::<i64>("b").unwrap_err().to_string(),
            "`x` is not a number for the column `b`\n --> t.csv:2:3\n  |\n2 | 1,x\n  |   ^"
        );
        assert_eq!(
            rows[0].text("c").unwrap_err().to_string(),
            "the table has no column `c`\n --> t.csv:1:1\n  |\n1 | a,b\n  | ^"
        );
    }
}
