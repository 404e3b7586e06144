//! Refinement: the bodies one to d literals away, and the two best of them.
//!
//! `ρ_d(r) = { head(r) ← body(r) ∧ D : D ⊆ ⊥_r, 1 ≤ |D| ≤ d }`, without those that a shorter one says as well: a literal
//! that the body or another new literal implies (a looser threshold) adds nothing.

use std::borrow::Borrow;

use serde::{Deserialize, Serialize};

use super::{Ledger, Mask, Tally};

/// A body with the instances it covers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The body.
    pub body: Mask,
    /// What it covers.
    pub covered: Tally,
}

/// Calls `f` with every refinement of `body` within `bottom`, shorter ones first, then in the order of the literals.
///
/// `rows` are those of a ledger, and `implied[l]` is what else literal `l` implies. Only rows above the body matter, and only
/// what they say of the bottom clause; for each literal that is added they are fewer, so that the cost of many candidates
/// is not that of as many passes.
pub fn for_each_refinement<'a>(
    rows: impl Iterator<Item = (&'a Mask, Tally)>,
    body: &Mask,
    bottom: &Mask,
    depth: usize,
    implied: &[Mask],
    f: impl FnMut(Candidate),
) {
    let mut known = body.clone();
    body.iter().for_each(|l| known.add(&implied[l]));
    let free = bottom.without(&known);
    let literals: Vec<usize> = free.iter().collect();
    let n = literals.len();
    // From here on literals are numbered by their places among the free ones.
    let mut at = vec![0; literals.last().map_or(0, |last| last + 1)];
    literals.iter().enumerate().for_each(|(i, &l)| at[l] = i);
    let mut above = Ledger::default();
    rows.for_each(|(mask, tally)| {
        if body.fires_on(mask) {
            above.add(mask.and(&free), tally);
        }
    });
    let rows: Vec<Row> = above
        .rows()
        .filter(|(_, tally)| !tally.is_zero())
        .map(|(mask, tally)| (mask.iter().map(|l| at[l]).collect(), tally))
        .collect();
    let all = Mask::first(n);
    let depth = depth.min(n);
    // A single literal is followed by none.
    let may_follow = if depth > 1 { may_follow(&literals, &at, &free, implied) } else { Vec::new() };
    let covered = vec![Tally::default(); n];
    let mut search = Search { literals, may_follow, covered, f };
    for size in 1..=depth {
        search.add(size, &all, body, &rows);
    }
}

/// For each of some literals the later ones that say something else; all by their places `at`.
fn may_follow(literals: &[usize], at: &[usize], free: &Mask, implied: &[Mask]) -> Vec<Mask> {
    let mut later = Mask::first(literals.len());
    let mut may_follow: Vec<Mask> = Vec::with_capacity(literals.len());
    for i in 0..literals.len() {
        later.toggle(&Mask::of(i));
        may_follow.push(later.clone());
    }
    for (i, &literal) in literals.iter().enumerate() {
        for other in implied[literal].shared(free).map(|l| at[l]) {
            let (first, second) = (i.min(other), i.max(other));
            if may_follow[first].has(second) {
                may_follow[first].toggle(&Mask::of(second));
            }
        }
    }
    may_follow
}

/// What was true, by the places of literals, and how often it came with which outcome.
type Row = (Mask, Tally);

struct Search<F> {
    literals: Vec<usize>,
    /// The later literals that say something else than each literal.
    may_follow: Vec<Mask>,
    /// For the last literal of a candidate; all zero in between.
    covered: Vec<Tally>,
    f: F,
}

impl<F: FnMut(Candidate)> Search<F> {
    /// Adds `size` literals out of `allowed` to a body in all ways, given the rows above it.
    fn add(&mut self, size: usize, allowed: &Mask, body: &Mask, rows: &[impl Borrow<Row>]) {
        let with = |literal: usize| {
            let mut body = body.clone();
            body.insert(literal);
            body
        };
        if size == 1 {
            for (mask, tally) in rows.iter().map(Borrow::borrow) {
                mask.shared(allowed).for_each(|i| self.covered[i] += *tally);
            }
            for i in allowed.iter() {
                let covered = std::mem::take(&mut self.covered[i]);
                (self.f)(Candidate { body: with(self.literals[i]), covered });
            }
            return;
        }
        let mut above: Vec<&Row> = Vec::with_capacity(rows.len());
        for i in allowed.iter() {
            let allowed = allowed.and(&self.may_follow[i]);
            if allowed.len() < size - 1 {
                continue;
            }
            above.clear();
            above.extend(rows.iter().map(Borrow::borrow).filter(|(mask, _)| mask.has(i)));
            let body = with(self.literals[i]);
            self.add(size - 1, &allowed, &body, &above);
        }
    }
}

/// The best refinement and the score of the second best, the clause itself among the candidates. Of equal scores the
/// first counts as better.
pub fn best_two(
    own: f64,
    refinements: impl FnOnce(&mut dyn FnMut(Candidate, f64)),
) -> (Option<(Candidate, f64)>, f64, bool) {
    let mut best: Option<(Candidate, f64)> = None;
    let mut second: Option<f64> = None;
    refinements(&mut |candidate, score| match &best {
        Some((_, top)) if score <= *top => second = Some(second.map_or(score, |s: f64| s.max(score))),
        _ => {
            second = best.as_ref().map(|(_, top)| *top).or(second);
            best = Some((candidate, score));
        }
    });
    // The clause itself takes part: it is the second best unless another refinement is better.
    let itself = second.is_none_or(|s| own >= s);
    (best, if itself { own } else { second.unwrap_or(own) }, itself)
}
