//! Known: the rows that were true last of each thing, for `last`.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use crate::lang::Value;
use crate::logic::latest::Class;
use crate::logic::program::{Pred, Program};
use crate::logic::relation::Relation;

/// Predicates whose rows replace each other, and the predicates that ask for what is known.
#[derive(Clone, Debug)]
pub(crate) struct Knowing {
    pub(crate) members: Vec<KnownOf>,
}

/// One of these predicates.
#[derive(Clone, Debug)]
pub(crate) struct KnownOf {
    pub(crate) base: Pred,
    pub(crate) classes: Vec<Class>,
    pub(crate) asked: Option<Pred>,
}

/// What is known of each thing: a set, and whom its rows are about.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Known {
    last: IndexMap<Box<[Value]>, Rows, FxBuildHasher>,
    /// Room for whom a row is about.
    #[serde(skip)]
    key: Vec<Value>,
}

/// The rows of a time point, each with the number of its predicate among the members.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Rows {
    time: i64,
    rows: Vec<(u32, Box<[Value]>)>,
}

impl Known {
    /// Adds the rows that are true now in place of earlier ones, and forgets what is older than the horizon. A time point
    /// that was interrupted begins again.
    pub(super) fn add(&mut self, knowing: &Knowing, time: i64, oldest: i64, relations: &[Relation]) {
        self.last.retain(|_, rows| rows.time >= oldest && rows.time != time);
        let (key, mut next) = (&mut self.key, 0);
        for (number, member) in (0u32..).zip(&knowing.members) {
            for row in relations[member.base.index()].rows() {
                let class = member.classes.iter().find(|class| class.has(row)).expect("the last class has all rows");
                key.clear();
                key.push(Value::Int(class.set));
                key.extend(class.about.iter().map(|column| row[*column]));
                // Rows mostly come in the order of the time point before.
                let place = match self.last.get_index(next).filter(|(known, _)| known[..] == key[..]) {
                    Some(_) => next,
                    None => {
                        let known = self.last.get_index_of(key.as_slice());
                        known.unwrap_or_else(|| self.last.insert_full(key.as_slice().into(), Rows::default()).0)
                    }
                };
                next = place + 1;
                let rows = &mut self.last[place];
                if rows.time != time {
                    rows.time = time;
                    // Mostly one row replaces one: where it does, its room is used again.
                    rows.rows.truncate(1);
                    if let Some((member, values)) =
                        rows.rows.first_mut().filter(|(_, values)| values.len() == row.len())
                    {
                        *member = number;
                        values.copy_from_slice(row);
                        continue;
                    }
                    rows.rows.clear();
                }
                rows.rows.push((number, row.into()));
            }
        }
    }

    /// Gives the predicates that ask their rows, each with its age.
    pub(super) fn fill(&self, knowing: &Knowing, time: i64, row: &mut Vec<Value>, relations: &mut [Relation]) {
        for Rows { time: then, rows } in self.last.values() {
            for (number, values) in rows {
                let Some(pred) = knowing.members[*number as usize].asked else { continue };
                row.clear();
                row.extend_from_slice(values);
                row.push(Value::Int(time.saturating_sub(*then)));
                relations[pred.index()].insert(row);
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.last.values().map(|rows| rows.rows.len()).sum()
    }

    /// Whether a program can ask for these rows.
    pub(super) fn fits(&self, knowing: &Knowing, program: &Program) -> bool {
        let width =
            |number: u32| knowing.members.get(number as usize).map(|m| program.relations[m.base.index()].width());
        self.last.values().flat_map(|rows| &rows.rows).all(|(number, row)| width(*number) == Some(row.len()))
    }
}

impl Knowing {
    /// Whether another program knows the same of the same predicates.
    pub(super) fn same(&self, own: &Program, other: &Knowing, others: &Program) -> bool {
        let members = self.members.iter().zip(&other.members);
        let same =
            |(a, b): (&KnownOf, &KnownOf)| own.signature(a.base) == others.signature(b.base) && a.classes == b.classes;
        self.members.len() == other.members.len() && members.into_iter().all(same)
    }
}
