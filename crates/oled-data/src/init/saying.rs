//! Saying: what columns of a table say, under the name that rules have for it.

use oled::{Symbol, Value};

use super::names::name_of;
use super::survey::{Said, Surveyed};

/// What is behind the name of an interval in those of its edges.
pub(super) const STARTS: &str = "_starts";
pub(super) const ENDS: &str = "_ends";

/// An atom with these arguments, each with a comma behind it or not.
pub(super) fn called(name: &str, args: &str) -> String {
    match args.trim_end_matches(", ") {
        "" => name.into(),
        args => format!("{name}({args})"),
    }
}

/// A column that says something, or that there is a row, under the name that rules have for it.
pub(super) struct Saying<'s> {
    pub(super) table: &'s Surveyed,
    pub(super) columns: &'s [usize],
    pub(super) said: Said,
    /// The cell under which its rows say it, and the column of that, where others say other things.
    pub(super) under: Option<&'s (usize, String)>,
    /// Of an event, the column whose names replace each other.
    pub(super) replaced: Option<usize>,
    /// Of an event, names that take turns.
    pub(super) turns: &'s [[String; 2]],
    pub(super) name: String,
    /// Of an event in a table of intervals: whether it is their end.
    pub(super) edge: Option<Edge>,
}

/// Where an event is in the interval of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    Start,
    End,
}

impl Saying<'_> {
    /// The types of those that it is about.
    pub(super) fn types(&self) -> Vec<String> {
        self.table.keys.iter().map(|(_, own)| name_of(own)).collect()
    }

    /// The types of what it says: one for each column.
    pub(super) fn value_types(&self) -> Vec<String> {
        let own = self.interval();
        match self.columns {
            [_] => vec![format!("{own}_value")],
            columns => {
                let name = |column: &usize| name_of(&self.table.profile.columns[*column].name);
                columns.iter().map(|column| format!("{own}_{}_value", name(column))).collect()
            }
        }
    }

    /// The name of the interval that it is an edge of; its own, where it is none.
    pub(super) fn interval(&self) -> &str {
        let edge = match self.edge {
            Some(Edge::Start) => STARTS,
            Some(Edge::End) => ENDS,
            None => "",
        };
        self.name.strip_suffix(edge).unwrap_or(&self.name)
    }

    /// Places for these, with a mark before each.
    pub(super) fn value_marks(&self, mark: char) -> String {
        self.value_types().iter().map(|own| format!("{mark}{own}")).collect::<Vec<_>>().join(", ")
    }

    /// The same with a mark that says which of them replace each other: the state of a thing that others name, or all of them.
    pub(super) fn replaced_marks(&self) -> String {
        let mark = |column: &usize| if self.replaced.is_none_or(|replaced| replaced == *column) { '-' } else { '+' };
        let marked = self.columns.iter().zip(self.value_types()).map(|(column, own)| format!("{}{own}", mark(column)));
        marked.collect::<Vec<_>>().join(", ")
    }

    /// Variables for these: `K`, or `K1, K2`.
    pub(super) fn value_names(&self) -> String {
        match self.columns.len() {
            0 => String::new(),
            1 => "K".into(),
            many => (1..=many).map(|number| format!("K{number}")).collect::<Vec<_>>().join(", "),
        }
    }

    /// Whom it is about, with something behind: `X, ` or nothing.
    pub(super) fn subjects(&self) -> String {
        ["X, ", "Y, ", "Z, "][..self.table.keys.len().min(3)].concat()
    }

    /// The markers of those: `+machine, `.
    pub(super) fn markers(&self) -> String {
        self.types().iter().fold(String::new(), |text, own| text + "+" + own + ", ")
    }

    /// The fact as the stream has it.
    pub(super) fn atom(&self, value: &str) -> String {
        let subjects = self.subjects();
        match self.said {
            Said::Event => format!("happensAt({}, T)", called(&self.name, &(subjects + value))),
            _ => format!("{}({subjects}{value}, T)", self.name),
        }
    }

    /// The fact with columns in place of values, as `task.toml` has it.
    pub(super) fn template(&self) -> String {
        let columns = &self.table.profile.columns;
        let keys = self.table.keys.iter().map(|(key, _)| key).chain(self.columns);
        let args: Vec<String> = keys.map(|key| Value::Sym(Symbol::new(&columns[*key].name)).to_string()).collect();
        let fact = called(&self.name, &args.join(", "));
        let fact = if self.said == Said::Event { format!("happensAt({fact})") } else { fact };
        match self.under {
            Some((kinds, cell)) => format!("{fact} if {} = {cell}", columns[*kinds].name),
            None => fact,
        }
    }

    /// The same with anything said of anybody.
    pub(super) fn anything(&self) -> String {
        let values = vec!["_"; self.table.keys.len() + self.columns.len()].join(", ");
        match self.said {
            Said::Event => format!("happensAt({}, T)", called(&self.name, &values)),
            _ => format!("{}({values}, T)", self.name),
        }
    }

    /// Whether there is news of it about everybody at each time point.
    pub(super) fn is_steady(&self) -> bool {
        self.under.is_none() && self.table.is_steady(self.columns)
    }

    /// What it is called in the table.
    pub(super) fn title(&self) -> &str {
        self.under.map_or(&self.table.profile.columns[self.columns[0]].name, |(_, cell)| cell)
    }

    pub(super) fn is_whole(&self) -> bool {
        self.table.profile.columns[self.columns[0]].is_whole()
    }
}
