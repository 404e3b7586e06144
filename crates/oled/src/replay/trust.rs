//! Trust: what speaks for a rule of a theory, and for a price of literals.

use super::quest::{Outcome, Quest, Rule, actions_of};
use super::record::Segment;
use super::search::{Fit, Terms, replay, replay_segments};
use super::view::Lit;
use crate::learn::Trust;

/// The prices of a literal that are tried.
const PRICES: [f64; 6] = [0.0005, 0.001, 0.002, 0.004, 0.008, 0.016];

/// Into how many parts segments are put when a price is chosen, and when rules are refitted.
const PRICE_FOLDS: u64 = 5;
const REFITS: u64 = 7;

impl Quest<'_> {
    /// How well rules fit.
    pub(crate) fn fit(&self, rules: &[Rule]) -> Fit {
        let view = self.view_of(rules);
        replay(&view, &actions_of(&view, rules), self.terms.direct())
    }

    /// What the theory would be without each of its rules.
    pub(crate) fn trust(&self, rules: &[Rule]) -> Vec<Trust> {
        let view = self.view_of(rules);
        // What literals cost the theory they cost it without one of its rules, too.
        let fit = replay(&view, &actions_of(&view, rules), self.terms.direct());
        let terms = Terms { penalty: self.terms.price(&fit), exact: false, ..self.terms };
        let quest = Quest { terms, ..*self };
        let worth = |rules: &[Rule]| {
            let (fit, errors) = replay_segments(&view, &actions_of(&view, rules), self.terms.direct());
            (quest.worth(&fit, rules), errors)
        };
        let (value, errors) = worth(rules);
        let without = |i: usize| {
            let rest: Vec<Rule> = rules.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, r)| r.clone()).collect();
            let (less, others) = worth(&rest);
            let count = |f: fn(&i64, &i64) -> bool| others.iter().zip(&errors).filter(|(o, e)| f(o, e)).count();
            Trust { gain: value - less, helps: count(|o, e| o > e), harms: count(|o, e| o < e), refits: None }
        };
        (0..rules.len()).map(without).collect()
    }

    /// How often each rule is found again where a seventh of the segments is left out, and how often that was tried.
    pub(crate) fn refits(&self, rules: &[Rule]) -> Vec<(usize, usize)> {
        let mut found = vec![(0, 0); rules.len()];
        for part in 0..REFITS {
            if self.watch.ends() {
                break;
            }
            self.watch.tell(|| format!("again without a part of the segments, {} of {REFITS}", part + 1));
            let rest: Vec<&Segment<'_>> = self.segments.iter().filter(|p| p.rank % REFITS != part).copied().collect();
            if rest.len() == self.segments.len() {
                continue;
            }
            let outcome = Quest { segments: &rest, ..*self }.full();
            // A search that was ended early says nothing of what it would have found.
            if outcome.cut_short {
                break;
            }
            for (rule, (again, tried)) in rules.iter().zip(&mut found) {
                *tried += 1;
                *again += usize::from(outcome.rules.iter().any(|other| self.alike(rule, other)));
            }
        }
        found
    }

    /// Whether two rules are the same but for their thresholds.
    fn alike(&self, a: &Rule, b: &Rule) -> bool {
        let closed = self.aspect.table.attributes();
        let about = |literal: &Lit| match *literal {
            Lit::Closed(bit) => (closed[bit as usize], self.aspect.table.patterns()[bit as usize].negated),
            Lit::Open { slot, .. } => (self.aspect.table.len() as u32 + u32::from(slot), false),
        };
        let kinds = |rule: &Rule| {
            let mut kinds: Vec<_> = rule.body.iter().map(about).collect();
            kinds.sort_unstable();
            kinds
        };
        a.kind == b.kind && kinds(a) == kinds(b)
    }

    /// The price of a literal whose theories do best on segments that they were not learned from.
    pub(crate) fn price(&self) -> f64 {
        let mut fits = [Fit::default(); PRICES.len()];
        for fold in 0..PRICE_FOLDS {
            let (test, rest): (Vec<&Segment<'_>>, Vec<&Segment<'_>>) =
                self.segments.iter().copied().partition(|p| p.rank / REFITS % PRICE_FOLDS == fold);
            if test.is_empty() || rest.is_empty() {
                continue;
            }
            for (price, fit) in PRICES.into_iter().zip(&mut fits) {
                if self.watch.ends() {
                    break;
                }
                self.watch.tell(|| format!("the price of a literal, {price}, part {} of {PRICE_FOLDS}", fold + 1));
                let mut quest = Quest { segments: &rest, ..*self };
                quest.terms.penalty = price;
                let Outcome { rules, .. } = quest.full();
                let own = Quest { segments: &test, ..*self }.fit(&rules);
                fit.tp += own.tp;
                fit.fp += own.fp;
                fit.positives += own.positives;
            }
        }
        // Of prices that do equally well the highest: it gives the shortest rules.
        let best = (0..PRICES.len()).max_by(|a, b| fits[*a].f1().total_cmp(&fits[*b].f1()).then(a.cmp(b)));
        best.map_or(PRICES[2], |i| PRICES[i])
    }
}
