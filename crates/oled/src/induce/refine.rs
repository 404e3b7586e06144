//! Refinement: the bodies one to d literals away, and the two best of them.
//!
//! `ρ_d(r) = { head(r) ← body(r) ∧ D : D ⊆ ⊥_r, 1 ≤ |D| ≤ d }`, without those that a shorter one says as well: a literal
//! that the body or another new literal implies (a looser threshold) adds nothing.

use serde::{Deserialize, Serialize};

use super::{Ledger, Mask, Tally};

/// A body with the instances it covers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The body.
    pub body: Mask,
    /// What it covers.
    pub covered: Tally,
}

/// Calls `f` with every refinement of `body` within `bottom`, shorter ones first, then in the order of the literals.
///
/// `rows` are those of a ledger, and `implied[l]` is what literal `l` implies. Only rows above the body matter, and only
/// what they say of the bottom clause; for each literal that is added they are fewer, so that the cost of many candidates
/// is not that of as many passes.
pub fn for_each_refinement(
    rows: impl Iterator<Item = (Mask, Tally)>,
    body: Mask,
    bottom: Mask,
    depth: usize,
    implied: &[Mask],
    f: impl FnMut(Candidate),
) {
    let known = body.iter().fold(body, |mask, l| mask.with(implied[l]));
    let free = bottom.without(known);
    let literals: Vec<usize> = free.iter().collect();
    let n = literals.len();
    // From here on literals are numbered by their places among the free ones.
    let mut at = [0; Mask::CAPACITY];
    literals.iter().enumerate().for_each(|(i, &l)| at[l] = i);
    let mut above = Ledger::default();
    rows.filter(|(mask, _)| body.fires_on(*mask)).for_each(|(mask, tally)| above.add(mask.and(free), tally));
    let rows: Vec<(Mask, Tally)> = above
        .rows()
        .filter(|(_, tally)| !tally.is_zero())
        .map(|(mask, tally)| (mask.iter().map(|l| at[l]).collect(), tally))
        .collect();
    let apart = |a: usize, b: usize| !implied[literals[a]].has(literals[b]) && !implied[literals[b]].has(literals[a]);
    let may_follow = (0..n).map(|i| (i + 1..n).filter(|&j| apart(i, j)).collect()).collect();
    let covered = vec![Tally::default(); n];
    let mut search = Search { literals, may_follow, covered, f };
    for size in 1..=depth.min(n) {
        search.add(size, Mask::first(n), body, &rows);
    }
}

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
    fn add(&mut self, size: usize, allowed: Mask, body: Mask, rows: &[(Mask, Tally)]) {
        if size == 1 {
            for &(mask, tally) in rows {
                mask.and(allowed).iter().for_each(|i| self.covered[i] += tally);
            }
            for i in allowed.iter() {
                let covered = std::mem::take(&mut self.covered[i]);
                (self.f)(Candidate { body: body.with(Mask::of(self.literals[i])), covered });
            }
            return;
        }
        let mut above = Vec::with_capacity(rows.len());
        for i in allowed.iter() {
            let allowed = allowed.and(self.may_follow[i]);
            if allowed.len() < size - 1 {
                continue;
            }
            above.clear();
            above.extend(rows.iter().filter(|(mask, _)| mask.has(i)));
            self.add(size - 1, allowed, body.with(Mask::of(self.literals[i])), &above);
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
    refinements(&mut |candidate, score| match best {
        Some((_, top)) if score <= top => second = Some(second.map_or(score, |s: f64| s.max(score))),
        _ => {
            second = best.map(|(_, top)| top).or(second);
            best = Some((candidate, score));
        }
    });
    // The clause itself takes part: it is the second best unless another refinement is better.
    let itself = second.is_none_or(|s| own >= s);
    (best, if itself { own } else { second.unwrap_or(own) }, itself)
}
