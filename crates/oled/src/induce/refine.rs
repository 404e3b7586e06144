//! Refinement: the bodies one to d literals away, and the two best of them.
//!
//! `ρ_d(r) = { head(r) ← body(r) ∧ D : D ⊆ ⊥_r, 1 ≤ |D| ≤ d }`, without those that a shorter one says as well: a literal
//! that the body or another new literal implies (a looser threshold) adds nothing.

use super::{Ledger, Mask, Tally};

/// A body with the instances it covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The body.
    pub body: Mask,
    /// What it covers.
    pub covered: Tally,
}

/// Calls `f` with every refinement of `body` within `bottom`, shorter ones first, then in the order of the literals.
///
/// `implied[l]` is what literal `l` implies. All candidates of up to two literals are counted in one pass over the
/// ledger's rows; more than two take a pass each.
pub fn for_each_refinement(
    ledger: &Ledger,
    body: Mask,
    bottom: Mask,
    depth: usize,
    implied: &[Mask],
    mut f: impl FnMut(Candidate),
) {
    let known = body.iter().fold(body, |mask, l| mask.with(implied[l]));
    let free: Vec<usize> = bottom.without(known).iter().collect();
    let n = free.len();
    // Where a literal of the table stands among the free ones.
    let mut at = [usize::MAX; Mask::CAPACITY];
    free.iter().enumerate().for_each(|(i, &l)| at[l] = i);
    let pairs = depth >= 2;
    let mut single = vec![Tally::default(); n];
    let mut double = vec![Tally::default(); if pairs { n * n } else { 0 }];
    let mut here: Vec<usize> = Vec::with_capacity(n);
    let free_mask: Mask = free.iter().copied().collect();
    for (mask, tally) in ledger.rows().filter(|(mask, _)| body.fires_on(*mask)) {
        here.clear();
        here.extend(mask.and(free_mask).iter().map(|l| at[l]));
        for (k, &i) in here.iter().enumerate() {
            single[i] += tally;
            if pairs {
                here[k + 1..].iter().for_each(|&j| double[i * n + j] += tally);
            }
        }
    }
    for i in 0..n {
        f(Candidate { body: body.with(Mask::of(free[i])), covered: single[i] });
    }
    let independent = |a: usize, b: usize| !implied[free[a]].has(free[b]) && !implied[free[b]].has(free[a]);
    if pairs {
        for i in 0..n {
            for j in (i + 1..n).filter(|&j| independent(i, j)) {
                let body = body.with(Mask::of(free[i])).with(Mask::of(free[j]));
                f(Candidate { body, covered: double[i * n + j] });
            }
        }
    }
    let mut chosen = Vec::new();
    for size in 3..=depth.min(n) {
        combinations(n, size, &mut chosen, &mut |chosen| {
            let apart = chosen.iter().enumerate().all(|(k, &a)| chosen[k + 1..].iter().all(|&b| independent(a, b)));
            if apart {
                let body = chosen.iter().fold(body, |mask, &i| mask.with(Mask::of(free[i])));
                f(Candidate { body, covered: ledger.covered(body) });
            }
        });
    }
}

fn combinations(n: usize, size: usize, chosen: &mut Vec<usize>, f: &mut impl FnMut(&[usize])) {
    if chosen.len() == size {
        return f(chosen);
    }
    for i in chosen.last().map_or(0, |l| l + 1)..n {
        chosen.push(i);
        combinations(n, size, chosen, f);
        chosen.pop();
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
