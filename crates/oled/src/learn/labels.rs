//! Labels: what is annotated at a time point, and what the background does to what is not observed there.

use super::instances::{Deed, Loss};
use super::propositionaliser::{Labelled, Propositionaliser};
use crate::calculus::label_name;
use crate::lang::{Value, is_canonical};
use crate::logic::Relation;
use crate::stream::Frame;

impl Propositionaliser {
    /// Goes through the annotation of a frame once: what is annotated of an instance is noted there, what is about somebody
    /// who is not observed is noted apart. Calls a function with each label of a target. At the start of a segment, also
    /// notes what the background says holds there.
    pub(super) fn annotate(&mut self, frame: &Frame, mut label: impl FnMut(usize, bool, &[Value])) {
        for stray in &mut self.stray {
            stray.lost.iter_mut().chain(&mut stray.uncovered).for_each(Relation::clear);
        }
        let mut values: Vec<Value> = Vec::new();
        for (signature, row) in frame.annotation.iter() {
            let Some(Labelled { unknown, targets }) = self.labelled.get(&signature) else { continue };
            let row = self.symmetries.in_order(signature, row);
            let mut spoken_of = false;
            for &number in targets {
                let target = &self.targets[number];
                if !target.is_about(&row) {
                    continue;
                }
                spoken_of = true;
                label(number, *unknown, &row);
                target.arguments(&row, &mut values);
                let (group, present) = (&self.groups[target.group], &mut self.present[target.group]);
                match present.number_of(group, &self.model, &values) {
                    Some(k) => present.label(k, 1 << (2 * target.place + usize::from(*unknown))),
                    None => _ = self.stray[number].lost[usize::from(*unknown)].insert(&row),
                }
            }
            if !spoken_of {
                self.stray[targets[0]].uncovered[usize::from(*unknown)].insert(&row);
            }
        }
        self.note_unobserved();
        self.note_initial();
    }

    /// Of what is not observed, and goes on all the same, something is annotated too.
    fn note_unobserved(&mut self) {
        for (target, stray) in self.targets.iter().zip(&self.stray) {
            let (group, present) = (&self.groups[target.group], &mut self.present[target.group]);
            for (bit, rows) in stray.lost.iter().enumerate() {
                for values in rows.rows().map(|row| target.instance(row)) {
                    if group.goes_on_unobserved(&values, &self.model) {
                        present.absent.entry(values).or_default().labels |= 1 << (2 * target.place + bit);
                    }
                }
            }
        }
    }

    /// How often something is annotated of a target that cannot hold: an argument of it is lost, or no head speaks of it.
    pub(super) fn missed(&self, number: usize) -> u32 {
        let (target, stray) = (&self.targets[number], &self.stray[number]);
        let group = &self.groups[target.group];
        let [lost, unknown] = &stray.lost;
        let gone = |row: &&[Value]| !group.goes_on_unobserved(&target.instance(row), &self.model);
        let lost = lost.rows().filter(|row| !unknown.contains(row)).filter(gone).count();
        // Fluents with a value and no arguments share their annotation: what is not about one of them is about others.
        let [holds, unknown] = &stray.uncovered;
        let counted = target.first == number && !target.is_general() && label_name(target.label).is_some();
        let uncovered = if counted { holds.rows().filter(|row| !unknown.contains(row)).count() } else { 0 };
        (lost + uncovered) as u32
    }

    /// Notes what the background says holds at the start of a segment.
    fn note_initial(&mut self) {
        let Some(initially) = self.initially.as_ref().filter(|_| self.inertia.begins()) else { return };
        for (number, target) in self.targets.iter().enumerate() {
            let (group, present) = (&self.groups[target.group], &mut self.present[target.group]);
            let rows = initially.rows(number).filter(|row| !group.symmetric || is_canonical(row));
            for values in rows.filter(|row| target.is_about(row)).map(|row| target.instance(row)) {
                if group.goes_on(&values, &self.model) {
                    present.number_of(group, &self.model, &values);
                    present.initial.push((values, 1 << target.place));
                }
            }
        }
    }

    /// Notes what the background does to what is not observed. Only what holds ends, and what is lost does not.
    pub(super) fn act(&mut self) {
        let mut places = Vec::new();
        for (group, present) in self.groups.iter().zip(&mut self.present) {
            let deeds = group.deeds.iter().filter(|d| !d.ends || group.loss != Loss::Any);
            for Deed { bit, target, pred, ends, .. } in deeds {
                let target = &self.targets[*target];
                for row in self.model.rows(*pred).rows() {
                    if !target.is_about(row) || group.symmetric && !is_canonical(row) {
                        continue;
                    }
                    let values = target.instance(row);
                    let observed = group.locate(&values, &self.model, &mut places);
                    if !observed && (!ends || group.goes_on(&values, &self.model)) {
                        let absent = present.absent.entry(values).or_default();
                        absent.deeds.insert(*bit);
                        group.absent.into_iter().for_each(|mark| absent.deeds.insert(mark));
                    }
                }
            }
        }
    }
}
