//! Rule: a body within a bottom clause, its evidence, and what to do with it.

use serde::{Deserialize, Serialize};

use super::ledger::covered;
use super::refine::{Candidate, best_two, for_each_refinement};
use super::{Counts, Ledger, Mask, RuleKind, RunningMean, Tally, epsilon};
use super::{Evidence, Gap, Pruning, Settings, Tie, Unit};
use crate::calculus::Outcome;
use crate::state::{StateError, ensure, ensure_counts};

/// A clause being learned.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rule {
    /// Its number among all rules of its process.
    pub id: u64,
    /// The bottom clause it came from: what may be added to it.
    pub bottom: Mask,
    /// Its literals.
    pub body: Mask,
    /// What the stream's ledger said of it and all its candidates when its evidence began: that is what came later.
    before: Ledger,
    /// What the evidence says of the rule itself, kept as it comes in: the instances it covers, and all.
    covered: Tally,
    all: Tally,
    /// The candidate that was best when last all were looked at, kept as evidence comes in. While it is good enough to
    /// keep the rule from being given up, no other one needs to be looked at.
    watched_refinement: Option<Candidate>,
    /// Instances it was evaluated on since it came about.
    pub instances: u64,
    /// Interpretations it was evaluated on since it came about.
    pub interpretations: u64,
    /// Instances since the last expansion, and interpretations.
    pub since: (u64, u64),
    /// The mean gap between the best and the second best candidate.
    gap: RunningMean,
    /// How often it was specialised.
    pub expansions: u32,
}

/// What to do with a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Go on.
    Keep,
    /// Replace it by its best specialisation.
    Expand(Decision),
    /// Give it up.
    Prune(Decision),
}

/// A verdict's new body, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The new body.
    pub body: Mask,
    /// Why.
    pub figures: Figures,
}

/// The figures behind a verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// The score of the rule itself.
    pub own: f64,
    /// The score of its best specialisation.
    pub best: f64,
    /// The gap between the best and the second best.
    pub gap: f64,
    /// The bound.
    pub epsilon: f64,
    /// The tie threshold.
    pub tau: f64,
    /// The observations the bound was computed from.
    pub n: f64,
    /// Whether a tie was broken.
    pub tie: bool,
}

impl Rule {
    /// A rule whose evidence begins now, or, where all rules of a head share theirs, with the stream.
    pub fn new(id: u64, bottom: Mask, body: Mask, settings: &Settings, stream: &Ledger) -> Rule {
        let shared = settings.evidence == Evidence::Shared;
        let before = if shared { Ledger::default() } else { stream.within(&bottom) };
        let mut rule = Rule {
            id,
            bottom,
            body,
            before,
            covered: Tally::default(),
            all: Tally::default(),
            watched_refinement: None,
            instances: 0,
            interpretations: 0,
            since: (0, 0),
            gap: RunningMean::default(),
            expansions: 0,
        };
        rule.recount(stream);
        rule
    }

    /// Takes note of an instance that the stream's ledger has got; returns whether the rule fires on it.
    #[inline]
    pub fn count(&mut self, outcome: Outcome, fires: impl Fn(&Mask) -> bool) -> bool {
        let fired = fires(&self.body);
        if fired {
            self.covered.add(outcome);
            if let Some(watched_refinement) = &mut self.watched_refinement
                && fires(&watched_refinement.body)
            {
                watched_refinement.covered.add(outcome);
            }
        }
        fired
    }

    /// Takes note of an interpretation, all of whose instances were counted.
    pub fn count_all(&mut self, all: Tally) {
        let instances = all.total() as u64;
        self.all += all;
        self.instances += instances;
        self.interpretations += 1;
        self.since.0 += instances;
        self.since.1 += 1;
    }

    /// Counts the rule anew from its evidence.
    fn recount(&mut self, stream: &Ledger) {
        self.covered = covered(stream.since(&self.before), &self.body);
        self.all = covered(stream.since(&self.before), &Mask::EMPTY);
        self.watched_refinement = None;
    }

    /// Whether this can be a rule over these literals.
    pub(crate) fn check(&self, literals: &Mask) -> Result<(), StateError> {
        let within = self.bottom.fires_on(literals) && self.body.fires_on(&self.bottom);
        let is_refinement = self
            .watched_refinement
            .as_ref()
            .is_none_or(|watched_refinement| watched_refinement.body.fires_on(&self.bottom));
        ensure(within && is_refinement && self.expansions < u32::MAX / 2, "the literals of a rule")?;
        self.before.check(literals)?;
        let tallies = [
            Some(self.covered),
            Some(self.all),
            self.watched_refinement.as_ref().map(|watched_refinement| watched_refinement.covered),
        ];
        ensure_counts(tallies.into_iter().flatten().flat_map(Tally::sizes))?;
        let counts = [self.id, self.instances, self.interpretations, self.since.0, self.since.1, self.gap.count()];
        ensure_counts(counts)
    }

    /// The rule's counts.
    pub fn counts(&self, kind: RuleKind, settings: &Settings) -> Counts {
        Counts::new(kind, settings.score, self.covered, self.all)
    }

    /// The rule's score.
    pub fn score(&self, kind: RuleKind, settings: &Settings) -> f64 {
        let counts = self.counts(kind, settings);
        counts.score(kind, settings.score, counts)
    }

    /// The number of observations that the bound is computed from.
    pub fn n(&self, kind: RuleKind, settings: &Settings) -> f64 {
        self.observations(self.counts(kind, settings), kind, settings)
    }

    fn observations(&self, counts: Counts, kind: RuleKind, settings: &Settings) -> f64 {
        match settings.unit {
            Unit::Instances => self.since.0 as f64,
            Unit::Interpretations => self.since.1 as f64,
            Unit::Denominator => counts.denominator(kind, settings.score) as f64,
        }
    }

    /// Whether to specialise the rule (`ExpandClause` of Algorithm 1). `tau` is the process's mean of the bounds seen so
    /// far, which this adds to.
    pub fn expand(
        &mut self,
        kind: RuleKind,
        settings: &Settings,
        implied: &[Mask],
        stream: &Ledger,
        tau: &mut RunningMean,
    ) -> Verdict {
        let own = self.counts(kind, settings);
        let n = self.observations(own, kind, settings);
        let epsilon = epsilon(settings.delta, n);
        if !epsilon.is_finite() {
            return Verdict::Keep;
        }
        tau.add(epsilon);
        let own_score = own.score(kind, settings.score, own);
        let all = self.all;
        let score = |covered: Tally| Counts::new(kind, settings.score, covered, all).score(kind, settings.score, own);
        let (best, second, itself) = best_two(own_score, |found| {
            let evidence = stream.since(&self.before);
            for_each_refinement(evidence, &self.body, &self.bottom, settings.depth, implied, |c| {
                let score = score(c.covered);
                found(c, score);
            });
        });
        let Some((candidate, best)) = best else { return Verdict::Keep };
        self.gap.add(best - second);
        let gap = match settings.gap {
            Gap::Mean => self.gap.mean().unwrap_or(0.0),
            Gap::Last => best - second,
        };
        let tau = match settings.tie {
            Tie::Adaptive => tau.mean().unwrap_or(epsilon),
            Tie::Fixed(threshold) => threshold,
            Tie::None => 0.0,
        };
        // A tie with the clause itself is no reason to specialise it.
        let tie = gap <= epsilon && epsilon < tau && !itself;
        let margin = !settings.margin || itself || best - own_score > epsilon;
        let decision =
            Decision { body: candidate.body, figures: Figures { own: own_score, best, gap, epsilon, tau, n, tie } };
        if best > own_score && margin && (gap > epsilon || tie) { Verdict::Expand(decision) } else { Verdict::Keep }
    }

    /// Whether to give the rule up (`Prune` of Algorithm 1).
    pub fn prune(&mut self, kind: RuleKind, settings: &Settings, implied: &[Mask], stream: &Ledger) -> Verdict {
        if settings.pruning == Pruning::None {
            return Verdict::Keep;
        }
        let own = self.counts(kind, settings);
        let score = own.score(kind, settings.score, own);
        let threshold = settings.threshold(kind);
        // A score that is a share of nothing says nothing yet.
        if score >= threshold || own.denominator(kind, settings.score) == 0 {
            return Verdict::Keep;
        }
        let n = self.observations(own, kind, settings);
        let epsilon = epsilon(settings.delta, n);
        if threshold - score <= epsilon {
            return Verdict::Keep;
        }
        let mut best = score;
        if settings.pruning == Pruning::Guarded {
            let all = self.all;
            let reached =
                |c: &Candidate| Counts::new(kind, settings.score, c.covered, all).score(kind, settings.score, own);
            let may_reach = |best: f64| threshold - best <= epsilon;
            if self.watched_refinement.as_ref().is_some_and(|watched_refinement| may_reach(reached(watched_refinement)))
            {
                return Verdict::Keep;
            }
            let evidence = stream.since(&self.before);
            for_each_refinement(evidence, &self.body, &self.bottom, settings.depth, implied, |c| {
                let score = reached(&c);
                if score > best {
                    (best, self.watched_refinement) = (score, Some(c));
                }
            });
            if may_reach(best) {
                return Verdict::Keep;
            }
        }
        let figures = Figures { own: score, best, gap: 0.0, epsilon, tau: 0.0, n, tie: false };
        Verdict::Prune(Decision { body: self.body.clone(), figures })
    }

    /// Replaces the body; evidence for the new candidates starts afresh if the settings say so.
    pub fn specialise(&mut self, body: Mask, settings: &Settings, stream: &Ledger) {
        self.body = body;
        self.gap = RunningMean::default();
        self.expansions += 1;
        if settings.evidence == Evidence::Restart {
            self.before = stream.within(&self.bottom);
            self.since = (0, 0);
        }
        self.recount(stream);
    }
}

/// The counts of a body in a ledger.
pub(crate) fn counts(ledger: &Ledger, body: &Mask, kind: RuleKind, settings: &Settings) -> Counts {
    Counts::new(kind, settings.score, ledger.covered(body), ledger.covered(&Mask::EMPTY))
}
