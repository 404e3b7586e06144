//! Relation: a set of rows, with indexes on the columns that joins bind.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::lang::Value;

/// Up to this many rows a scan is faster than any index.
const SMALL: usize = 8;

/// A set of rows of the same width, in order of insertion. Clearing keeps the memory for the next time point.
#[derive(Clone, Debug, Default)]
pub struct Relation {
    width: usize,
    /// All rows, one after the other.
    values: Vec<Value>,
    len: usize,
    /// Row numbers by the hash of the row; in use when there are more than `SMALL` rows.
    set: HashTable<u32>,
    indexes: Vec<Index>,
}

/// Rows by the values of some columns: the first row of each key, and for each row the next one of the same key.
#[derive(Clone, Debug, Default)]
struct Index {
    columns: Box<[usize]>,
    first: HashTable<u32>,
    next: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Relation {
    /// An empty relation with this many columns.
    pub fn new(width: usize) -> Relation {
        Relation { width, ..Relation::default() }
    }

    /// Adds an index and returns its number; the same columns give the same index.
    pub(crate) fn add_index(&mut self, columns: &[usize]) -> usize {
        self.indexes.iter().position(|i| *i.columns == *columns).unwrap_or_else(|| {
            self.indexes.push(Index { columns: columns.into(), ..Index::default() });
            self.indexes.len() - 1
        })
    }

    /// The number of columns.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether looking at all rows is the fastest way to find one.
    #[inline]
    pub(crate) fn is_small(&self) -> bool {
        self.len <= SMALL
    }

    /// A row.
    #[inline]
    pub fn row(&self, i: usize) -> &[Value] {
        &self.values[i * self.width..(i + 1) * self.width]
    }

    /// All rows in order of insertion.
    pub fn rows(&self) -> impl Iterator<Item = &[Value]> {
        (0..self.len).map(|i| self.row(i))
    }

    /// Removes all rows.
    #[inline]
    pub fn clear(&mut self) {
        if self.len == 0 {
            return;
        }
        if self.len > SMALL {
            self.set.clear();
            for index in &mut self.indexes {
                index.first.clear();
                index.next.clear();
            }
        }
        self.values.clear();
        self.len = 0;
    }

    /// Adds a row unless it is there; returns whether it was added.
    pub fn insert(&mut self, row: &[Value]) -> bool {
        debug_assert_eq!(row.len(), self.width, "rows of one relation have one width");
        let (values, width) = (&self.values, self.width);
        let at = |i: u32| &values[i as usize * width..(i as usize + 1) * width];
        if self.len > SMALL {
            match self.set.entry(hash(row), |&i| at(i) == row, |&i| hash(at(i))) {
                Entry::Occupied(_) => return false,
                Entry::Vacant(place) => place.insert(self.len as u32),
            };
        } else if self.contains(row) {
            return false;
        } else if self.len == SMALL {
            // The set starts to be kept with the row that makes the relation large.
            (0..SMALL as u32).for_each(|i| _ = self.set.insert_unique(hash(at(i)), i, |&i| hash(at(i))));
            self.set.insert_unique(hash(row), SMALL as u32, |&i| hash(at(i)));
        }
        self.push(row);
        true
    }

    /// Adds a row, whether it is there or not. After that rows can only be gone through, until the next clearing.
    #[inline]
    pub(crate) fn push(&mut self, row: &[Value]) {
        // Most rows are short, and are copied without a call.
        match *row {
            [a] => self.values.push(a),
            [a, b] => self.values.extend_from_slice(&[a, b]),
            [a, b, c] => self.values.extend_from_slice(&[a, b, c]),
            _ => self.values.extend_from_slice(row),
        }
        self.len += 1;
    }

    /// The row that was added last.
    #[inline]
    pub(crate) fn last(&self) -> Option<&[Value]> {
        self.len.checked_sub(1).map(|last| self.row(last))
    }

    /// Whether a row is there.
    #[inline]
    pub fn contains(&self, row: &[Value]) -> bool {
        self.position(row).is_some()
    }

    /// The number of a row, in order of insertion.
    #[inline]
    pub fn position(&self, row: &[Value]) -> Option<usize> {
        if self.len > SMALL {
            return self.set.find(hash(row), |&i| self.row(i as usize) == row).map(|&i| i as usize);
        }
        match row {
            [] => (self.len > 0).then_some(0),
            [only] => self.values.iter().position(|value| value == only),
            // The first column tells most rows apart. To cut all of them into chunks took a division each time.
            [first, rest @ ..] => (0..self.len).find(|i| {
                let own = self.row(*i);
                own[0] == *first && own[1..] == *rest
            }),
        }
    }

    /// Brings the indexes up to date; to be called after inserting and before [`Relation::matching`].
    pub(crate) fn refresh_indexes(&mut self) {
        if self.len <= SMALL {
            return;
        }
        let (values, width) = (&self.values, self.width);
        let at = |i: u32| &values[i as usize * width..(i as usize + 1) * width];
        for Index { columns, first, next } in &mut self.indexes {
            for i in next.len() as u32..self.len as u32 {
                let key = |i: u32| columns.iter().map(move |&c| at(i)[c]);
                let hash = hash_of(key(i));
                // The newest row of a key comes first in its chain.
                let previous = match first.find_mut(hash, |&j| key(j).eq(key(i))) {
                    Some(slot) => std::mem::replace(slot, i),
                    None => {
                        first.insert_unique(hash, i, |&j| hash_of(key(j)));
                        NONE
                    }
                };
                next.push(previous);
            }
        }
    }

    /// The rows whose columns of an index have these values, as far as the index tells: small relations return all
    /// rows, so the caller still checks.
    #[inline]
    pub(crate) fn matching(&self, index: usize, key: &[Value]) -> Candidates<'_> {
        if self.len <= SMALL {
            return Candidates::Range(0..self.len);
        }
        let index = &self.indexes[index];
        let hash = hash_of(key.iter().copied());
        let first = index.first.find(hash, |&j| {
            let row = self.row(j as usize);
            index.columns.iter().zip(key).all(|(&c, k)| row[c] == *k)
        });
        Candidates::Chain(&index.next, first.map_or(NONE, |&i| i))
    }
}

/// Written as its rows.
impl Serialize for Relation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.width, self.len, &self.values).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Relation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Relation, D::Error> {
        let (width, len, values) = <(usize, usize, Vec<Value>)>::deserialize(deserializer)?;
        // Without columns there is one row at most.
        if width.checked_mul(len) != Some(values.len()) || width == 0 && len > 1 {
            return Err(D::Error::custom("the rows of a relation are not of one width"));
        }
        let mut relation = Relation::new(width);
        if width == 0 {
            (0..len).for_each(|_| _ = relation.insert(&[]));
        } else {
            values.chunks_exact(width).for_each(|row| _ = relation.insert(row));
        }
        Ok(relation)
    }
}

/// Row numbers to look at.
pub(crate) enum Candidates<'a> {
    Range(std::ops::Range<usize>),
    Chain(&'a [u32], u32),
}

impl Iterator for Candidates<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        match self {
            Candidates::Range(range) => range.next(),
            Candidates::Chain(next, at) => {
                if *at == NONE {
                    return None;
                }
                let row = *at as usize;
                *at = next[row];
                Some(row)
            }
        }
    }
}

fn hash(row: &[Value]) -> u64 {
    hash_of(row.iter().copied())
}

fn hash_of(values: impl Iterator<Item = Value>) -> u64 {
    let mut hash = 0u64;
    for value in values {
        hash = (hash.rotate_left(5) ^ value.bits()).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    // The table uses the top seven bits and the low bits; the multiplication leaves the low ones poor.
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_in_small_and_large_relations() {
        let mut relation = Relation::new(2);
        let index = relation.add_index(&[0]);
        for round in 0..2 {
            for i in 0..100 {
                assert!(relation.insert(&[Value::Int(i % 10), Value::Int(i)]));
                assert!(!relation.insert(&[Value::Int(i % 10), Value::Int(i)]), "a set holds a row once");
                relation.refresh_indexes();
                let key = [Value::Int(i % 10)];
                let found = relation.matching(index, &key).filter(|&r| relation.row(r)[0] == key[0]).count();
                assert_eq!(found as i64, i / 10 + 1, "round {round}, row {i}");
            }
            assert!(relation.contains(&[Value::Int(3), Value::Int(43)]));
            assert_eq!(relation.position(&[Value::Int(3), Value::Int(43)]), Some(43));
            assert!(!relation.contains(&[Value::Int(4), Value::Int(43)]));
            relation.clear();
            assert!(relation.is_empty() && !relation.contains(&[Value::Int(3), Value::Int(43)]));
        }
    }
}
