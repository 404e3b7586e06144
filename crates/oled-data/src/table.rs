//! Tables: rows with columns, and what `[[table]]` in `task.toml` makes of them: facts, events and labels.
//!
//! ```toml
//! [[table]]
//! time = "time"
//! segment = "machine"
//! facts = ["temp(machine, celsius)", "happensAt(error(machine, code)) if code"]
//! ```
//!
//! A fact is written as in rules, without its time, with columns for its arguments.

#[cfg(feature = "arrow")]
mod batches;
mod cells;
mod columns;
mod marks;
mod numbers;
mod open;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "table/no_parquet.rs"]
mod parquet;
mod plain;
mod rows;
mod runs;
mod scan;
mod slots;
#[cfg(feature = "arrow")]
mod texts;
#[cfg(feature = "arrow")]
mod typed;
mod write;

use std::ops::Range;
use std::sync::Arc;

use indexmap::IndexSet;
use oled::lang::{ec, nearest_path};
use oled::{Atom, Diagnostic, Signature, Source, Span, Symbol, Term, Value};
use serde::Deserialize;
use toml::Spanned;

#[cfg(feature = "arrow")]
pub(crate) use batches::{ArrowReader, BatchReader, Slices, scan_batches};
pub(crate) use cells::{Cells, Row, delimiter, keys};
pub(crate) use columns::{Columns, truth};
pub(crate) use open::SETTLED;
pub(crate) use parquet::{ParquetReader, RowGroups};
pub(crate) use rows::TableReader;
pub(crate) use runs::Runs;
pub(crate) use scan::scan;
pub(crate) use slots::{is_code, number, value_of};
#[cfg(feature = "arrow")]
pub(crate) use texts::{Cell, text_of};
pub use write::TableWriter;

use crate::grid::Grid;
use crate::times::Times;

/// Cells that say nothing, where a table does not list them itself.
pub const MISSING: [&str; 9] = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "-"];

/// The tables of a task: what their columns mean, and how times are written in them.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// In the order in which they are declared.
    pub(crate) declared: Vec<Table>,
    /// How times are written.
    pub times: Times,
    /// How the rows of a table become several segments.
    pub(crate) cut: Option<Cut>,
    /// How times are put on a grid, and numbers and states repeated.
    pub(crate) grid: Grid,
    /// Predicates of which one row at a time is true, with the columns that say of what.
    pub(crate) states: Vec<(Signature, Vec<usize>)>,
    /// How many time units labels may come later than their frames, where a stream is followed.
    pub delay: Option<i64>,
    /// Which column of the labels has the segment, if not the one of that name.
    pub(crate) labels_segment: Option<String>,
    /// Which columns of the labels are arguments, if not all that are nothing else.
    pub(crate) labels_arguments: Option<Vec<String>>,
}

/// Where one segment ends and the next begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// After so many time units without a row.
    Gap(i64),
    /// Every so many time units, on the clock: at midnight, at each full hour.
    Every(i64),
}

/// What the columns of a table mean.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) name: Option<String>,
    pub(crate) time: String,
    /// The column of the time of day, where that of the time has the day only.
    pub(crate) time_of_day: Option<String>,
    pub(crate) segment: Option<String>,
    pub(crate) facts: Vec<Template>,
    pub(crate) missing: Vec<String>,
    /// Whether numbers have a decimal comma.
    pub(crate) comma: bool,
    /// Where rows are intervals: what happens at their ends, as a table whose time is that of the end.
    pub(crate) ends: Option<Box<Table>>,
}

/// A fact with columns in place of values.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    /// What it is; with names of a column, the one of [`NAMED`].
    pub(crate) signature: Signature,
    /// The column whose cells are the name of the fact or the event.
    pub(crate) named: Option<String>,
    /// Its arguments.
    pub(crate) args: Vec<Argument>,
    /// A column that must be true, or have this cell.
    pub(crate) when: Option<(String, Option<String>)>,
    /// Whether it is a label.
    pub(crate) label: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Column(String),
    Constant(Value),
}

/// Stands for the name that a column has, where a template is read.
const NAMED: &str = "name_of_a_column";

impl Table {
    /// The columns that a file must have.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &str> {
        let ends = self.ends.as_deref();
        let of_facts =
            self.facts.iter().chain(ends.into_iter().flat_map(|ends| &ends.facts)).flat_map(Template::columns);
        let of_day = self.time_of_day.as_deref();
        let places = [Some(self.time.as_str()), of_day, self.segment.as_deref(), ends.map(|ends| ends.time.as_str())];
        places.into_iter().flatten().chain(of_facts)
    }
}

impl Template {
    pub(crate) fn columns(&self) -> impl Iterator<Item = &str> {
        let args = self.args.iter().filter_map(|arg| match arg {
            Argument::Column(name) => Some(name.as_str()),
            Argument::Constant(_) => None,
        });
        args.chain(self.named.as_deref()).chain(self.when.as_ref().map(|(column, _)| column.as_str()))
    }

    /// Reads a fact with columns: `temp(machine, celsius)`, `happensAt({event}(machine))`, `holdsAt(open(door)) if open`,
    /// `happensAt(restart(machine)) if kind = restart`.
    fn read(text: &str, label: bool) -> Result<Template, String> {
        let (fact, when) = match text.split_once(" if ") {
            Some((fact, when)) => (fact.trim(), Some(read_condition(when)?)),
            None => (text.trim(), None),
        };
        let (fact, named) = match (fact.find('{'), fact.find('}')) {
            (Some(start), Some(end)) if start < end => {
                let column = fact[start + 1..end].trim().to_string();
                (format!("{}{NAMED}{}", &fact[..start], &fact[end + 1..]), Some(column))
            }
            _ => (fact.to_string(), None),
        };
        let atom = oled::parse_atom(&fact).map_err(|problems| {
            let first = problems.diagnostics().first().map(|problem| problem.message.clone());
            first.unwrap_or_else(|| "it is no atom".into())
        })?;
        let mut args = Vec::new();
        // An event without arguments is its own name.
        let bare = match (&atom.args[..], atom.name.as_str()) {
            ([Term::Value(Value::Sym(name))], ec::HAPPENS) => Some(*name),
            _ => None,
        };
        let (named, bare) = match (named, bare) {
            (Some(column), Some(name)) if name.as_str() == NAMED => (None, Some(Argument::Column(column))),
            (named, bare) => (named, bare.map(|name| Argument::Constant(Value::Sym(name)))),
        };
        oled::lang::for_each_hole(&atom.args, &mut |term| {
            args.push(match term {
                _ if bare.is_some() => bare.clone().expect("it is there"),
                Term::Var(name) | Term::Value(Value::Sym(name)) => Argument::Column(name.as_str().into()),
                Term::Value(number) => Argument::Constant(*number),
                other => Argument::Column(other.to_string()),
            });
        });
        // The time is none of the columns.
        let time = Term::Value(Value::Int(0));
        let timed = Atom { args: atom.args.iter().cloned().chain([time]).collect(), ..atom };
        Ok(Template { signature: Signature::of(&timed), named, args, when, label })
    }

    /// The signature with a name from its column.
    pub(crate) fn signature_of(&self, name: Symbol) -> Signature {
        let rename = |term: Term| match term {
            Term::App(own, args) if own.as_str() == NAMED => Term::App(name, args),
            term => term,
        };
        let zero = std::iter::repeat(Term::Value(Value::Int(0)));
        let atom = self.signature.fill(zero);
        let own = if atom.name.as_str() == NAMED { name } else { atom.name };
        Signature::of(&Atom { name: own, args: atom.args.into_iter().map(rename).collect(), ..atom })
    }
}

fn read_condition(text: &str) -> Result<(String, Option<String>), String> {
    let plain = |text: &str| text.trim().trim_matches(['\'', '"']).to_string();
    match text.split_once('=') {
        Some((column, cell)) => Ok((plain(column), Some(plain(cell)))),
        None if text.trim().is_empty() => Err("nothing follows `if`".into()),
        None => Ok((plain(text), None)),
    }
}

/// A table as `task.toml` has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableText {
    name: Option<String>,
    time: Spanned<String>,
    /// The column of the time of day, where that of the time has the day only.
    time_of_day: Option<String>,
    segment: Option<String>,
    #[serde(default)]
    facts: Vec<Spanned<String>>,
    /// Facts that are labels.
    #[serde(default)]
    labels: Vec<Spanned<String>>,
    /// The column of the time at which a row ends, and the facts of that time.
    end: Option<Spanned<String>>,
    #[serde(default)]
    end_facts: Vec<Spanned<String>>,
    missing: Option<Vec<String>>,
    /// What stands before the digits behind a whole number.
    decimal: Option<Spanned<String>>,
}

/// What `task.toml` says of labels in a table of their own.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LabelsText {
    /// The column that has the segment.
    pub(crate) segment: Option<String>,
    /// The columns that are arguments.
    pub(crate) arguments: Option<Vec<String>>,
    /// How long frames wait for labels, where a stream is followed: `2d`.
    pub(crate) delay: Option<Spanned<toml::Value>>,
}

impl TableText {
    /// The table, with everything that is wrong with it. `declared`: inputs, and labels.
    pub(crate) fn read(&self, manifest: &Arc<Source>, declared: [&[Signature]; 2]) -> (Table, Vec<Diagnostic>) {
        let (mut facts, mut of_ends, mut problems) = (Vec::new(), Vec::new(), Vec::new());
        let at = |range: Range<usize>| Span {
            source: Some(manifest.clone()),
            start: range.start as u32,
            end: range.end as u32,
        };
        let texts = self.facts.iter().map(|text| (text, false, false));
        let texts = texts.chain(self.labels.iter().map(|text| (text, true, false)));
        for (text, label, ends) in texts.chain(self.end_facts.iter().map(|text| (text, false, true))) {
            let template = match Template::read(text.get_ref(), label) {
                Ok(template) => template,
                Err(why) => {
                    let message = format!("`{}` is no fact with columns: {why}", text.get_ref());
                    let hint = "write it as in rules, without its time: \"temp(machine, celsius)\", \"happensAt(error(machine, code))\"";
                    problems.push(Diagnostic::new(&at(text.span()), message).hint(hint));
                    continue;
                }
            };
            let known = declared[usize::from(label)];
            if template.named.is_none() && !known.contains(&template.signature) {
                problems.push(undeclared(&template, known, &at(text.span())));
            }
            if ends { &mut of_ends } else { &mut facts }.push(template);
        }
        match (&self.end, self.end_facts.first()) {
            (Some(end), None) => problems.push(
                Diagnostic::new(&at(end.span()), "the table says nothing of the end of its rows")
                    .hint("say what happens then: end_facts = [\"happensAt(off(machine))\"]"),
            ),
            (None, Some(fact)) => problems.push(
                Diagnostic::new(&at(fact.span()), "the table does not say when its rows end")
                    .hint("name the column: end = \"until\""),
            ),
            _ => {}
        }
        if facts.is_empty() && problems.is_empty() {
            let message = "the table has no facts";
            let hint = "say what its columns are: facts = [\"temp(machine, celsius)\"]";
            problems.push(Diagnostic::new(&at(self.time.span()), message).hint(hint));
        }
        let decimal = self.decimal.as_ref().map_or(".", |decimal| decimal.get_ref());
        if let (Some(text), false) = (&self.decimal, [".", ","].contains(&decimal)) {
            let message = format!("numbers have no decimal `{decimal}`");
            problems.push(Diagnostic::new(&at(text.span()), message).hint("it is \".\", as by default, or \",\""));
        }
        let missing = self.missing.clone().unwrap_or_else(|| MISSING.map(String::from).to_vec());
        let mut table = Table {
            name: self.name.clone(),
            time: self.time.get_ref().clone(),
            time_of_day: self.time_of_day.clone(),
            segment: self.segment.clone(),
            facts,
            missing,
            comma: decimal == ",",
            ends: None,
        };
        let ends = self.end.as_ref().map(|end| Table {
            time: end.get_ref().clone(),
            time_of_day: None,
            facts: of_ends,
            ..table.clone()
        });
        table.ends = ends.map(Box::new);
        (table, problems)
    }
}

fn undeclared(template: &Template, known: &[Signature], at: &Span) -> Diagnostic {
    let signature = template.signature;
    let what = if template.label { "label" } else { "input" };
    let problem = Diagnostic::new(at, format!("no {what} `{signature}` is declared"));
    let paths: Vec<String> = known.iter().map(|known| known.path()).collect();
    let near = nearest_path(&signature.path(), paths.iter().map(String::as_str));
    let near = near.and_then(|near| known.iter().find(|known| known.path() == near && **known != signature));
    problem.hint(match near {
        Some(near) => format!("did you mean `{near}`? its last argument is the time, which a table does not write"),
        None => {
            let declaration = if template.label { "example" } else { "input" };
            format!("declare it in modes.lp with `{declaration}({}).`", signature.fill(signature.markers()))
        }
    })
}

impl Tables {
    /// The table that a file is, by the columns that it has; where several fit, by its name.
    pub(crate) fn fit(&self, header: &[String], stem: &str) -> Result<&Table, Misfit<'_>> {
        let has = |column: &str| header.iter().any(|own| own == column);
        let missing = |table: &Table| {
            // A column may be asked for several times, and is missing once.
            let columns: IndexSet<&str> = table.columns().filter(|column| !has(column)).collect();
            columns.into_iter().map(String::from).collect::<Vec<_>>()
        };
        let mut fitting: Vec<&Table> = self.declared.iter().filter(|table| missing(table).is_empty()).collect();
        if fitting.len() > 1 {
            let named = |table: &&Table| table.name.as_ref().is_some_and(|name| stem.starts_with(name.as_str()));
            if fitting.iter().any(named) {
                fitting.retain(named);
            }
            // The one that says more of the file.
            let most = fitting.iter().map(|table| table.columns().count()).max().unwrap_or(0);
            fitting.retain(|table| table.columns().count() == most);
        }
        match fitting[..] {
            [table] => Ok(table),
            [] => {
                let nearest = self.declared.iter().min_by_key(|table| missing(table).len());
                Err(Misfit::Missing(nearest.map(|table| (table, missing(table)))))
            }
            _ => Err(Misfit::Ambiguous),
        }
    }

    /// Whether rows of some table are intervals, whose ends come in an order of their own.
    pub(crate) fn has_ends(&self) -> bool {
        self.declared.iter().any(|table| table.ends.is_some())
    }

    /// Whether the columns of some table are known.
    pub(crate) fn has_columns(&self) -> bool {
        !self.declared.is_empty()
    }
}

/// Why a file is no table of the task.
pub(crate) enum Misfit<'t> {
    /// The nearest table, with the columns that the file does not have.
    Missing(Option<(&'t Table, Vec<String>)>),
    /// It could be several.
    Ambiguous,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_with_columns_are_read() {
        let shape = |text: &str| {
            let template = Template::read(text, false).unwrap();
            (template.signature.to_string(), template.columns().map(String::from).collect::<Vec<_>>())
        };
        assert_eq!(
            shape("temp(machine, 'Room Temp')"),
            ("temp(_, _, _)".into(), vec!["machine".into(), "Room Temp".into()])
        );
        assert_eq!(
            shape("happensAt(on(X)) if kind = on"),
            ("happensAt(on(_), _)".into(), vec!["X".into(), "kind".into()])
        );
        let named = Template::read("happensAt({event}(machine))", false).unwrap();
        assert_eq!(named.signature_of("login failed".into()).to_string(), "happensAt('login failed'(_), _)");
        assert!(Template::read("temp(", false).is_err());
    }
}
