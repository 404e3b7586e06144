//! Question: which rule a theory needs most, with what its answers are judged by.

use std::cell::OnceCell;

use super::classes::{Classes, Condition, spread};
use super::climb::Effort;
use super::delta::{Flip, NO_BLOCK, amount};
use super::evidence::{Evidence, is_beyond_chance};
use super::extension::Extensions;
use super::layout::has_bit;
use super::objective::{Fit, Price};
use super::runs::{Definition, Run, Runs};
use super::sums::{Sum, Sums};
use super::watch::Watch;

/// What is asked: the best rule to add.
pub(crate) struct Question<'a> {
    pub(crate) classes: &'a Classes,
    pub(crate) runs: &'a Runs,
    pub(crate) definition: Definition,
    /// Whether it ends the fluent.
    pub(crate) ends: bool,
    /// What firing brings at each run, and what speaks for it.
    pub(crate) flips: &'a [Flip],
    pub(crate) extensions: &'a Extensions<'a>,
    pub(crate) evidence: &'a Evidence,
    /// How the theory fits without the rule, and what it costs.
    pub(crate) fit: Fit,
    pub(crate) cost: f64,
    pub(crate) price: Price,
    pub(crate) effort: Effort,
    pub(crate) max_literals: usize,
    /// Whether a body says what its variables have to do with each other.
    pub(crate) is_linked: &'a dyn Fn(&[Condition]) -> bool,
    /// Whether a condition is meant for such rules.
    pub(crate) is_allowed: &'a dyn Fn(Condition) -> bool,
    pub(crate) watch: Watch<'a>,
}

/// Why bodies that would have been better were refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Refused {
    /// They are right about too few annotated intervals.
    pub(crate) unsupported: u64,
    /// A condition of theirs speaks against what the rule does, or for nothing.
    pub(crate) irrelevant: u64,
    /// They do not say what their variables have to do with each other.
    pub(crate) unlinked: u64,
    /// A condition of theirs makes a difference that could be chance.
    pub(crate) unearned: u64,
}

impl Refused {
    /// What was refused although it would have been better, as the end of a sentence; nothing if nothing was.
    pub(crate) fn tell(&self) -> String {
        let all = [
            (self.unsupported, "that are right about too few intervals"),
            (self.irrelevant, "with a condition that speaks for nothing"),
            (self.unlinked, "that relate nothing to each other"),
            (self.unearned, "with a condition whose difference could be chance"),
        ];
        let told: Vec<String> = all.iter().filter(|(n, _)| *n > 0).map(|(n, why)| format!("{n} {why}")).collect();
        if told.is_empty() { String::new() } else { format!(" (refused: {})", told.join(", ")) }
    }

    pub(crate) fn add(&mut self, other: &Refused) {
        self.unsupported += other.unsupported;
        self.irrelevant += other.irrelevant;
        self.unlinked += other.unlinked;
        self.unearned += other.unearned;
    }
}

/// A body with the runs at which it is true, and the items that make it so.
pub(super) struct Node {
    pub(super) body: Vec<Condition>,
    /// In the order of the runs.
    pub(super) witnesses: Vec<Witness>,
    /// What further conditions bring, once that was looked at, and the F1 that was needed then.
    pub(super) sums: OnceCell<(Sums, f64)>,
    /// The items at which the body is right about an annotated interval, once that was asked.
    right: OnceCell<Vec<u64>>,
}

impl Node {
    fn new(body: Vec<Condition>, witnesses: Vec<Witness>) -> Node {
        Node { body, witnesses, sums: OnceCell::new(), right: OnceCell::new() }
    }
}

/// An item of a run of which a body is true.
#[derive(Clone, Copy, Debug)]
pub(super) struct Witness {
    pub(super) run: u32,
    pub(super) item: u32,
}

impl Question<'_> {
    /// The body without conditions. A body is not true of an item for the first time in a block where the item was there
    /// before, so that each counts once in a block.
    pub(super) fn root(&self) -> Node {
        let mut last = vec![NO_BLOCK; self.extensions.items()];
        let mut witnesses = Vec::new();
        for (run, (flip, of)) in
            self.flips.iter().zip(&self.runs.all).enumerate().filter(|(_, (f, _))| f.block != NO_BLOCK)
        {
            for item in self.classes.items(of.class) {
                if std::mem::replace(&mut last[item], flip.block) != flip.block {
                    witnesses.push(Witness { run: run as u32, item: item as u32 });
                }
            }
        }
        Node::new(Vec::new(), witnesses)
    }

    /// A body with conditions more.
    pub(super) fn node(&self, root: &Node, body: &[Condition]) -> Node {
        let items = self.extensions.of_body(body);
        let witnesses = root.witnesses.iter().filter(|w| has_bit(&items, w.item as usize)).copied().collect();
        Node::new(body.to_vec(), witnesses)
    }

    /// A body with a condition more.
    pub(super) fn refined(&self, node: &Node, condition: Condition) -> Node {
        let items = self.extensions.of(condition);
        let witnesses = node.witnesses.iter().filter(|w| has_bit(&items, w.item as usize)).copied().collect();
        Node::new(with(&node.body, condition), witnesses)
    }

    /// A number that two bodies hardly ever have both of which one is true of an item and the other is not, or of which one
    /// relates variables and the other does not.
    pub(super) fn fingerprint(&self, body: &[Condition]) -> u64 {
        let words = self.extensions.of_body(body).into_iter().enumerate().filter(|(_, bits)| *bits != 0);
        let print = |(word, bits): (usize, u64)| spread(spread(word as u64) ^ bits);
        words.map(print).fold(u64::from((self.is_linked)(body)), u64::wrapping_add)
    }

    /// Whether a body with a condition more is right about enough annotated intervals.
    pub(super) fn is_supported(&self, node: &Node, condition: Condition) -> bool {
        let right = node.right.get_or_init(|| self.evidence.right(self.extensions, &node.body));
        self.evidence.supports(self.extensions, right, condition)
    }

    /// Whether each condition of a body speaks for what the rule does.
    pub(super) fn is_relevant(&self, body: &[Condition]) -> bool {
        self.evidence.is_relevant(self.extensions, body)
    }

    /// Whether a body may be that of a rule, whatever other rules there are.
    pub(super) fn may_be_a_rule(&self, body: &[Condition]) -> bool {
        let right = self.evidence.right(self.extensions, &body[1..]);
        (self.is_linked)(body) && self.evidence.supports(self.extensions, &right, body[0]) && self.is_relevant(body)
    }

    /// A body with a condition more, if it may be that of a rule.
    pub(super) fn accepted(
        &self,
        root: &Node,
        (node, condition): (&Node, Condition),
        refused: &mut Refused,
    ) -> Option<Vec<Condition>> {
        if !self.is_supported(node, condition) {
            refused.unsupported += 1;
            return None;
        }
        let body = with(&node.body, condition);
        if !(self.is_linked)(&body) {
            refused.unlinked += 1;
            return None;
        }
        if !self.is_relevant(&body) {
            refused.irrelevant += 1;
            return None;
        }
        let earned = self.has_earned_conditions(root, &body);
        refused.unearned += u64::from(!earned);
        earned.then_some(body)
    }

    /// Whether a rule earns its place: what it brings is more, all in all, than differences between blocks would be by chance.
    /// One that mends a single error of the others does not, and may start what nothing ends where it was not seen.
    pub(super) fn is_earned(&self, root: &Node, body: &[Condition]) -> bool {
        let (all, f1) = self.brings(root, body);
        is_beyond_chance(all.iter().map(|flip| self.weight(flip, f1)))
    }

    /// What a rule with a body flips, and the F1 that it leads to.
    fn brings(&self, root: &Node, body: &[Condition]) -> (Vec<Flip>, f64) {
        let all = self.flipped(root, body);
        let mut brings = Sum::default();
        all.iter().for_each(|flip| (brings.yes, brings.no) = (brings.yes + flip.yes, brings.no + flip.no));
        let f1 = self.reached(&brings);
        (all, f1)
    }

    /// Whether each condition of a body earns its place: what it brings is more, all in all, than differences between blocks
    /// would be by chance. What makes a difference in one block only never is, however long the block; without this a condition
    /// that happens to keep out one long false alarm is worth its price where hardly anything else is wrong.
    pub(super) fn has_earned_conditions(&self, root: &Node, body: &[Condition]) -> bool {
        // A rule has one condition at least, whether another one would do as well or not.
        if body.len() < 2 {
            return true;
        }
        let (all, f1) = self.brings(root, body);
        (0..body.len()).all(|at| {
            // Blocks are in order. A body with a condition less flips each that the body does, earlier or as early.
            let mut own = all.iter().peekable();
            is_beyond_chance(self.flipped(root, &without(body, at)).iter().map(|rest| {
                let own = own.next_if(|flip| flip.block == rest.block).map_or(0.0, |flip| self.weight(flip, f1));
                own - self.weight(rest, f1)
            }))
        })
    }

    /// What flips each block that a body flips. Where a fluent holds while a rule is true, each run is told for itself.
    fn flipped(&self, root: &Node, body: &[Condition]) -> Vec<Flip> {
        let items = self.extensions.of_body(body);
        let witnesses = root.witnesses.iter().filter(|w| has_bit(&items, w.item as usize));
        if self.definition == Definition::Persists {
            let mut flips: Vec<Flip> = witnesses.map(|w| self.flips[w.run as usize]).collect();
            flips.dedup_by_key(|flip| flip.block);
            return flips;
        }
        // Runs of a class are one block in the root, which has those where no rule is true already.
        let mut fires = vec![false; self.classes.len()];
        witnesses.for_each(|w| fires[self.runs.all[w.run as usize].class as usize] = true);
        let runs = self.runs.all.iter().enumerate().filter(|(_, run)| fires[run.class as usize]);
        let flip = |(i, run): (usize, &Run)| {
            let (yes, no) = amount(run, i64::from(run.length));
            Flip { block: i as u32, yes, no }
        };
        runs.map(flip).collect()
    }

    /// What the theory is worth with a rule that costs so much and leads to an F1.
    pub(super) fn value(&self, f1: f64, cost: f64) -> f64 {
        self.price.worth(f1) - self.cost - cost
    }

    /// The F1 below which a rule that costs so much is worth no more than this: far fewer logarithms than asking of each.
    pub(super) fn floor(&self, value: f64, cost: f64) -> f64 {
        self.price.f1_worth(value + self.cost + cost)
    }

    /// How the theory fits with a rule that brings so much.
    pub(super) fn with(&self, sum: &Sum) -> Fit {
        let sign = if self.ends { -1 } else { 1 };
        Fit { tp: self.fit.tp + sign * sum.yes, fp: self.fit.fp + sign * sum.no, ..self.fit }
    }

    /// The F1 of the theory with a rule that brings so much; where errors cost differently, the F of those costs.
    pub(super) fn reached(&self, sum: &Sum) -> f64 {
        self.price.balance.f(&self.with(sum))
    }

    /// What a flip brings towards reaching an F1: (2 - A F1) times more right, less A F1 times more wrong, where A is what a
    /// false alarm counts for.
    #[inline]
    pub(super) fn weight(&self, flip: &Flip, f1: f64) -> f64 {
        let f1 = self.price.balance.false_alarm * f1;
        let gain = (2.0 - f1) * flip.yes as f64 - f1 * flip.no as f64;
        if self.ends { -gain } else { gain }
    }

    /// What is to be gained, of all that is done: the best flips of all blocks, and what is lost to them.
    pub(super) fn purity(&self, sum: &Sum, f1: f64) -> f64 {
        let net = self.weight(&Flip { block: NO_BLOCK, yes: sum.yes, no: sum.no }, f1);
        if sum.most > 0.0 { sum.most / (sum.most + (sum.most - net).max(0.0)) } else { 1.0 }
    }

    /// The F1 that any rule needs to be worth more than a goal.
    pub(super) fn needed(&self, goal: f64) -> f64 {
        self.floor(goal, self.price.of_rule(self.classes, &[]) + self.price.least())
    }

    /// The F1 that a refinement of a body could reach, at most.
    ///
    /// With F the F1 that is needed, a rule reaches F if 2 TP - F (A (TP + FP) + M P) is at least zero. That is a sum over
    /// blocks, and the best flips of all of them bound it; divided by the least that A (TP + FP) + M P can become, it bounds how
    /// far above F a rule can come.
    pub(super) fn bound(&self, most: f64, needed: f64) -> f64 {
        let balance = self.price.balance;
        let above = 2.0 * self.fit.tp as f64 - needed * balance.all(&self.fit) + most;
        let least = balance.all(&if self.ends { Fit { tp: 0, fp: 0, ..self.fit } } else { self.fit });
        // Below the goal the divisor is the other way round, and the bound of no interest.
        (needed + above / if least > 0.0 { least } else { 1.0 }).clamp(0.0, 1.0)
    }
}

/// A body with a condition more, in order.
pub(super) fn with(body: &[Condition], condition: Condition) -> Vec<Condition> {
    let at = body.partition_point(|c| *c < condition);
    let mut body = body.to_vec();
    body.insert(at, condition);
    body
}

/// A body with a condition less.
pub(super) fn without(body: &[Condition], at: usize) -> Vec<Condition> {
    let mut body = body.to_vec();
    body.remove(at);
    body
}
