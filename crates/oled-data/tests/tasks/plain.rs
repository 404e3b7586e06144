//! Algorithm 1 once more, as plainly as possible: every instance is kept, and every candidate is tested on every one of them.

use std::collections::{BTreeMap, BTreeSet};

use oled::Settings;
use oled::calculus::Outcome;
use oled::induce::{Evidence, ExpandWhen, Gap, OutputFilter, Pruning, RuleKind, Seeds, Tie, Unit};

pub(super) type Body = BTreeSet<usize>;

/// A head instance: the values of its variables, the literals that are true of it, and what becomes of it.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) truth: Body,
    pub(super) outcome: Outcome,
}

pub(super) struct PlainRule {
    id: u64,
    bottom: Body,
    body: Body,
    /// Every instance since its evidence was last restarted.
    cases: Vec<Case>,
    gaps: Vec<f64>,
    erred: bool,
    instances: u64,
}

/// Algorithm 1 once more, as plainly as possible, for the settings that the presets use.
pub(super) struct Plain<'a> {
    pub(super) kind: RuleKind,
    pub(super) settings: Settings,
    pub(super) implied: &'a BTreeMap<usize, Body>,
    /// The literals of which a rule that starts must have one: those that are about both variables; none if any will do.
    pub(super) relating: Option<Body>,
    pub(super) rules: Vec<PlainRule>,
    pub(super) epsilons: Vec<f64>,
    pub(super) all: Vec<Case>,
    pub(super) next: u64,
    /// What was decided: interpretation, rule, and the new body, or `None` where the rule was given up.
    pub(super) decisions: Vec<(u64, u64, Option<Body>)>,
}

impl Plain<'_> {
    /// TP and the denominator of the score, counted one by one.
    fn share(&self, body: &Body, cases: &[Case]) -> (f64, f64) {
        let (mut part, mut whole) = (0.0, 0.0);
        for case in cases {
            let fires = body.is_subset(&case.truth);
            match self.kind {
                RuleKind::Termination if case.outcome.holds_next() => {
                    whole += 1.0;
                    part += if fires { 0.0 } else { 1.0 };
                }
                RuleKind::Termination => {}
                _ if fires => {
                    whole += 1.0;
                    part += if case.outcome.holds_next() { 1.0 } else { 0.0 };
                }
                _ => {}
            }
        }
        (part, whole)
    }

    fn score(&self, body: &Body, cases: &[Case]) -> f64 {
        let (part, whole) = self.share(body, cases);
        if whole == 0.0 { 0.0 } else { part / whole }
    }

    fn closure(&self, body: &Body) -> Body {
        body.iter().flat_map(|l| &self.implied[l]).copied().collect()
    }

    /// All bodies one or two literals away that say something new, shorter ones first.
    fn refinements(&self, rule: &PlainRule) -> Vec<Body> {
        let known = self.closure(&rule.body);
        let free: Vec<usize> = rule.bottom.iter().copied().filter(|l| !known.contains(l)).collect();
        let mut all = Vec::new();
        for &l in &free {
            all.push(rule.body.iter().copied().chain([l]).collect());
        }
        if self.settings.depth > 1 {
            for (i, &a) in free.iter().enumerate() {
                for &b in &free[i + 1..] {
                    if !self.implied[&a].contains(&b) && !self.implied[&b].contains(&a) {
                        all.push(rule.body.iter().copied().chain([a, b]).collect());
                    }
                }
            }
        }
        all
    }

    fn n(&self, rule: &PlainRule) -> f64 {
        match self.settings.unit {
            Unit::Denominator => self.share(&rule.body, &rule.cases).1,
            _ => rule.cases.len() as f64,
        }
    }

    pub(super) fn learn(&mut self, interpretation: u64, cases: &[Case]) {
        let seed = |case: &Case| match self.kind {
            RuleKind::Termination => case.outcome == Outcome::Ends,
            _ if self.settings.seeds == Seeds::Begins => case.outcome == Outcome::Begins,
            _ => case.outcome.holds_next(),
        };
        let uncovered = cases
            .iter()
            .find(|c| seed(c) && !self.rules.iter().any(|r| r.body.is_subset(&c.truth)))
            .map(|c| c.truth.clone());
        for rule in &mut self.rules {
            rule.cases.extend(cases.iter().cloned());
            rule.instances += cases.len() as u64;
            let wrong = |c: &Case| c.outcome.holds_next() == (self.kind == RuleKind::Termination);
            rule.erred |= cases.iter().any(|c| wrong(c) && rule.body.is_subset(&c.truth));
        }
        self.all.extend(cases.iter().cloned());
        let grow = uncovered.filter(|b| !self.rules.iter().any(|r| r.bottom == *b));
        if let Some(bottom) = &grow {
            let id = self.next;
            self.next += 1;
            let (body, cases, gaps) = (Body::new(), Vec::new(), Vec::new());
            self.rules.push(PlainRule { id, bottom: bottom.clone(), body, cases, gaps, erred: false, instances: 0 });
        }
        if grow.is_none() && interpretation.is_multiple_of(self.settings.every) {
            for i in 0..self.rules.len() {
                self.expand(i, interpretation);
            }
        }
        self.prune(interpretation);
    }

    fn expand(&mut self, i: usize, interpretation: u64) {
        let erred = std::mem::take(&mut self.rules[i].erred);
        if self.settings.expand == ExpandWhen::Errs && !erred {
            return;
        }
        let n = self.n(&self.rules[i]);
        if n == 0.0 {
            return;
        }
        let epsilon = oled::induce::epsilon(self.settings.delta, n);
        self.epsilons.push(epsilon);
        let rule = &self.rules[i];
        let own = self.score(&rule.body, &rule.cases);
        let mut scored: Vec<(f64, usize, Body)> =
            self.refinements(rule).into_iter().enumerate().map(|(k, b)| (self.score(&b, &rule.cases), k, b)).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let Some((best, _, body)) = scored.first().cloned() else { return };
        let rival = scored.get(1).map(|s| s.0);
        let itself = rival.is_none_or(|r| own >= r);
        let second = if itself { own } else { rival.unwrap() };
        self.rules[i].gaps.push(best - second);
        let gaps = &self.rules[i].gaps;
        let gap =
            if self.settings.gap == Gap::Mean { gaps.iter().sum::<f64>() / gaps.len() as f64 } else { best - second };
        assert_eq!(self.settings.tie, Tie::Adaptive);
        let tau = self.epsilons.iter().sum::<f64>() / self.epsilons.len() as f64;
        if best > own && (gap > epsilon || epsilon < tau && !itself) {
            let keep = self.settings.evidence == Evidence::Keep;
            let rule = &mut self.rules[i];
            self.decisions.push((interpretation, rule.id, Some(body.clone())));
            rule.body = body;
            rule.gaps.clear();
            if !keep {
                rule.cases.clear();
            }
        }
    }

    fn prune(&mut self, interpretation: u64) {
        let threshold = self.settings.threshold(self.kind);
        let hopeless: Vec<bool> = (self.rules.iter())
            .map(|rule| {
                let epsilon = oled::induce::epsilon(self.settings.delta, self.n(rule));
                let (_, whole) = self.share(&rule.body, &rule.cases);
                let low = |b: &Body| threshold - self.score(b, &rule.cases) > epsilon;
                let guarded = self.settings.pruning == Pruning::Guarded;
                whole > 0.0 && low(&rule.body) && (!guarded || self.refinements(rule).iter().all(low))
            })
            .collect();
        for i in (0..hopeless.len()).filter(|&i| hopeless[i]) {
            self.decisions.push((interpretation, self.rules[i].id, None));
        }
        let mut i = 0;
        self.rules.retain(|_| {
            i += 1;
            !hopeless[i - 1]
        });
    }

    pub(super) fn output(&self) -> Vec<Body> {
        let threshold = self.settings.threshold(self.kind);
        let stream = self.settings.output == OutputFilter::Stream;
        let kept: Vec<&Body> = (self.rules.iter())
            .filter(|r| !r.body.is_empty() && r.instances >= self.settings.warmup)
            .filter(|r| self.relating.as_ref().is_none_or(|relating| !r.body.is_disjoint(relating)))
            .map(|r| &r.body)
            .filter(|b| !stream || self.score(b, &self.all) >= threshold)
            .collect();
        let general = |a: &Body, b: &Body| a.is_subset(&self.closure(b));
        (0..kept.len())
            .filter(|&i| {
                !(0..kept.len()).any(|j| i != j && general(kept[j], kept[i]) && (!general(kept[i], kept[j]) || j < i))
            })
            .map(|i| kept[i].clone())
            .collect()
    }
}
