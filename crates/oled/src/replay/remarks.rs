//! What there is to remark about what was learned: what is estimated, what no rule could have, and which limit was reached.

use super::fluent::Outcome;
use super::learner::Replay;
use super::settings::ReplaySettings;
use super::why_nothing::{Nothing, unobserved};
use crate::induce::{LiteralTable, RuleKind};

impl Replay {
    /// Why what is remembered is not the whole stream as recognition would see it, if it is not.
    pub(super) fn estimated(&self) -> Vec<String> {
        let mut reasons: Vec<String> = self.propositionaliser.remark_oversized().into_iter().collect();
        if self.record.is_rounded() {
            reasons.push(
                "thresholds are rounded: there were more runs than `runs` allows, and measured values are remembered less \
                 exactly"
                    .into(),
            );
        }
        let (kept, all) = self.record.segment_counts();
        if (kept as u64) < all {
            reasons.push(format!(
                "learned from {kept} of {all} segments: more are not remembered (`runs`, `window` and `forget` say how many)"
            ));
        } else if !self.record.is_whole() {
            reasons.push("learned from parts of long segments: more is not remembered (`runs` says how much)".into());
        }
        if let Some((group, variable)) = self.reported.first() {
            let name = LiteralTable::introduced_name(*variable);
            let head = self.heads.iter().find(|h| self.targets[h.target].group == *group).map(|h| h.name);
            let of = head.map_or_else(String::new, |name| format!(" of rules for `{name}`"));
            reasons.push(format!(
                "`{name}`{of} had too many values at some time points to try them all; conditions on it count as false there"
            ));
        }
        for (number, target) in self.targets.iter().enumerate() {
            let name = target.name;
            let given = self.propositionaliser.given(number);
            if self.propositionaliser.depends_on_learned(number) {
                reasons.push(format!("what the background starts and ends of `{name}` depends on what is learned"));
            }
            if self.propositionaliser.is_equivalence(number) && self.propositionaliser.goes_on_unobserved(number) {
                reasons.push(format!(
                    "`{name}` is an equivalence that goes on while somebody is not observed: pairs that were never observed together \
                     are not judged"
                ));
            }
            if self.propositionaliser.is_partial(number) {
                reasons.push(format!(
                    "the background starts instances of the fluent of `{name}` that no `modeh` speaks of"
                ));
            }
            if given.ends.is_some() && self.propositionaliser.goes_on_unobserved(number) {
                reasons.push(format!("what the background ends of `{name}` may be about what is not observed"));
            }
        }
        reasons
    }

    /// Which conditions no rule could have, and why.
    pub(super) fn left_out(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        for (number, target) in self.targets.iter().enumerate() {
            let table = self.table(number);
            let closed = target.left_out.iter().map(|l| table.patterns()[l].signature);
            let open = table.open_literals().iter().zip(self.propositionaliser.wrapping(number).1);
            let open =
                open.filter(|(_, out)| **out).map(|(o, _)| self.propositionaliser.measures()[o.measure].predicate);
            let mut names: Vec<String> = Vec::new();
            for name in closed.chain(open).map(|signature| format!("`{signature}`")) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            if !names.is_empty() {
                remarks.push(format!(
                    "no rule for `{}` could have the condition {}: it follows from what is learned at the same time or later",
                    target.name,
                    names.join(" or ")
                ));
            }
        }
        remarks
    }

    /// The limit that the rules of a target have reached, if they have: there might be better ones without it.
    pub(super) fn at_a_limit(&self, target: usize, outcome: &Outcome) -> Option<(&'static str, usize, String)> {
        let (name, ReplaySettings { max_literals, max_rules, .. }) = (self.targets[target].name, &self.settings);
        if outcome.rules.len() >= *max_rules {
            let what = format!("`{name}` has as many rules as `max_rules` allows, {max_rules}; more might fit better");
            return Some(("max_rules", *max_rules, what));
        }
        let longest = outcome.rules.iter().map(|rule| rule.body.len()).max().unwrap_or(0);
        (longest >= *max_literals).then(|| {
            let what = format!(
                "a rule for `{name}` has as many literals as `max_literals` allows, {max_literals}; more might fit better"
            );
            ("max_literals", *max_literals, what)
        })
    }

    /// That rules do worse by more than half on what they were not made from.
    fn are_of_little_use(&self, target: usize, outcome: &Outcome) -> Option<String> {
        let held_out = outcome.held_out[self.definition(target, &outcome.rules) as usize]?.counts().f1();
        let (fluent, own) = (self.targets[target].name, outcome.fit.counts().f1());
        (2.0 * held_out < own).then(|| {
            format!(
                "rules for `{fluent}` have F1 {own:.3} where they were made and {held_out:.3} on what was held out: expect the latter of \
                 new data. More labelled intervals, or conditions that say more, would help."
            )
        })
    }

    /// Why nothing was learned that starts a target, or why it may be worth nothing.
    pub(super) fn remark(&self, target: usize, outcome: &Outcome) -> Option<String> {
        let (unseen, positives) = (outcome.seen.unobserved, outcome.fit.positives as u64);
        if self.is_started(target, outcome) {
            let ((cause, remedy), fluent) = (unobserved(unseen, positives), self.targets[target].name);
            let unseen = (2 * unseen > positives)
                .then(|| format!("no rules can recognise most of what is annotated of `{fluent}`: {cause}. {remedy}."));
            return unseen.or_else(|| self.are_of_little_use(target, outcome));
        }
        // A fluent that only ends is started by somebody else.
        self.head(target, RuleKind::Initiation).or(self.head(target, RuleKind::Observed))?;
        let seen = &outcome.seen;
        let nothing = Nothing {
            fluent: self.targets[target].name,
            segments: seen.segments,
            with_event: seen.with_event,
            intervals: seen.intervals,
            begun: self.record.segment_counts().1,
            positives: outcome.fit.positives as u64,
            unobserved: seen.unobserved,
            missing: self.propositionaliser.missing(),
            conditions: seen.literals,
            refused: seen.refused,
            penalty: outcome.penalty,
            max_literals: self.settings.max_literals,
            cut_short: outcome.cut_short,
        };
        Some(nothing.tell())
    }
}
