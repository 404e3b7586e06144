//! What searches came to as whoever asks a learner is told it: rules with their grounds, how they fit, and remarks.

use super::Replay;
use crate::induce::RuleKind;
use crate::learn::{Ablation, FluentFit, HeldOut, Learned, LearnedRule, RuleEvidence};
use crate::replay::fluent::Outcome;

impl Replay {
    pub(super) fn learned_from(&self, outcomes: Vec<(Outcome, Vec<Ablation>)>) -> Learned {
        let before = self.active_rules.iter().map(|rule| ((rule.head, rule.number), rule.clause.clone())).collect();
        let mut learned = Learned { interpretations: self.record.frames(), before: Some(before), ..Learned::default() };
        // Rules that were never at work have the numbers after those that were.
        let mut new = vec![0; self.heads.len()];
        for (target, (outcome, trust)) in outcomes.into_iter().enumerate() {
            for (rule, trust) in outcome.rules.iter().zip(trust) {
                let clause = self.clause(target, rule);
                let head = self.head_of(target, rule.kind);
                let known = self.numbered[head].iter().position(|c| *c == clause);
                let number = known.unwrap_or_else(|| {
                    new[head] += 1;
                    self.numbered[head].len() + new[head] - 1
                }) as u64
                    + 1;
                learned.rules.push(LearnedRule { clause, id: (head, number), evidence: RuleEvidence::Ablation(trust) });
            }
            self.add_fit(&mut learned.fits, target, &outcome);
            if outcome.cut_short && !outcome.rules.is_empty() {
                let name = self.targets[target].name;
                learned
                    .remarks
                    .push(format!("the search for rules of `{name}` was cut short: there may be better ones"));
            }
            learned.remarks.extend(self.remark(target, &outcome));
            learned.remarks.extend(self.at_a_limit(target, &outcome).map(|(_, _, what)| what));
        }
        learned.estimated = self.estimated();
        learned.remarks.extend(self.left_out());
        learned
    }

    /// Whether anything starts a target: a rule, or the background.
    pub(in crate::replay) fn is_started(&self, target: usize, outcome: &Outcome) -> bool {
        outcome.rules.iter().any(|rule| rule.kind != RuleKind::Termination)
            || self.propositionaliser.given(target).starts.is_some()
            || self.propositionaliser.holds_initially(target)
    }

    /// Adds how the rules of a target fit to what is known of its fluent, which may have several targets.
    fn add_fit(&self, fits: &mut Vec<FluentFit>, target: usize, outcome: &Outcome) {
        let starts = self.is_started(target, outcome);
        let Outcome { penalty, ref fit, .. } = *outcome;
        let kind = self.definition(target, &outcome.rules);
        let [counts, other] = [kind, kind.other()].map(|kind| outcome.held_out[kind as usize].map(|fit| fit.counts()));
        let new = FluentFit {
            fluent: self.targets[target].name,
            counts: fit.counts(),
            starts,
            penalty: Some(penalty),
            held_out: counts.map(|counts| HeldOut { kind, counts, other }),
            gap: (outcome.gap < f64::MAX).then_some(outcome.gap),
            looked_at: (outcome.looked_at > 0).then_some((outcome.looked_at, outcome.looked_at_by_folds)),
        };
        match fits.iter_mut().find(|fit| fit.fluent == new.fluent) {
            Some(known) => {
                known.counts += new.counts;
                known.starts |= new.starts;
                if let (Some(known), Some(new)) = (&mut known.held_out, new.held_out) {
                    known.counts += new.counts;
                }
            }
            None => fits.push(new),
        }
    }
}
