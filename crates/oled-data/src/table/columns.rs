//! Columns: the header of a file, matched with what the task says of its table; rows become facts.

use std::sync::Arc;

use indexmap::IndexMap;
use oled::calculus::unknown;
use oled::lang::{Kind, did_you_mean};
use oled::{Facts, Kinds, Signature, Symbol, Value};
use rustc_hash::FxBuildHasher;

use super::numbers::{eight_digits, same, short_number};
use super::{Argument, Misfit, Row, Table, Tables, Template};
use crate::error::{Problem, ProblemKind};
use crate::frame::{ANNOTATION, NARRATIVE};

/// A table in a file: which column is what.
pub(crate) struct Columns {
    names: Vec<String>,
    pub(crate) time: usize,
    pub(crate) segment: Option<usize>,
    facts: Vec<Fact>,
    missing: Missing,
    kinds: Arc<Kinds>,
    /// Whether numbers have a decimal comma.
    comma: bool,
    slots: Vec<Slot>,
    /// What each slot has in the row, and whether that is a value.
    values: Vec<Value>,
    taken: Vec<Taken>,
}

/// Cells that say nothing. Most cells are told from them by their first byte.
struct Missing {
    cells: Vec<String>,
    /// Whether an empty cell is one, and whether some number is.
    empty: bool,
    numbers: bool,
    /// Those of one byte, and first bytes of longer ones.
    single: [bool; 256],
    first: [bool; 256],
}

impl Missing {
    fn new(cells: &[String]) -> Missing {
        let mut missing = Missing {
            empty: cells.iter().any(String::is_empty),
            numbers: cells.iter().any(|cell| number(cell).is_some()),
            cells: cells.to_vec(),
            single: [false; 256],
            first: [false; 256],
        };
        for cell in cells {
            match cell.as_bytes() {
                [] => {}
                [byte] => missing.single[usize::from(*byte)] = true,
                [byte, ..] => missing.first[usize::from(*byte)] = true,
            }
        }
        missing
    }

    #[inline]
    fn has(&self, cell: &str) -> bool {
        match cell.as_bytes() {
            [] => self.empty,
            [byte] => self.single[usize::from(*byte)],
            [byte, ..] => self.first[usize::from(*byte)] && self.cells.iter().any(|missing| missing == cell),
        }
    }
}

/// A fact that each row may have.
struct Fact {
    template: Template,
    /// The slots of its arguments.
    args: Vec<usize>,
    named: Option<usize>,
    when: Option<(usize, Option<String>)>,
    /// Whether it is a fact of every row whose cells say something: it has no condition, and a name of its own.
    plain: bool,
    /// Signatures by the names that a column has.
    by_name: IndexMap<Symbol, Signature, FxBuildHasher>,
}

/// What facts have as arguments: a column, or a constant. Several facts of a row may have the same: its cell is read once.
struct Slot {
    /// `None` for a constant.
    column: Option<usize>,
    /// What its values are, and the type that says so.
    kind: Kind,
    type_name: Symbol,
    /// Whether every row is asked for it: names that no fact has are not kept.
    always: bool,
    /// Names that came last, by [`Slot::place_of`]: few names are in most rows.
    names: Vec<(String, Value)>,
}

/// Names that a slot keeps at hand: a power of two, and as many as fit in a few lines of the cache.
const AT_HAND: usize = 16;

/// What a slot has in a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// Nobody has asked yet.
    Unread,
    Missing,
    Wrong,
    Value,
}

impl Slot {
    /// Where a name is kept: names of a column differ at their ends, if at all.
    #[inline]
    fn place_of(cell: &[u8]) -> usize {
        let last = cell.last().copied().unwrap_or(0);
        let before = cell.len().checked_sub(2).map_or(0, |at| cell[at]);
        usize::from(last ^ before.rotate_left(2)) % AT_HAND
    }

    /// Reads its cell.
    #[inline]
    fn take(&mut self, row: Row<'_>, missing: &Missing, comma: bool, value: &mut Value) -> Taken {
        let Some(column) = self.column else { return Taken::Value };
        if self.kind.is_number() && !missing.numbers {
            let (bytes, length) = row.up_to(column);
            // Most numbers are short, and of the kind that they must be.
            match (eight_digits(bytes, length), self.kind) {
                (Some(Value::Real(_)), Kind::Int) | (None, _) => {}
                (Some(number), _) => {
                    *value = number;
                    return Taken::Value;
                }
            }
        }
        let cell = row.cell(column);
        if missing.has(cell) {
            return Taken::Missing;
        }
        let read = match self.kind {
            Kind::Symbol => self.name(cell),
            kind if comma && cell.contains(',') => {
                let with_point = value_of(&cell.replacen(',', ".", 1), kind);
                // Where names may stand, what is no number is one.
                with_point
                    .filter(|value| matches!(value, Value::Int(_) | Value::Real(_)))
                    .or_else(|| value_of(cell, kind))
            }
            kind if kind.is_number() => value_of(cell, kind),
            _ => self.name(cell),
        };
        match read {
            Some(read) => {
                *value = read;
                Taken::Value
            }
            None => Taken::Wrong,
        }
    }

    fn name(&mut self, cell: &str) -> Option<Value> {
        let place = Slot::place_of(cell.as_bytes());
        if let Some((name, value)) = self.names.get(place)
            && same(name.as_bytes(), cell.as_bytes())
        {
            return Some(*value);
        }
        let value = value_of(cell, self.kind)?;
        self.names.resize(AT_HAND, (String::new(), Value::Int(0)));
        let (name, known) = &mut self.names[place];
        name.clear();
        name.push_str(cell);
        *known = value;
        Some(value)
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
        let (mut slots, mut values): (Vec<Slot>, Vec<Value>) = Default::default();
        let mut slot = |arg: &Argument, (kind, type_name): (Kind, Symbol), always: bool| {
            let (own, value) = match arg {
                Argument::Column(name) => (Some(column(name)), Value::Int(0)),
                Argument::Constant(value) => (None, *value),
            };
            let same = |(slot, known): (&Slot, &Value)| {
                (slot.column, slot.kind, slot.type_name, *known) == (own, kind, type_name, value)
            };
            let at = slots.iter().zip(&values).position(same).unwrap_or_else(|| {
                slots.push(Slot { column: own, kind, type_name, always: false, names: Vec::new() });
                values.push(value);
                slots.len() - 1
            });
            slots[at].always |= always;
            at
        };
        let mut fact = |template: &Template| {
            let always = template.when.is_none() && template.named.is_none();
            let arg = |(place, arg): (usize, &Argument)| slot(arg, kinds.at(template.signature, place), always);
            Fact {
                args: template.args.iter().enumerate().map(arg).collect(),
                named: template.named.as_deref().map(column),
                when: template.when.as_ref().map(|(name, cell)| (column(name), cell.clone())),
                plain: always,
                template: template.clone(),
                by_name: IndexMap::default(),
            }
        };
        let facts: Vec<Fact> = table.facts.iter().map(&mut fact).collect();
        Columns {
            names: header.to_vec(),
            time: column(&table.time),
            segment: table.segment.as_deref().map(column),
            facts,
            missing: Missing::new(&table.missing),
            kinds: kinds.clone(),
            comma: table.comma,
            taken: vec![Taken::Unread; slots.len()],
            slots,
            values,
        }
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The columns that are needed, by their numbers.
    #[cfg(feature = "arrow")]
    pub(crate) fn used(&self) -> Vec<usize> {
        let of_facts = self.facts.iter().flat_map(|fact| [fact.named, fact.when.as_ref().map(|(column, _)| *column)]);
        let of_slots = self.slots.iter().map(|slot| slot.column);
        [Some(self.time), self.segment].into_iter().chain(of_facts).chain(of_slots).flatten().collect()
    }

    pub(crate) fn is_missing(&self, cell: &str) -> bool {
        self.missing.has(cell)
    }

    /// Adds the facts of a row. What is wrong with one is handed on, and the others are there all the same.
    pub(crate) fn add(
        &mut self,
        row: Row<'_>,
        to: &mut [Facts; 2],
        mut skip_or_fail: impl FnMut(Problem) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let Columns { names, facts, missing, kinds, comma, values, slots, taken, .. } = self;
        for ((slot, taken), value) in slots.iter_mut().zip(&mut *taken).zip(&mut *values) {
            *taken = if slot.always { slot.take(row, missing, *comma, value) } else { Taken::Unread };
        }
        for fact in facts {
            let part = if fact.template.label { ANNOTATION } else { NARRATIVE };
            if fact.plain && fact.args.iter().all(|at| taken[*at] == Taken::Value) {
                to[part].push_each(fact.template.signature, fact.args.iter().map(|at| values[*at]));
                continue;
            }
            let mut known = true;
            if let Some((column, wanted)) = &fact.when {
                let cell = row.cell(*column);
                known = !missing.has(cell);
                let holds = match wanted {
                    Some(wanted) => cell == wanted,
                    None => known && truth(cell).unwrap_or(true),
                };
                // A label that is not known is neither true nor false.
                if !holds && (known || !fact.template.label) {
                    continue;
                }
            }
            let mut complete = true;
            for at in &fact.args {
                if taken[*at] == Taken::Unread {
                    taken[*at] = slots[*at].take(row, missing, *comma, &mut values[*at]);
                }
                if taken[*at] == Taken::Value {
                    continue;
                }
                complete = false;
                if let (Taken::Wrong, Slot { column: Some(column), kind, type_name, .. }) = (taken[*at], &slots[*at]) {
                    let problem = wrong_cell(row.cell(*column), &names[*column], *kind, *type_name);
                    skip_or_fail(problem.at(row.at(*column)))?;
                }
                break;
            }
            let signature = match fact.named {
                None => fact.template.signature,
                Some(column) if missing.has(row.cell(column)) => continue,
                Some(column) => {
                    let name = Symbol::new(row.cell(column));
                    *fact.by_name.entry(name).or_insert_with(|| fact.template.signature_of(name))
                }
            };
            if complete {
                let args = || fact.args.iter().map(|at| values[*at]);
                // A name from a column may have places of its own kinds.
                if fact.named.is_some()
                    && let Some((i, value)) =
                        args().enumerate().find(|(i, value)| !kinds.at(signature, *i).0.has(*value))
                {
                    let (kind, type_name) = kinds.at(signature, i);
                    skip_or_fail(wrong_cell(&value.to_string(), "", kind, type_name))?;
                    continue;
                }
                to[part].push_each(if known { signature } else { unknown(signature) }, args());
            }
        }
        Ok(())
    }
}

/// The value of a cell, unless it is of another kind than it must be.
pub(crate) fn value_of(cell: &str, kind: Kind) -> Option<Value> {
    let name = || Value::Sym(Symbol::new(cell));
    match kind {
        Kind::Symbol => Some(name()),
        Kind::Int | Kind::Real => number(cell).filter(|value| kind.has(*value)),
        // What begins with a zero is a code: 007 is not 7.
        Kind::Any => Some(if is_code(cell) { name() } else { number(cell).unwrap_or_else(name) }),
    }
}

/// Whether a cell is written in digits, but not as a number is.
pub(crate) fn is_code(cell: &str) -> bool {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit()
}

/// The number that a cell is; no text, no infinity.
pub(crate) fn number(cell: &str) -> Option<Value> {
    if let Some(number) = short_number(cell.as_bytes()) {
        return Some(number);
    }
    if let Ok(whole) = cell.parse::<i64>() {
        return Some(Value::Int(whole));
    }
    // Rust reads `inf` and `nan` as numbers.
    let first = cell.trim_start_matches(['-', '+']).bytes().next()?;
    if !first.is_ascii_digit() && first != b'.' {
        return None;
    }
    Value::real(cell.parse::<f64>().ok()?)
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
