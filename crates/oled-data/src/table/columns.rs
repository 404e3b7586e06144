//! Columns: the header of a file, matched with what the task says of its table; rows become facts.

use std::borrow::Cow;
use std::sync::Arc;

use indexmap::IndexMap;
use oled::calculus::unknown;
use oled::lang::{Kind, did_you_mean};
use oled::{Facts, Kinds, Signature, Symbol, Value};
use rustc_hash::FxBuildHasher;

use super::slots::{AnyRow, Missing, Slot, Taken};
use super::{Argument, Misfit, Table, Tables, Template};
use crate::error::{Problem, ProblemKind};
use crate::frame::{ANNOTATION, NARRATIVE};

/// A table in a file: which column is what.
pub(crate) struct Columns {
    names: Vec<String>,
    pub(crate) time: usize,
    /// That of the time of day, where the time has the day only.
    pub(crate) time_of_day: Option<usize>,
    pub(crate) segment: Option<usize>,
    facts: Vec<Fact>,
    /// The same, those together that come together.
    steps: Vec<Step>,
    missing: Missing,
    kinds: Arc<Kinds>,
    /// Whether numbers have a decimal comma.
    comma: bool,
    slots: Vec<Slot>,
    /// What rows say of their ends, if they have any.
    pub(crate) ends: Option<Box<Columns>>,
}

/// What a row whose cells all say something adds.
enum Step {
    /// Plain facts that follow each other, of one part of the frame: their signatures with where their values end, and the slots of all
    /// these values. They are added at once, since asking for each whether there is room took as long as reading it.
    Together { part: usize, heads: Vec<(Signature, u32)>, args: Vec<usize> },
    /// The fact of this number, which has a condition, or a name from a column.
    Alone(usize),
}

impl Step {
    fn of(facts: &[Fact]) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        for (number, fact) in facts.iter().enumerate() {
            let part = fact.part();
            match steps.last_mut() {
                _ if !fact.plain => steps.push(Step::Alone(number)),
                Some(Step::Together { part: of, heads, args }) if *of == part => {
                    args.extend(&fact.args);
                    heads.push((fact.template.signature, args.len() as u32));
                }
                _ => {
                    let heads = vec![(fact.template.signature, fact.args.len() as u32)];
                    steps.push(Step::Together { part, heads, args: fact.args.clone() });
                }
            }
        }
        steps
    }
}

/// A fact that each row may have.
struct Fact {
    template: Template,
    /// The slots of its arguments.
    args: Vec<usize>,
    named: Option<usize>,
    when: Option<(usize, Option<String>)>,
    /// A column that says that a row does not have the fact, where its cell is empty.
    blank: Option<usize>,
    /// Whether it is a fact of every row whose cells say something: it has no condition, and a name of its own.
    plain: bool,
    /// Signatures by the names that a column has.
    by_name: IndexMap<Symbol, Signature, FxBuildHasher>,
}

impl Fact {
    /// The part of the frame that it belongs to.
    fn part(&self) -> usize {
        if self.template.label { ANNOTATION } else { NARRATIVE }
    }
}

impl Columns {
    /// The columns of a file with this header; `stem` is the name of the file without its ending.
    pub(crate) fn new(header: &[String], stem: &str, tables: &Tables, kinds: &Arc<Kinds>) -> Result<Columns, Problem> {
        if let Some(twice) = header.iter().enumerate().find_map(|(i, name)| header[..i].contains(name).then_some(name))
        {
            return Err(Problem::new(ProblemKind::Format, 0, format!("two columns are called `{twice}`"))
                .hint("give each column a name of its own"));
        }
        let table = tables.fit(header, stem).map_err(|misfit| misfit_problem(&misfit, header))?;
        Ok(Columns::of(header, table, kinds))
    }

    fn of(header: &[String], table: &Table, kinds: &Arc<Kinds>) -> Columns {
        let column = |name: &str| header.iter().position(|own| own == name).expect("the table fits the file");
        let mut slots: Vec<Slot> = Vec::new();
        let mut slot = |arg: &Argument, (kind, type_name): (Kind, Symbol), always: bool| {
            let (own, value) = match arg {
                Argument::Column(name) => (Some(column(name)), Value::Int(0)),
                Argument::Constant(value) => (None, *value),
            };
            let same =
                |slot: &Slot| (slot.column, slot.kind, slot.type_name, slot.value) == (own, kind, type_name, value);
            let at = slots.iter().position(same).unwrap_or_else(|| {
                let names = Vec::new();
                slots.push(Slot { column: own, kind, type_name, always: false, names, value, taken: Taken::Unread });
                slots.len() - 1
            });
            slots[at].always |= always;
            at
        };
        let empty = table.missing.iter().any(String::is_empty);
        let mut fact = |template: &Template| {
            let always = template.when.is_none() && template.named.is_none();
            let arg = |(place, arg): (usize, &Argument)| slot(arg, kinds.at(template.signature, place), always);
            Fact {
                args: template.args.iter().enumerate().map(arg).collect(),
                named: template.named.as_deref().map(column),
                when: template.when.as_ref().map(|(name, cell)| (column(name), cell.clone())),
                blank: match &template.when {
                    Some((name, wanted)) if empty && !template.label && wanted.as_deref() != Some("") => {
                        Some(column(name))
                    }
                    _ => None,
                },
                plain: always,
                template: template.clone(),
                by_name: IndexMap::default(),
            }
        };
        let facts: Vec<Fact> = table.facts.iter().map(&mut fact).collect();
        Columns {
            names: header.to_vec(),
            time: column(&table.time),
            time_of_day: table.time_of_day.as_deref().map(column),
            segment: table.segment.as_deref().map(column),
            steps: Step::of(&facts),
            facts,
            missing: Missing::new(&table.missing),
            kinds: kinds.clone(),
            comma: table.comma,
            slots,
            ends: table.ends.as_deref().map(|ends| Box::new(Columns::of(header, ends, kinds))),
        }
    }

    /// Whether a column has times of the stream.
    #[cfg(feature = "arrow")]
    pub(super) fn is_time(&self, column: usize) -> bool {
        column == self.time && self.time_of_day.is_none() || self.ends.as_ref().is_some_and(|ends| ends.is_time(column))
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The columns that are needed, by their numbers.
    #[cfg(feature = "arrow")]
    pub(crate) fn used(&self) -> Vec<usize> {
        let of_facts = self.facts.iter().flat_map(|fact| [fact.named, fact.when.as_ref().map(|(column, _)| *column)]);
        let of_slots = self.slots.iter().map(|slot| slot.column);
        let of_ends = self.ends.iter().flat_map(|ends| ends.used()).map(Some);
        self.places().into_iter().map(Some).chain(of_facts).chain(of_slots).chain(of_ends).flatten().collect()
    }

    /// Those that say when a row is, and of which segment.
    #[cfg(feature = "arrow")]
    pub(super) fn places(&self) -> Vec<usize> {
        [Some(self.time), self.time_of_day, self.segment].into_iter().flatten().collect()
    }

    /// The time of a row, as it is written.
    pub(super) fn time_text<'r>(&self, row: &'r impl AnyRow) -> Cow<'r, str> {
        let time = row.text(self.time);
        match self.time_of_day {
            Some(of_day) => format!("{time} {}", row.text(of_day)).into(),
            None => time,
        }
    }

    /// Whether the cells of a column are asked for as numbers only.
    #[cfg(feature = "arrow")]
    pub(super) fn are_numbers(&self, column: usize) -> bool {
        let own = Some(column);
        let of_facts = |fact: &Fact| fact.named == own || fact.when.as_ref().map(|(column, _)| *column) == own;
        let of_ends = self.ends.as_ref().is_some_and(|ends| ends.time == column || !ends.are_numbers(column));
        let otherwise = self.segment == own || self.facts.iter().any(of_facts) || of_ends;
        !otherwise && self.slots.iter().filter(|slot| slot.column == own).all(|slot| slot.kind.is_number())
    }

    pub(crate) fn is_missing(&self, cell: &str) -> bool {
        self.missing.has(cell)
    }

    /// Adds the facts of a row. What is wrong with one is handed on, and the others are there all the same.
    pub(super) fn add(
        &mut self,
        row: &impl AnyRow,
        to: &mut [Facts; 2],
        mut skip_or_fail: impl FnMut(Problem) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let Columns { missing, comma, slots, .. } = self;
        let mut lacking = false;
        for slot in slots {
            lacking |= slot.take(row, missing, *comma);
        }
        if lacking {
            return (0..self.facts.len()).try_for_each(|fact| self.add_fact(fact, row, to, &mut skip_or_fail));
        }
        for step in 0..self.steps.len() {
            match &self.steps[step] {
                Step::Together { part, heads, args } => {
                    let slots = &self.slots[..];
                    to[*part].push_many(heads, args.iter().map(|at| slots[*at].value));
                }
                // Most rows have no cell there: nothing else of it is looked at.
                Step::Alone(fact)
                    if self.facts[*fact]
                        .blank
                        .is_some_and(|column| row.bytes(column).is_some_and(<[u8]>::is_empty)) => {}
                Step::Alone(fact) => self.add_fact(*fact, row, to, &mut skip_or_fail)?,
            }
        }
        Ok(())
    }

    /// Adds one of the facts of a row, if the row has it.
    #[inline]
    fn add_fact(
        &mut self,
        fact: usize,
        row: &impl AnyRow,
        to: &mut [Facts; 2],
        skip_or_fail: &mut impl FnMut(Problem) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let Columns { names, facts, missing, kinds, comma, slots, .. } = self;
        let fact = &mut facts[fact];
        let mut known = true;
        if let Some((column, wanted)) = &fact.when {
            let cell = row.text(*column);
            known = !missing.has(&cell);
            let holds = match wanted {
                Some(wanted) => cell == *wanted,
                None => known && truth(&cell).unwrap_or(true),
            };
            // A label that is not known is neither true nor false.
            if !holds && (known || !fact.template.label) {
                return Ok(());
            }
        }
        let mut complete = true;
        for at in &fact.args {
            let slot = &mut slots[*at];
            let Some(column) = slot.column else { continue };
            if slot.taken == Taken::Unread {
                slot.taken = slot.take_any(column, row, missing, *comma);
            }
            if slot.taken == Taken::Value {
                continue;
            }
            complete = false;
            if slot.taken == Taken::Wrong {
                let problem = wrong_cell(&row.text(column), &names[column], slot.kind, slot.type_name);
                skip_or_fail(problem.at(row.at(column)))?;
            }
            break;
        }
        let signature = match fact.named.map(|column| row.text(column)) {
            None => fact.template.signature,
            Some(name) if missing.has(&name) => return Ok(()),
            Some(name) => {
                let name = Symbol::new(&name);
                *fact.by_name.entry(name).or_insert_with(|| fact.template.signature_of(name))
            }
        };
        if !complete {
            return Ok(());
        }
        let args = || fact.args.iter().map(|at| slots[*at].value);
        // A name from a column may have places of its own kinds.
        if fact.named.is_some()
            && let Some((i, value)) = args().enumerate().find(|(i, value)| !kinds.at(signature, *i).0.has(*value))
        {
            let (kind, type_name) = kinds.at(signature, i);
            return skip_or_fail(wrong_cell(&value.to_string(), "", kind, type_name));
        }
        to[fact.part()].push_each(if known { signature } else { unknown(signature) }, args());
        Ok(())
    }
}

/// Whether a cell says yes or no.
pub(crate) fn truth(cell: &str) -> Option<bool> {
    let is = |word: &&str| cell.eq_ignore_ascii_case(word);
    if ["1", "true", "t", "yes", "y", "on"].iter().any(is) {
        return Some(true);
    }
    ["0", "false", "f", "no", "n", "off"].iter().any(is).then_some(false)
}

fn wrong_cell(cell: &str, column: &str, kind: Kind, type_name: Symbol) -> Problem {
    let place = if column.is_empty() { String::new() } else { format!(" in column `{column}`") };
    let message = format!("`{cell}`{place} is not {}, as every `{type_name}` is", kind.noun());
    Problem::new(ProblemKind::WrongType, 0, message).hint(
        "mend the cell; or name it in `missing` of its [[table]] in task.toml, if it says that nothing is known; or leave it out with the option `lenient`",
    )
}

fn misfit_problem(misfit: &Misfit<'_>, header: &[String]) -> Problem {
    let columns = header.join(", ");
    let problem = |message: String| Problem::new(ProblemKind::Missing, 0, message);
    match misfit {
        Misfit::Missing(None) => problem(format!("the task does not say what the columns of a table are: {columns}"))
            .hint("`oled init` writes a task for a table; or add [[table]] with `time` and `facts` to task.toml"),
        Misfit::Missing(Some((table, missing))) => {
            let near = missing.iter().find_map(|name| {
                did_you_mean(name, header.iter().map(String::as_str))
                    .map(|near| format!("; is `{near}` meant by `{name}`?"))
            });
            let name = table.name.as_ref().map_or(String::new(), |name| format!(" `{name}`"));
            let missing: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
            let (word, them) = if missing.len() == 1 { ("column", "it") } else { ("columns", "them") };
            let message = format!("the table{name} has no {word} {}, and the task asks for {them}", missing.join(", "));
            problem(message).hint(format!("its columns are {columns}{}", near.unwrap_or_default()))
        }
        Misfit::Ambiguous => problem("the columns fit several tables of the task".into())
            .hint("give each [[table]] in task.toml a `name` that its files begin with"),
    }
}
