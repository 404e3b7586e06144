//! Scatter: what rows say of instances, scattered to whom they speak of, and read again instance by instance.

use rustc_hash::FxHashMap;

use super::{NOBODY, Present};
use crate::induce::Mask;
use crate::lang::Value;
use crate::learn::instances::{Group, IndexedLiterals, LiteralSetter, Reach};
use crate::logic::Model;

/// What rows say: literals that are about them, and what is measured.
#[derive(Clone, Debug, Default)]
pub(super) struct Scattered {
    hits: Vec<Mask>,
    /// How much room what is measured of one takes, none where no feature is about them.
    features: usize,
    kept: Vec<f64>,
}

impl Scattered {
    pub(super) fn reset(&mut self, count: usize, features: usize) {
        self.hits.clear();
        self.kept.clear();
        self.features = features;
        self.grow(count);
    }

    pub(super) fn grow(&mut self, count: usize) {
        self.hits.resize(self.hits.len() + count, Mask::EMPTY);
        self.kept.resize(self.kept.len() + count * self.features, f64::NAN);
    }
}

/// What rows say of those who share several arguments, by the places of these.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    rows: FxHashMap<Box<[u32]>, usize>,
    scattered: Scattered,
}

impl Present {
    pub(super) fn prepare(&mut self, group: &Group, model: &Model) {
        let features =
            |reach: Reach| if group.features.iter().any(|g| g.reach == reach) { group.features.len() } else { 0 };
        self.all.reset(1, features(Reach::All));
        self.one.resize_with(group.width(), Scattered::default);
        for (v, scattered) in self.one.iter_mut().enumerate() {
            scattered.reset(model.rows(group.domains[v]).len(), features(Reach::One(v)));
        }
        self.some.resize_with(group.subsets.len(), Shared::default);
        for (s, shared) in self.some.iter_mut().enumerate() {
            shared.rows.clear();
            shared.scattered.reset(0, features(Reach::Some(s)));
        }
        self.every.reset(self.count * self.orders, features(Reach::Every));
    }

    /// Where what is said of those with the places in `tuple` is noted.
    #[inline]
    fn scattered(
        &mut self,
        group: &Group,
        model: &Model,
        reach: Reach,
        relates: bool,
    ) -> Option<(&mut Scattered, usize)> {
        match reach {
            Reach::All => Some((&mut self.all, 0)),
            Reach::One(v) => Some((&mut self.one[v], self.tuple[v] as usize)),
            Reach::Some(s) => {
                let key: Box<[u32]> = group.subsets[s].iter().map(|v| self.tuple[*v]).collect();
                let Shared { rows, scattered } = &mut self.some[s];
                let row = *rows.entry(key).or_insert(scattered.hits.len());
                if row == scattered.hits.len() {
                    scattered.grow(1);
                }
                Some((scattered, row))
            }
            Reach::Every => {
                let row = self.row_of(group, model, relates)?;
                Some((&mut self.every, row))
            }
        }
    }

    /// Notes which literals are about whom.
    pub(super) fn scatter(&mut self, group: &Group, model: &Model) {
        let mut columns = std::mem::take(&mut self.columns);
        let mut constants = Vec::new();
        let mut found: Vec<Option<usize>> = Vec::new();
        for IndexedLiterals { pred, columns: variables, forms, literals } in &group.relations {
            let rows = model.rows(*pred);
            if rows.is_empty() {
                continue;
            }
            columns.clear();
            columns.resize(rows.width(), (None, NOBODY));
            let mut next = 0;
            found.clear();
            found.resize(forms.len(), None);
            for row in rows.rows() {
                for &(column, v) in variables {
                    // Rows that follow each other often speak of the same entities.
                    let (value, known) = (row[column], &mut columns[column]);
                    if known.0 != Some(value) {
                        *known = (Some(value), group.place(v, value, model));
                        found.fill(None);
                    }
                }
                for literals in literals {
                    let setters = literals.of(row, &mut constants, &mut next);
                    for setter in setters {
                        // Of many thresholds that are listed, most are about the instance of the row before.
                        match found[setter.form] {
                            Some(row) => self.every.hits[row].insert(setter.bit),
                            None => found[setter.form] = self.hit(group, model, setter, &columns),
                        }
                    }
                }
            }
        }
        self.columns = columns;
    }

    /// Notes a literal; returns where, if it is about one instance.
    #[inline]
    fn hit(
        &mut self,
        group: &Group,
        model: &Model,
        setter: &LiteralSetter,
        columns: &[(Option<Value>, u32)],
    ) -> Option<usize> {
        for &(column, v) in &setter.variables {
            let place = columns[column].1;
            if place == NOBODY {
                return None;
            }
            self.tuple[v] = place;
        }
        let (scattered, row) = self.scattered(group, model, setter.reach, setter.relates)?;
        scattered.hits[row].insert(setter.bit);
        (setter.reach == Reach::Every).then_some(row)
    }

    /// Notes what is measured of whom.
    pub(super) fn measure(&mut self, group: &Group, model: &Model) {
        for (first, feature) in group.features.iter().enumerate().filter(|(number, feature)| feature.is_first(*number))
        {
            // Rows that follow each other often speak of the same entity.
            let mut last: Option<(Value, u32)> = None;
            'rows: for row in model.rows(feature.pred).rows() {
                if feature.constants.iter().any(|(column, value)| row[*column] != *value) {
                    continue;
                }
                for (i, &(column, v)) in feature.variables.iter().enumerate() {
                    let value = row[column];
                    let known = last.filter(|(same, _)| i == 0 && *same == value).map(|(_, place)| place);
                    let place = known.unwrap_or_else(|| group.place(v, value, model));
                    if i == 0 {
                        last = Some((value, place));
                    }
                    if place == NOBODY {
                        continue 'rows;
                    }
                    self.tuple[v] = place;
                }
                let Some((scattered, at)) = self.scattered(group, model, feature.reach, feature.relates) else {
                    continue;
                };
                let kept = &mut scattered.kept[at * scattered.features..(at + 1) * scattered.features];
                // What features show that compare the same number with thresholds.
                let same = group.features.iter().zip(kept).skip(first).filter(|(g, _)| g.attribute == first);
                same.for_each(|(feature, kept)| feature.keep(row, kept));
            }
        }
    }

    /// The place of an argument of an instance, in one of its orders.
    #[inline]
    fn place(&self, group: &Group, k: usize, order: usize, variable: usize) -> usize {
        let argument = if group.symmetric { variable ^ order ^ usize::from(self.other_order[k]) } else { variable };
        self.places[k * group.width() + argument] as usize
    }

    /// Calls a function with what is said of an instance, in one of its orders: of all, of those with its arguments, and of
    /// itself.
    #[inline]
    fn for_each_told(&self, group: &Group, k: usize, order: usize, mut each: impl FnMut(&Scattered, usize)) {
        each(&self.all, 0);
        each(&self.every, k * self.orders + order);
        for (v, scattered) in self.one.iter().enumerate() {
            each(scattered, self.place(group, k, order, v));
        }
        for (shared, variables) in self.some.iter().zip(&group.subsets) {
            let key: Box<[u32]> = variables.iter().map(|v| self.place(group, k, order, *v) as u32).collect();
            if let Some(row) = shared.rows.get(&key) {
                each(&shared.scattered, *row);
            }
        }
    }

    /// What is true of an instance, in one of its orders, but for existential literals.
    #[inline]
    pub(in crate::learn) fn truth(&self, group: &Group, k: usize, order: usize) -> Mask {
        let mut truth = Mask::EMPTY;
        self.for_each_told(group, k, order, |scattered, row| truth.add(&scattered.hits[row]));
        // What a row says is not true of a negated literal, and what none says is.
        truth.toggle(&group.negated);
        truth
    }

    /// What is measured of an instance, in one of its orders.
    pub(in crate::learn) fn measured(&self, group: &Group, k: usize, order: usize, measured: &mut Vec<f64>) {
        measured.clear();
        measured.resize(group.features.len(), f64::NAN);
        if group.features.is_empty() {
            return;
        }
        self.for_each_told(group, k, order, |scattered, row| {
            if scattered.features == 0 {
                return;
            }
            let kept = &scattered.kept[row * scattered.features..(row + 1) * scattered.features];
            // A feature is about one set of variables: nothing is kept of it with others.
            measured.iter_mut().zip(kept).filter(|(_, kept)| !kept.is_nan()).for_each(|(m, kept)| *m = *kept);
        });
    }
}
