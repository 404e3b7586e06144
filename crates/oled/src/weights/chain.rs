//! Chain: what holds of one fluent instance over time, as a network of two states that rules and inertia speak for.
//!
//! From one time point to the next, y to y',
//!
//! ```text
//! score(y, y') = [y' = 1] (weights of the starting rules that fire)  +  [y' = 0] (weights of the ending rules that fire)
//!              + [y = y' = 1, no ending rule fires] holding  +  [y = y' = 0, no starting rule fires] absent
//! ```
//!
//! and before the first time point that anything speaks for it, it does not hold. Nothing else couples time points, and nothing
//! couples instances. So the best sequence of states (Viterbi), and how probable each state is (forward and backward sums), are
//! exact, and while the same rules fire a whole run is taken in one step: staying where it is, leaving at once, leaving in
//! the end, or leaving for all but the two ends are the only ways through it that can be best, since
//! `score(0, 0) + score(1, 1) >= score(0, 1) + score(1, 0)`.

/// The scores of all steps of one kind: from the first state to the second.
pub type Scores = [[f64; 2]; 2];

/// Steps with the same scores, one after the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// The scores of each step.
    pub scores: Scores,
    /// How many steps: one at least.
    pub length: u32,
}

/// The ways through a run that can be best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// It stays where it is, all the time.
    Stay,
    /// It changes with the first step.
    AtOnce,
    /// It changes with the last step.
    InTheEnd,
    /// It changes with the first step, and back with the last.
    ThereAndBack,
}

impl Stretch {
    /// The best way from one state to another, and its score.
    fn best(&self, from: usize, to: usize) -> (f64, Way) {
        let (score, n) = (&self.scores, f64::from(self.length));
        let other = 1 - from;
        if from == to {
            let stay = n * score[from][from];
            if self.length < 2 {
                return (stay, Way::Stay);
            }
            let there = score[from][other] + (n - 2.0) * score[other][other] + score[other][from];
            return if there > stay { (there, Way::ThereAndBack) } else { (stay, Way::Stay) };
        }
        let change = score[from][to];
        let (early, late) = (change + (n - 1.0) * score[to][to], change + (n - 1.0) * score[from][from]);
        // Of two ways that are as good it is the one that holds for a shorter time.
        let at_once = if to == 1 { early > late } else { early >= late };
        if at_once { (early, Way::AtOnce) } else { (late, Way::InTheEnd) }
    }
}

/// The states that the steps of a stretch lead to: one for some steps, and one for the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct States {
    /// The state at first, and for how many steps.
    pub first: (usize, u32),
    /// The state after that, and for how many steps.
    pub then: (usize, u32),
}

impl States {
    fn of(way: Way, from: usize, to: usize, length: u32) -> States {
        let (first, then) = match way {
            Way::Stay | Way::AtOnce => ((to, length), (to, 0)),
            Way::InTheEnd => ((from, length - 1), (to, 1)),
            Way::ThereAndBack => ((1 - from, length - 1), (to, 1)),
        };
        States { first, then }
    }

    /// Both parts.
    pub fn parts(self) -> impl Iterator<Item = (usize, u32)> {
        [self.first, self.then].into_iter().filter(|(_, length)| *length > 0)
    }
}

/// How good it is to be in each state, before a step.
pub(super) type Standing = [f64; 2];

/// Nothing holds before the first step of a chain.
pub(super) const BEGINNING: Standing = [0.0, f64::NEG_INFINITY];

/// How good each state is after a stretch, and the best ways there, from which state each.
fn after(standing: Standing, stretch: &Stretch) -> (Standing, [(usize, Way); 2]) {
    let mut next = [f64::NEG_INFINITY; 2];
    let mut ways = [(0, Way::Stay); 2];
    for to in 0..2 {
        for (from, before) in standing.iter().enumerate().filter(|(_, before)| **before > f64::NEG_INFINITY) {
            let (score, way) = stretch.best(from, to);
            if before + score > next[to] {
                next[to] = before + score;
                ways[to] = (from, way);
            }
        }
    }
    (next, ways)
}

/// How good each state is after some stretches.
pub(super) fn standing(before: Standing, stretches: &[Stretch]) -> Standing {
    stretches.iter().fold(before, |standing, stretch| after(standing, stretch).0)
}

/// The best states of a chain that does not hold before its first step, for each stretch, and their score. Where two sequences
/// are as good, it is one that holds at fewer of the last time points.
pub fn decode(stretches: &[Stretch]) -> (f64, Vec<States>) {
    decode_from(BEGINNING, stretches)
}

/// The same where something is known of the states before.
pub(super) fn decode_from(before: Standing, stretches: &[Stretch]) -> (f64, Vec<States>) {
    let mut scores = before;
    let mut backward: Vec<[(usize, Way); 2]> = Vec::with_capacity(stretches.len());
    for stretch in stretches {
        let (next, ways) = after(scores, stretch);
        scores = next;
        backward.push(ways);
    }
    let mut to = usize::from(scores[1] > scores[0]);
    let score = scores[to];
    let mut found = vec![States::default(); stretches.len()];
    for (i, ways) in backward.iter().enumerate().rev() {
        let (from, way) = ways[to];
        found[i] = States::of(way, from, to, stretches[i].length);
        to = from;
    }
    (score, found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::deterministic;
    use proptest::prelude::*;

    /// The best score over all sequences of states, one by one.
    fn enumerated(steps: &[Scores]) -> f64 {
        let all = 0..1_usize << steps.len();
        let score = |states: usize| -> f64 {
            let at = |t: usize| states >> t & 1;
            (0..steps.len()).map(|t| steps[t][if t == 0 { 0 } else { at(t - 1) }][at(t)]).sum()
        };
        all.map(score).fold(f64::NEG_INFINITY, f64::max)
    }

    /// What a chain of these weights has: rules for both sides, and inertia where none speaks against it. Whole numbers, so
    /// that sums are exact and sequences that are as good are met with.
    fn scores() -> impl Strategy<Value = Scores> {
        (0..4_i8, 0..4_i8, 0..3_i8, 0..3_i8, any::<bool>()).prop_map(|(starts, ends, holding, absent, direct)| {
            let [starts, ends, holding, absent] = [starts, ends, holding, absent].map(f64::from);
            let absent = if starts > 0.0 { 0.0 } else { absent };
            if direct {
                return [[absent, starts], [absent, starts + holding]];
            }
            let holding = if ends > 0.0 { 0.0 } else { holding };
            [[ends + absent, starts], [ends, starts + holding]]
        })
    }

    proptest! {
        #![proptest_config(deterministic(10_000))]

        #[test]
        fn the_best_states_are_those_of_enumeration(runs in prop::collection::vec((scores(), 1..6_u32), 1..6)) {
            let mut stretches: Vec<Stretch> = Vec::new();
            let mut steps: Vec<Scores> = Vec::new();
            for (scores, length) in runs {
                let length = length.min(12 - steps.len() as u32);
                if length > 0 {
                    stretches.push(Stretch { scores, length });
                    steps.extend(std::iter::repeat_n(scores, length as usize));
                }
            }
            let best = enumerated(&steps);
            let (score, states) = decode(&stretches);
            prop_assert_eq!(score, best);
            // The states have that score.
            let path: Vec<usize> = states.iter().flat_map(|s| s.parts()).flat_map(|(s, n)| vec![s; n as usize]).collect();
            prop_assert_eq!(path.len(), steps.len());
            let before = std::iter::once(0).chain(path.iter().copied());
            let sum: f64 = before.zip(&path).zip(&steps).map(|((a, b), scores)| scores[a][*b]).sum();
            prop_assert_eq!(sum, best);
            // Runs are frames.
            let frames: Vec<Stretch> = steps.iter().map(|scores| Stretch { scores: *scores, length: 1 }).collect();
            prop_assert_eq!(decode(&frames).0, best);
        }
    }
}
