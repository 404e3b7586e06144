//! Chain: what holds of one fluent instance over time, as a network of states that rules and inertia speak for.
//!
//! A fluent holds or does not; one with values has one of them, or none. From one time point to the next, y to y',
//!
//! ```text
//! score(y, y') = [y' = v] (weights of the rules that start v and fire)  +  [y' != v] (weights of those that end v and fire)
//!              + [y = y' = v, no rule fires that ends v] holding  +  [y = y' = none, no rule fires that starts any] absent
//! ```
//!
//! and before the first time point that anything speaks for it, it does not hold. Nothing else couples time points, and nothing
//! couples instances. So the best sequence of states (Viterbi), and how probable each state is (forward and backward sums), are
//! exact. A score depends on where a step leads, and on whether it stays: so a step takes as many additions as there are states,
//! and while the same rules fire a whole run is taken in one step. Staying where it is, leaving at once, leaving in the end, or
//! being somewhere else for all but the two ends are the only ways through it that can be best, since staying is worth at
//! least as much as coming back.

/// The scores of all steps of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// For each state what it is worth to come to it from another one, and from itself.
    cells: Box<[[f64; 2]]>,
}

impl Scores {
    /// For each state what it is worth to come to it from another one, and from itself.
    pub fn new(cells: impl IntoIterator<Item = [f64; 2]>) -> Scores {
        Scores { cells: cells.into_iter().collect() }
    }

    /// Those of two states, from the first number's to the second's.
    pub fn of_two(scores: [[f64; 2]; 2]) -> Scores {
        Scores::new([[scores[1][0], scores[0][0]], [scores[0][1], scores[1][1]]])
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.cells.len()
    }

    /// What a step is worth.
    pub fn step(&self, from: usize, to: usize) -> f64 {
        self.cells[to][usize::from(from == to)]
    }

    /// The same with each state worth so much more.
    pub(super) fn with(&self, more: impl Fn(usize) -> f64) -> Scores {
        let cells = self.cells.iter().enumerate();
        Scores::new(cells.map(|(state, [enter, remain])| [enter + more(state), remain + more(state)]))
    }

    /// The same with states that are never the best, nor probable, whatever else speaks for them.
    pub(super) fn without(&self, impossible: impl Fn(usize) -> bool) -> Scores {
        // More than all that can be said of a chain; an infinite number has no multiples.
        self.with(|state| if impossible(state) { -1e12 } else { 0.0 })
    }

    /// The same at a temperature.
    pub(super) fn cooled(&self, temperature: f64) -> Scores {
        Scores::new(self.cells.iter().map(|cell| cell.map(|score| score / temperature)))
    }

    /// For each state what it is worth to come to it from another one, and from itself.
    pub(super) fn cells(&self) -> &[[f64; 2]] {
        &self.cells
    }
}

/// Steps with the same scores, one after the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoredRun<'s> {
    /// The scores of each step.
    pub scores: &'s Scores,
    /// How many steps: one at least.
    pub length: u32,
}

/// The states that the steps of a run lead to: one for some steps, and one for the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct States {
    /// The state at first, and for how many steps.
    pub first: (usize, u32),
    /// The state after that, and for how many steps.
    pub then: (usize, u32),
}

impl States {
    /// One state for all steps.
    pub(super) fn all(state: usize, length: u32) -> States {
        States { first: (state, length), then: (state, 0) }
    }

    /// One state, and another with the last step.
    fn until_last(state: usize, last: usize, length: u32) -> States {
        States { first: (state, length - 1), then: (last, 1) }
    }

    /// Both parts.
    pub fn parts(self) -> impl Iterator<Item = (usize, u32)> {
        [self.first, self.then].into_iter().filter(|(_, length)| *length > 0)
    }
}

/// A way to a state: where it comes from, and what it is worth.
#[derive(Clone, Copy, Debug)]
struct Way {
    score: f64,
    from: usize,
    states: States,
}

/// How good it is to be in each state, before a step.
pub(super) type Standing = Vec<f64>;

/// It is known which state it is: nothing holds before the first step of a chain.
pub(super) fn certain(state: usize, states: usize) -> Standing {
    (0..states).map(|other| if other == state { 0.0 } else { f64::NEG_INFINITY }).collect()
}

/// The two best of some, the first ones of those that are as good.
fn best_two(of: impl Iterator<Item = f64>) -> [(usize, f64); 2] {
    let mut best = [(0, f64::NEG_INFINITY); 2];
    for (i, value) in of.enumerate() {
        if value > best[0].1 {
            best = [(i, value), best[0]];
        } else if value > best[1].1 {
            best[1] = (i, value);
        }
    }
    best
}

/// The best ways through a run to all states.
fn ways(standing: &[f64], run: &ScoredRun<'_>, mut found: impl FnMut(Way)) {
    let (cells, length, n) = (&run.scores.cells, run.length, f64::from(run.length));
    let another = |best: &[(usize, f64); 2], to: usize| if best[0].0 == to { best[1] } else { best[0] };
    let from = best_two(standing.iter().copied());
    let long = length > 1;
    // Where it is best to stay until the last step, and where to spend all of the time between the first step and the last.
    let until = best_two(standing.iter().zip(cells).map(|(before, [_, remain])| before + (n - 1.0) * remain));
    let middle = best_two(cells.iter().map(|[enter, remain]| enter + (n - 2.0) * remain))[0];
    for (to, [enter, remain]) in cells.iter().enumerate() {
        let all = States::all(to, length);
        let stay = Way { score: standing[to] + n * remain, from: to, states: all };
        let (source, before) = another(&from, to);
        let early = Way { score: before + enter + (n - 1.0) * remain, from: source, states: all };
        let mut ways = [stay, early, early, early];
        if long {
            let (source, before) = another(&until, to);
            ways[2] = Way { score: before + enter, from: source, states: States::until_last(source, to, length) };
            // Where the middle is one of the two ends another way is at least as good.
            let score = from[0].1 + middle.1 + enter;
            ways[3] = Way { score, from: from[0].0, states: States::until_last(middle.0, to, length) };
        }
        // Of ways that are as good it is one that holds for a shorter time.
        if to > 0 {
            ways.swap(0, 2);
        }
        found(ways.into_iter().reduce(|best, next| if next.score > best.score { next } else { best }).unwrap_or(stay));
    }
}

/// How good each state is after some runs.
pub(super) fn standing(before: &[f64], scored: &[ScoredRun<'_>]) -> Standing {
    let mut standing = before.to_vec();
    for run in scored {
        let mut next = Vec::with_capacity(standing.len());
        ways(&standing, run, |way| next.push(way.score));
        standing = next;
    }
    standing
}

/// The best states of a chain that does not hold before its first step, for each run, and their score. Where two sequences
/// are as good, it is one that holds at fewer of the last time points.
pub fn decode(scored: &[ScoredRun<'_>]) -> (f64, Vec<States>) {
    decode_from(&certain(0, scored.first().map_or(1, |run| run.scores.states())), scored)
}

/// The same where something is known of the states before.
pub(super) fn decode_from(before: &[f64], scored: &[ScoredRun<'_>]) -> (f64, Vec<States>) {
    let count = before.len();
    let (mut scores, mut next) = (before.to_vec(), Vec::with_capacity(count));
    let mut backward: Vec<(usize, States)> = Vec::with_capacity(count * scored.len());
    for run in scored {
        next.clear();
        ways(&scores, run, |way| {
            next.push(way.score);
            backward.push((way.from, way.states));
        });
        std::mem::swap(&mut scores, &mut next);
    }
    let (mut to, score) = best_two(scores.into_iter())[0];
    let mut found = vec![States::default(); scored.len()];
    for (i, ways) in backward.chunks(count).enumerate().rev() {
        let (from, states) = ways[to];
        found[i] = states;
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
        let count = steps[0].states();
        let score = |mut states: usize| -> f64 {
            let (mut sum, mut before) = (0.0, 0);
            for step in steps {
                sum += step.step(before, states % count);
                (before, states) = (states % count, states / count);
            }
            sum
        };
        (0..count.pow(steps.len() as u32)).map(score).fold(f64::NEG_INFINITY, f64::max)
    }

    /// What a chain of these weights has: rules for and against each state, and inertia where none speaks against it. Whole
    /// numbers, so that sums are exact and sequences that are as good are met with.
    fn scores(values: usize) -> impl Strategy<Value = Scores> {
        let votes = prop::collection::vec((0..4_i8, 0..4_i8), values);
        (votes, 0..3_i8, 0..3_i8, any::<bool>()).prop_map(|(votes, holding, absent, direct)| {
            let started: i8 = votes.iter().map(|(starts, _)| starts).sum();
            let ended: i8 = votes.iter().map(|(_, ends)| ends).sum();
            let absent = if started > 0 { 0 } else { absent };
            let none = [ended + if direct { absent } else { 0 }, ended + absent];
            let value = |&(starts, ends): &(i8, i8)| {
                let enter = starts + ended - ends;
                [enter, enter + if ends > 0 { 0 } else { holding }]
            };
            Scores::new(std::iter::once(none).chain(votes.iter().map(value)).map(|cell| cell.map(f64::from)))
        })
    }

    /// Some runs of steps of a fluent with so many values, at most so many steps.
    fn runs(values: usize, most: u32) -> impl Strategy<Value = Vec<(Scores, u32)>> {
        prop::collection::vec((scores(values), 1..6_u32), 1..6).prop_map(move |mut runs| {
            let mut left = most;
            for (_, length) in &mut runs {
                *length = (*length).min(left);
                left -= *length;
            }
            runs.retain(|(_, length)| *length > 0);
            runs
        })
    }

    fn is_enumeration(runs: &[(Scores, u32)]) -> Result<(), TestCaseError> {
        let scored: Vec<ScoredRun> =
            runs.iter().map(|(scores, length)| ScoredRun { scores, length: *length }).collect();
        let steps: Vec<Scores> =
            runs.iter().flat_map(|(scores, length)| vec![scores.clone(); *length as usize]).collect();
        let best = enumerated(&steps);
        let (score, states) = decode(&scored);
        prop_assert_eq!(score, best);
        // The states have that score.
        let path: Vec<usize> = states.iter().flat_map(|s| s.parts()).flat_map(|(s, n)| vec![s; n as usize]).collect();
        prop_assert_eq!(path.len(), steps.len());
        let before = std::iter::once(0).chain(path.iter().copied());
        let sum: f64 = before.zip(&path).zip(&steps).map(|((a, b), scores)| scores.step(a, *b)).sum();
        prop_assert_eq!(sum, best);
        // Runs are frames.
        let frames: Vec<ScoredRun> = steps.iter().map(|scores| ScoredRun { scores, length: 1 }).collect();
        prop_assert_eq!(decode(&frames).0, best);
        Ok(())
    }

    proptest! {
        #![proptest_config(deterministic(10_000))]

        #[test]
        fn the_best_states_are_those_of_enumeration(runs in runs(1, 12)) {
            is_enumeration(&runs)?;
        }

        #[test]
        fn so_are_those_of_a_fluent_with_values(runs in prop_oneof![runs(2, 8), runs(3, 6)]) {
            is_enumeration(&runs)?;
        }
    }
}
