//! Refine: the one rule that a theory needs most, found literal by literal, with a bound on what is still to be found.
//!
//! A body is grown by one condition at a time. All conditions that could be added are scored in one pass over the runs at
//! which the body is true (`sums`): each block is flipped by the first run at which a condition is true as well. No
//! refinement of a body brings more than, in each block, the best flip among the runs that it covers; what cannot be better
//! than the best rule so far is cut off.
//!
//! The most promising bodies of each length are kept; then twice as many, for as long as that is worth a pass over the
//! runs. Where nothing but what the bound cut off is left out, the rule is the best there is.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::classes::{Classes, Condition, spread};
use super::delta::{Flip, NO_BLOCK};
use super::evidence::Evidence;
use super::extension::{Extensions, has};
use super::objective::{Fit, Price};
use super::runs::Runs;
use super::sums::{Sum, Sums, Wanted};
use super::watch::Watch;

/// So many bodies of each length are grown at first.
const WIDTH: usize = 3;

/// The search for a rule may cost as much as so many passes over the runs. With half of it rules of four conditions are
/// sometimes missed; twice as much hardly ever finds a better one.
const PASSES: usize = 16;

/// Gains below this are rounding.
pub(crate) const LEAST_GAIN: f64 = 1e-9;

/// What is asked: the best rule to add.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) classes: &'a Classes,
    pub(crate) runs: &'a Runs,
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
    pub(crate) max_literals: usize,
    /// Whether a body says what its variables have to do with each other.
    pub(crate) is_linked: &'a dyn Fn(&[Condition]) -> bool,
    /// Whether a condition is meant for such rules.
    pub(crate) is_allowed: &'a dyn Fn(Condition) -> bool,
    pub(crate) watch: Watch<'a>,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    /// The body of the best rule, and what the theory is worth with it; none if it is worth no more than it was.
    pub(crate) best: Option<(Vec<Condition>, f64)>,
    /// How much more a rule might bring that was not looked at.
    pub(crate) gap: f64,
    /// How many runs were looked at, each as often as it was.
    pub(crate) looked_at: usize,
    pub(crate) refused: Refused,
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
}

impl Refused {
    /// What was refused although it would have been better, as the end of a sentence; nothing if nothing was.
    pub(crate) fn tell(&self) -> String {
        let all = [
            (self.unsupported, "that are right about too few intervals"),
            (self.irrelevant, "with a condition that speaks for nothing"),
            (self.unlinked, "that relate nothing to each other"),
        ];
        let told: Vec<String> = all.iter().filter(|(n, _)| *n > 0).map(|(n, why)| format!("{n} {why}")).collect();
        if told.is_empty() { String::new() } else { format!(" (refused: {})", told.join(", ")) }
    }

    pub(crate) fn add(&mut self, other: &Refused) {
        self.unsupported += other.unsupported;
        self.irrelevant += other.irrelevant;
        self.unlinked += other.unlinked;
    }
}

/// Where the threshold of a rule may be: cuts that lead to the same fit, and the runs on both sides of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub(crate) strictest: u16,
    pub(crate) loosest: u16,
    pub(crate) inside: usize,
    pub(crate) outside: usize,
}

/// A body with the runs at which it is true, and the items that make it so.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) body: Vec<Condition>,
    /// In the order of the runs.
    pub(super) witnesses: Vec<Witness>,
}

/// An item of a run of which a body is true.
#[derive(Clone, Copy, Debug)]
pub(super) struct Witness {
    pub(super) run: u32,
    pub(super) item: u32,
}

/// A body with a condition more.
#[derive(Clone, Copy, Debug)]
struct Child {
    parent: u32,
    condition: Condition,
    /// What the theory would be worth with it, and what it could be worth with a refinement of it at most.
    value: f64,
    bound: f64,
}

/// Room that is used again, and what was done so far.
struct Work {
    sums: Sums,
    /// Runs looked at.
    done: usize,
}

impl Question<'_> {
    /// The best rule that makes the theory worth more than this.
    pub(crate) fn answer(&self, incumbent: f64) -> Answer {
        let (mut answer, mut best) = (Answer::default(), incumbent);
        let (root, mut work) = (self.root(), self.work());
        let effort = PASSES * root.witnesses.len().max(1);
        let mut width = WIDTH;
        loop {
            let before = best;
            let cut = self.round(&root, width, &mut best, &mut answer, &mut work);
            self.polish(&root, &mut best, &mut answer, &mut work);
            answer.gap = (cut - best).max(0.0);
            answer.looked_at = work.done;
            let settled = best <= before + LEAST_GAIN;
            if settled || answer.gap <= LEAST_GAIN || work.done > effort || self.watch.ends() {
                return answer;
            }
            width *= 2;
        }
    }

    /// The best thresholds for a body, if they make the theory worth more than this.
    pub(crate) fn polished(&self, body: &[Condition], incumbent: f64) -> Answer {
        let mut answer = Answer { best: Some((body.to_vec(), incumbent)), ..Answer::default() };
        let mut best = incumbent;
        let mut work = self.work();
        self.polish(&self.root(), &mut best, &mut answer, &mut work);
        answer.looked_at = work.done;
        if best <= incumbent {
            answer.best = None;
        }
        answer
    }

    /// The best body with a condition more than this one, worth more or not.
    pub(crate) fn narrowed(&self, body: &[Condition]) -> Answer {
        let level = [self.node(&self.root(), body)];
        let (mut answer, mut children) = (Answer::default(), Vec::new());
        let (mut best, mut cut) = (f64::MIN, f64::MIN);
        self.expand((&level, 0), (best, best), WIDTH, &mut cut, &mut children, &mut self.work());
        self.take_best(&level, &children, &mut best, &mut answer);
        answer
    }

    /// The cuts of a threshold that all lead to the same fit, with the rest of its body as it is, and how many runs of the rest
    /// meet all of them, and how many none.
    pub(crate) fn room(&self, rest: &[Condition], (slot, own): (u16, u16)) -> Room {
        let node = self.node(&self.root(), rest);
        let mut sums = Sums::new(self.classes);
        sums.sum_up(self, &node, 0.0, Wanted::Slot(slot as usize));
        let brings: Vec<(u16, (i64, i64))> =
            sums.cuts(slot as usize).map(|(cut, sum)| (cut, (sum.yes, sum.no))).collect();
        let mut room = Room { strictest: own, loosest: own, inside: 0, outside: 0 };
        // Neighbours that bring the same, as far as there are any; the loosest cut of all tells nothing apart.
        for same in brings.chunk_by(|a, b| a.1 == b.1).filter(|same| same.iter().any(|(cut, _)| *cut == own)) {
            (room.strictest, room.loosest) = (same[0].0, same[same.len() - 1].0);
        }
        for witness in &node.witnesses {
            let meets = |cut| self.classes.meets(witness.item as usize, Condition::Threshold(slot, cut));
            room.inside += usize::from(meets(room.strictest));
            room.outside += usize::from(!meets(room.loosest));
        }
        room
    }

    /// The body without conditions. A body is not true of an item for the first time in a block where the item was there
    /// before, so that each counts once in a block.
    fn root(&self) -> Node {
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
        Node { body: Vec::new(), witnesses }
    }

    fn work(&self) -> Work {
        Work { sums: Sums::new(self.classes), done: 0 }
    }

    /// Grows bodies, so many of each length; says what the best that was left aside might be worth.
    fn round(&self, root: &Node, width: usize, best: &mut f64, answer: &mut Answer, work: &mut Work) -> f64 {
        let mut cut = f64::MIN;
        let mut grown: Vec<Node>;
        let mut level = std::slice::from_ref(root);
        let mut known: IndexSet<u64, FxBuildHasher> = IndexSet::default();
        // What must be reached; it does not change in a round, so that bounds can be compared.
        let goal = *best;
        while !level.is_empty() && level[0].body.len() < self.max_literals {
            let mut children = Vec::new();
            for parent in 0..level.len() {
                if self.watch.ends() {
                    return f64::MAX;
                }
                let first = children.len();
                self.expand((level, parent), (goal, *best), width, &mut cut, &mut children, work);
                self.take_best(level, &children[first..], best, answer);
            }
            children.retain(|c| c.bound > *best + LEAST_GAIN);
            let chosen = self.select(level, children, width, &mut cut);
            let mut next = Vec::new();
            for child in chosen {
                let node = self.refined(&level[child.parent as usize], child.condition);
                if known.insert(self.fingerprint(&node.body)) {
                    next.push(node);
                } else {
                    // What is true of the same items may still differ in what its conditions speak for.
                    cut = cut.max(child.bound);
                }
            }
            grown = next;
            level = &grown;
        }
        cut
    }

    /// Takes the best of some children that may be a rule, if it is better than the best so far.
    fn take_best(&self, level: &[Node], children: &[Child], best: &mut f64, answer: &mut Answer) {
        let mut better: Vec<&Child> = children.iter().filter(|c| c.value > *best + LEAST_GAIN).collect();
        better.sort_by(|a, b| b.value.total_cmp(&a.value).then(a.condition.cmp(&b.condition)));
        for child in better {
            let parent = &level[child.parent as usize].body;
            if let Some(body) = self.accepted(parent, child.condition, &mut answer.refused) {
                *best = child.value;
                answer.best = Some((body, child.value));
                return;
            }
        }
    }

    /// A body with a condition more, if it may be that of a rule.
    fn accepted(&self, rest: &[Condition], condition: Condition, refused: &mut Refused) -> Option<Vec<Condition>> {
        if !self.evidence.supports(self.extensions, rest, condition) {
            refused.unsupported += 1;
            return None;
        }
        let body = with(rest, condition);
        if !(self.is_linked)(&body) {
            refused.unlinked += 1;
            return None;
        }
        let relevant = self.is_relevant(&body);
        refused.irrelevant += u64::from(!relevant);
        relevant.then_some(body)
    }

    /// Whether each condition of a body speaks for what the rule does.
    pub(super) fn is_relevant(&self, body: &[Condition]) -> bool {
        self.evidence.is_relevant(self.extensions, body)
    }

    /// What the theory is worth with a rule that brings so much and costs so much.
    fn value(&self, sum: &Sum, cost: f64) -> f64 {
        let sign = if self.ends { -1 } else { 1 };
        let fit = Fit { tp: self.fit.tp + sign * sum.yes, fp: self.fit.fp + sign * sum.no, ..self.fit };
        self.price.worth(fit.f1()) - self.cost - cost
    }

    /// What a flip brings towards reaching an F1: (2 - F1) times more right, less F1 times more wrong.
    #[inline]
    pub(super) fn weight(&self, flip: &Flip, f1: f64) -> f64 {
        let gain = (2.0 - f1) * flip.yes as f64 - f1 * flip.no as f64;
        if self.ends { -gain } else { gain }
    }

    /// The F1 that any rule needs to be worth more than a goal.
    fn needed(&self, goal: f64) -> f64 {
        self.price.f1_worth(goal + self.cost + self.price.of_rule(self.classes, &[]) + self.price.least())
    }

    /// What a refinement of a body that costs so much could be worth, at most.
    ///
    /// With F the F1 that is needed, a rule reaches F if 2 TP - F (TP + FP + P) is at least zero. That is a sum over blocks,
    /// and the best flips of all of them bound it; divided by the least that TP + FP + P can become, it bounds how far above
    /// F a rule can come.
    fn bound(&self, most: f64, needed: f64, cost: f64) -> f64 {
        let Fit { tp, fp, positives } = self.fit;
        let above = 2.0 * tp as f64 - needed * (tp + fp + positives) as f64 + most;
        let least = if self.ends { positives } else { tp + fp + positives };
        // Below the goal the divisor is the other way round, and the bound of no interest.
        self.price.worth((needed + above / least.max(1) as f64).clamp(0.0, 1.0)) - self.cost - cost
    }

    /// The best children that are right about enough intervals, so many; what else might become something is noted with the
    /// most it might be worth. Bodies with the highest bounds, kept beside those that are worth most, took as long again and
    /// led to the same rules in the lobby and on CAVIAR.
    fn select(&self, level: &[Node], mut children: Vec<Child>, width: usize, cut: &mut f64) -> Vec<Child> {
        children
            .sort_by(|a, b| b.value.total_cmp(&a.value).then((a.parent, a.condition).cmp(&(b.parent, b.condition))));
        let mut chosen = Vec::new();
        for child in children {
            if chosen.len() == width {
                *cut = cut.max(child.bound);
            } else if self.evidence.supports(self.extensions, &level[child.parent as usize].body, child.condition) {
                chosen.push(child);
            }
        }
        chosen
    }

    /// A number that two bodies hardly ever have both of which one is true of an item and the other is not, or of which one
    /// relates variables and the other does not.
    fn fingerprint(&self, body: &[Condition]) -> u64 {
        let words = self.extensions.of_body(body).into_iter().enumerate().filter(|(_, bits)| *bits != 0);
        let print = |(word, bits): (usize, u64)| spread(spread(word as u64) ^ bits);
        words.map(print).fold(u64::from((self.is_linked)(body)), u64::wrapping_add)
    }

    /// A body with conditions more.
    fn node(&self, root: &Node, body: &[Condition]) -> Node {
        let items = self.extensions.of_body(body);
        let witnesses = root.witnesses.iter().filter(|w| has(&items, w.item)).copied().collect();
        Node { body: body.to_vec(), witnesses }
    }

    /// A body with a condition more.
    fn refined(&self, node: &Node, condition: Condition) -> Node {
        let items = self.extensions.of(condition);
        let witnesses = node.witnesses.iter().filter(|w| has(&items, w.item)).copied().collect();
        Node { body: with(&node.body, condition), witnesses }
    }

    /// All bodies with a condition more that could be worth more than the best so far, or lead to one that is; for each
    /// threshold so many.
    fn expand(
        &self,
        (level, parent): (&[Node], usize),
        (goal, best): (f64, f64),
        width: usize,
        cut: &mut f64,
        children: &mut Vec<Child>,
        work: &mut Work,
    ) {
        let (node, parent) = (&level[parent], parent as u32);
        work.done += node.witnesses.len();
        let needed = self.needed(goal);
        work.sums.sum_up(self, node, needed, Wanted::All);
        let cost = self.price.of_rule(self.classes, &node.body);
        let judge = |condition: Condition, sum: &Sum, children: &mut Vec<Child>| {
            let cost = cost + self.price.of_condition(self.classes, condition);
            let value = self.value(sum, cost);
            let bound = self.bound(sum.most, needed, cost + self.price.least());
            if value.max(bound) > best + LEAST_GAIN {
                children.push(Child { parent, condition, value, bound });
            }
        };
        for (literal, sum) in work.sums.literals.iter().enumerate().take(self.classes.literals()) {
            let condition = Condition::Literal(literal as u16);
            if !node.body.contains(&condition) && (self.is_allowed)(condition) {
                judge(condition, sum, children);
            }
        }
        for slot in 0..self.classes.slots() {
            let used = node.body.iter().any(|c| matches!(c, Condition::Threshold(s, _) if *s as usize == slot));
            if used || !(self.is_allowed)(Condition::Threshold(slot as u16, 0)) {
                continue;
            }
            let threshold = |cut: u16| Condition::Threshold(slot as u16, cut);
            let first = children.len();
            let digits = |cut: u16| self.classes.digits(threshold(cut));
            work.sums.for_each_cut(slot, digits, |cut, sum| judge(threshold(cut), sum, children));
            // Of neighbours the best few: the others are found where the thresholds of the best rule are looked at again.
            let own = children.split_off(first);
            children.extend(self.select(level, own, (width / 2).max(1), cut));
        }
    }

    /// Looks at each threshold of the best rule again, with the others as they are.
    fn polish(&self, root: &Node, best: &mut f64, answer: &mut Answer, work: &mut Work) {
        let Some((mut body, _)) = answer.best.clone() else { return };
        let mut changed = true;
        while changed && !self.watch.ends() {
            changed = false;
            for at in 0..body.len() {
                let Condition::Threshold(slot, _) = body[at] else { continue };
                let rest = without(&body, at);
                let node = self.node(root, &rest);
                work.done += node.witnesses.len();
                work.sums.sum_up(self, &node, self.needed(*best), Wanted::Slot(slot as usize));
                let cost = self.price.of_rule(self.classes, &rest);
                let threshold = |cut: u16| Condition::Threshold(slot, cut);
                let mut better: Vec<(f64, Condition)> = Vec::new();
                let digits = |cut: u16| self.classes.digits(threshold(cut));
                work.sums.for_each_cut(slot as usize, digits, |cut, sum| {
                    let value = self.value(sum, cost + self.price.of_condition(self.classes, threshold(cut)));
                    if value > *best + LEAST_GAIN {
                        better.push((value, threshold(cut)));
                    }
                });
                better.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                for (value, condition) in better {
                    if let Some(new) = self.accepted(&rest, condition, &mut answer.refused) {
                        (*best, changed) = (value, true);
                        answer.best = Some((new.clone(), value));
                        body = new;
                        break;
                    }
                }
            }
        }
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

#[cfg(test)]
mod tests;
