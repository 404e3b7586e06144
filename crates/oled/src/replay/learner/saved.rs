//! What a learner knows of the stream, as it is saved and read again: whatever cannot be of this task is refused.

use std::sync::Arc;

use super::Replay;
use super::active_rules::ActiveRule;
use crate::induce::{Mask, RuleKind};
use crate::lang::{Clause, Symbol};
use crate::learn::PropositionaliserState;
use crate::replay::fluent::{Outcome, definition_of};
use crate::replay::literal::{Lit, Rule};
use crate::replay::objective::Fit;
use crate::replay::record::RecordState;
use crate::replay::runs::Definition;
use crate::replay::target::Target;
use crate::state::{StateError, decode, encode, ensure, ensure_counts};

impl Replay {
    /// What it knows of the stream so far.
    pub(super) fn saved(&self) -> Vec<u8> {
        let searched = [self.searched, self.searched_all];
        let (propositionaliser, record) = (self.propositionaliser.state(), self.record.state());
        let times: Vec<(Symbol, i64)> = self.times.iter().map(|(segment, time)| (*segment, *time)).collect();
        encode(&(
            propositionaliser,
            record,
            &self.last,
            searched,
            &self.active_rules,
            &self.numbered,
            &self.reported,
            times,
        ))
    }

    /// Goes on with what was saved.
    pub(super) fn resume(&mut self, state: &[u8]) -> Result<(), StateError> {
        type Numbers = Vec<(usize, usize)>;
        type Times = Vec<(Symbol, i64)>;
        type State = (
            PropositionaliserState,
            RecordState,
            Vec<Outcome>,
            [u64; 2],
            Vec<ActiveRule>,
            Vec<Vec<Clause>>,
            Numbers,
            Times,
        );
        let (propositionaliser, record, last, searched, active_rules, known, told, times): State = decode(state)?;
        ensure(last.is_empty() || last.len() == self.targets.len(), "the targets")?;
        last.iter().enumerate().try_for_each(|(target, outcome)| self.check(target, outcome))?;
        ensure(known.len() == self.heads.len(), "the heads")?;
        let numbered = |rule: &ActiveRule| {
            let number = usize::try_from(rule.number).ok().and_then(|n| n.checked_sub(1));
            let clause = number.and_then(|n| known.get(rule.head)?.get(n));
            clause == Some(&rule.clause)
        };
        ensure(
            active_rules.iter().all(numbered) && (active_rules.is_empty() || !last.is_empty()),
            "the rules at work",
        )?;
        self.propositionaliser.restore(propositionaliser)?;
        let shapes: Vec<_> = (0..self.record.slots.len())
            .map(|group| {
                let table = self.propositionaliser.table_of_group(group);
                let (literals, layout) = (Mask::first(self.propositionaliser.bits(group)), self.record.layouts[group]);
                let stride = layout.stride();
                let truth = move |words: &[u64]| layout.mask(words).fires_on(&literals);
                let fits = move |key: &[u64]| key.len().is_multiple_of(stride) && key.chunks(stride).all(&truth);
                (table.types.len(), fits)
            })
            .collect();
        self.record.restore(record, &shapes)?;
        [self.searched, self.searched_all] = searched;
        // What was searched was recorded before.
        ensure(self.searched <= self.record.added() && self.searched_all <= self.record.added(), "the counters")?;
        (self.last, self.active_rules, self.numbered, self.reported) = (last, active_rules, known, told);
        self.times = times.into_iter().collect();
        self.theory = Arc::new(self.active_rules());
        Ok(())
    }

    /// Whether this can be what a search for the rules of a target came to.
    fn check(&self, target: usize, outcome: &Outcome) -> Result<(), StateError> {
        let Target { persists, holds_while, .. } = &self.targets[target];
        let may_be = |kind: RuleKind| if kind == RuleKind::Observed { *holds_while } else { persists.contains(&kind) };
        let known = |rule: &Rule| !rule.body.is_empty() && self.fits(target, &rule.body) && may_be(rule.kind);
        ensure(outcome.rules.iter().all(known), "the literals of rules")?;
        ensure(
            definition_of(&outcome.rules) == Definition::Persists
                || outcome.rules.iter().all(|r| r.kind == RuleKind::Observed),
            "the kinds of rules",
        )?;
        let Fit { tp, fp, positives } = outcome.fit;
        ensure_counts([tp, fp, positives].map(i64::unsigned_abs))
    }

    /// Whether literals can be those of a target.
    fn fits(&self, target: usize, literals: &[Lit]) -> bool {
        let (table, slots) = (self.table(target), &self.record.slots[self.targets[target].group]);
        literals.iter().all(|literal| match *literal {
            Lit::Plain(bit) => (bit as usize) < table.len(),
            Lit::Threshold { slot, threshold } => (slot as usize) < slots.len() && threshold.is_sound(),
        })
    }
}
