//! Evidence: what speaks for a rule, whatever other rules there are.
//!
//! A rule is supported if it is right about enough annotated intervals. It is relevant if each of its conditions speaks for
//! what it does: where the condition is true, a fluent that the rule starts holds more often than where the others are, and
//! one that it ends less often.

use std::cell::RefCell;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::classes::Condition;
use super::extension::{Bits, Extensions};
use super::layout::set_bits;
use super::question::without;
use super::runs::{Definition, Label, Runs};

/// A rule must be right about so many annotated intervals: what happens twice happens by chance, whatever it is worth. With
/// two, single coincidences become rules where events are few; with six, activities of which there are ten go unexplained.
pub(crate) const SUPPORT: usize = 3;

/// What is no annotated interval.
const NONE: u32 = u32::MAX;

/// What speaks for and against rules that end a fluent, or for and against others.
pub(crate) struct Evidence {
    ends: bool,
    /// For each class the time points of which it is known what holds then, or next, and those at which the fluent does.
    shares: Vec<Share>,
    /// Of each class the first annotated intervals that firing there is right about: one that starts, or one that has ended.
    intervals: Vec<[u32; SUPPORT]>,
    /// The items of classes that have one.
    right: Bits,
    /// The shares of bodies, as far as somebody wanted to know them.
    known: RefCell<IndexMap<Vec<Condition>, f64, FxBuildHasher>>,
}

/// Time points, and those among them at which the fluent holds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Share {
    pub(super) seen: u64,
    pub(super) held: u64,
}

impl Share {
    fn add(&mut self, other: Share) {
        self.seen += other.seen;
        self.held += other.held;
    }

    fn of_all(self) -> f64 {
        self.held as f64 / self.seen.max(1) as f64
    }
}

impl Evidence {
    /// What runs say: of rules that start the fluent, or that it holds while they are true, or of those that end it.
    pub(crate) fn new(runs: &Runs, extensions: &Extensions<'_>, definition: Definition, ends: bool) -> Evidence {
        let classes = extensions.classes();
        let mut shares = vec![Share::default(); classes.len()];
        let mut intervals = vec![[NONE; SUPPORT]; classes.len()];
        for_each_run(runs, definition, ends, |class, share, interval| {
            shares[class as usize].add(share);
            let mut known = intervals[class as usize].iter_mut();
            if let Some(interval) = interval
                && let Some(place) = known.find(|known| **known == NONE || **known == interval)
            {
                *place = interval;
            }
        });
        let right = extensions.of_classes(|class| intervals[class as usize][0] != NONE);
        Evidence { ends, shares, intervals, right, known: RefCell::default() }
    }

    /// The items at which a body is right about an annotated interval.
    pub(crate) fn right(&self, extensions: &Extensions<'_>, body: &[Condition]) -> Vec<u64> {
        extensions.among(&self.right, body)
    }

    /// Whether a condition more leaves a body right about enough annotated intervals, of items at which it is.
    pub(crate) fn supports(&self, extensions: &Extensions<'_>, right: &[u64], more: Condition) -> bool {
        let (mut found, mut count) = ([NONE; SUPPORT], 0);
        let meets = |item: &usize| extensions.classes().meets(*item, more);
        for class in set_bits(right).filter(meets).map(|item| extensions.class_of(item)) {
            for interval in self.intervals[class as usize].iter().take_while(|interval| **interval != NONE) {
                if !found[..count].contains(interval) {
                    found[count] = *interval;
                    count += 1;
                    if count == SUPPORT {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Whether each condition of a body speaks for what the rule does. A rule has one condition at least: where the fluent always
    /// holds next, whatever is true, the only one need not say more.
    pub(crate) fn is_relevant(&self, extensions: &Extensions<'_>, body: &[Condition]) -> bool {
        let all = self.share(extensions, body);
        (0..body.len()).all(|at| {
            let rest = self.share(extensions, &without(body, at));
            let speaks = if self.ends { all < rest } else { all > rest };
            speaks || body.len() == 1 && all == rest
        })
    }

    /// The share of time points at which the fluent holds, of those at which a body is true. Most bodies are asked for again:
    /// as what is left of others, and with another theory, which makes no difference here.
    fn share(&self, extensions: &Extensions<'_>, body: &[Condition]) -> f64 {
        if let Some(known) = self.known.borrow().get(body) {
            return *known;
        }
        let mut sum = Share::default();
        extensions.classes_of(&extensions.of_body(body)).for_each(|class| sum.add(self.shares[class as usize]));
        *self.known.borrow_mut().entry(body.to_vec()).or_insert(sum.of_all())
    }
}

/// Whether differences add up to more than they would by chance: to more than the root of their squares. One alone never does.
pub(super) fn is_beyond_chance(differences: impl Iterator<Item = f64>) -> bool {
    let (sum, squares) = differences.fold((0.0, 0.0), |(sum, squares), d| (sum + d, squares + d * d));
    sum > 0.0 && sum * sum > squares
}

/// Calls a function with the class of each run, what is known of the time points at which it is, or of the next ones, and the
/// annotated interval that firing there is right about.
pub(super) fn for_each_run(
    runs: &Runs,
    definition: Definition,
    ends: bool,
    mut each: impl FnMut(u32, Share, Option<u32>),
) {
    // The number of annotated intervals that have begun.
    let mut begun = 0;
    let mut nexts = Vec::new();
    for track in &runs.tracks {
        let before = begun;
        let own = &runs.all[track.first as usize..track.end as usize];
        let mut label = Label::No;
        // What is annotated after each run, from the last one backwards: not where it is about to change.
        nexts.clear();
        let mut after = Label::Unknown;
        for run in own.iter().rev() {
            nexts.push(after);
            after = if run.label == Label::Turning { after } else { run.label };
        }
        for (run, next) in own.iter().zip(nexts.iter().rev().copied()) {
            begun += u32::from(run.label == Label::Yes && label != Label::Yes);
            label = run.label;
            let (yes, no) = (u32::from(run.label == Label::Yes), u32::from(run.label == Label::No));
            let (seen, held) = if definition == Definition::While {
                ((yes + no) * run.length, yes * run.length)
            } else {
                // While it changes, the time point before the change may be any: each run counts once.
                let change = u32::from(run.label != Label::Unknown && next != Label::Unknown);
                let starts = change * u32::from(next == Label::Yes);
                ((yes + no) * (run.length - 1) + change, yes * (run.length - 1) + starts)
            };
            let interval = if ends {
                // What has ended: the interval before, if there is one in this track.
                (held < seen && begun > before).then(|| begun - 1)
            } else if held == 0 {
                None
            } else if run.label == Label::Yes {
                Some(begun - 1)
            } else {
                Some(begun)
            };
            each(run.class, Share { seen: u64::from(seen), held: u64::from(held) }, interval);
        }
    }
}
