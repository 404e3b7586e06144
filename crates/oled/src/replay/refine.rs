//! Refine: the one rule that a theory needs most, found literal by literal, with a bound on what is still to be found.
//!
//! A body is grown by one condition at a time. All conditions that could be added are scored in one pass over the runs at
//! which the body is true (`sums`): each block is flipped by the first run at which a condition is true as well. No
//! refinement of a body brings more than, in each block, the best flip among the runs that it covers; what cannot be better
//! than the best rule so far is cut off.
//!
//! Of each length the bodies that are worth most are kept; then twice as many, for as long as that is worth a pass over the
//! runs. Where they lead to nothing, those that promise most are: beside a theory that is nearly right, what is worth most is
//! what does nearly nothing, and leads nowhere. (Heuristics for the way to a rule need not be those that rules are chosen by:
//! Stecher, Janssen, Fürnkranz, ECML PKDD 2014.) Where nothing but what the bound cut off is left out, the rule is the best
//! there is.

use std::rc::Rc;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::classes::Condition;
use super::climb::Effort;
use super::question::{Node, Question, Refused, with, without};
use super::sums::{Sum, Sums, Wanted};

/// So many bodies of each length are grown at first.
const WIDTH: usize = 3;

/// The search for a rule may cost as much as so many passes over the runs. With half of it rules of four conditions are
/// sometimes missed; twice as much hardly ever finds a better one.
pub(crate) const PASSES: usize = 16;

/// Gains below this are rounding.
pub(crate) const LEAST_GAIN: f64 = 1e-9;

/// What was found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    /// The body of the best rule, and what the theory is worth with it; none if it is worth no more than it was.
    pub(crate) best: Option<(Vec<Condition>, f64)>,
    /// How much more a rule might bring that was not looked at.
    pub(crate) gap: f64,
}

/// Where the threshold of a rule may be: between cuts that lead to the same fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub(crate) strictest: u16,
    pub(crate) loosest: u16,
}

/// Which bodies are grown.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rank {
    /// Those that are worth most as they are.
    Worth,
    /// Those that promise most, by the gain of information of FOIL: what is to be gained in the blocks that the body covers,
    /// times the bits by which its share of all that the body does there is larger than without conditions, which is this.
    Promise { share: f64 },
}

/// A body with a condition more.
#[derive(Clone, Copy, Debug)]
struct Child {
    parent: u32,
    condition: Condition,
    /// What the theory would be worth with it, and what it could be worth with a refinement of it at most.
    value: f64,
    bound: f64,
    rank: f64,
    /// Whether neighbours bring the same: they may be rules where this one may not.
    stands_for_others: bool,
}

/// A search for answers to a question.
pub(crate) struct Search<'a> {
    question: &'a Question<'a>,
    /// The body without conditions.
    root: Rc<Node>,
    /// Bodies that were grown for the answer at hand.
    grown: IndexMap<Vec<Condition>, Rc<Node>, FxBuildHasher>,
    /// For each literal and each measure the body with it that was worth most so far, may it be that of a rule or not.
    best_with: IndexMap<(bool, u16), (f64, Vec<Condition>), FxBuildHasher>,
    sums: Sums,
    /// How many runs were looked at, each as often as it was.
    pub(crate) looked_at: usize,
    pub(crate) refused: Refused,
}

impl<'a> Search<'a> {
    pub(crate) fn new(question: &'a Question<'a>) -> Search<'a> {
        Search {
            question,
            root: Rc::new(question.root()),
            grown: IndexMap::default(),
            best_with: IndexMap::default(),
            sums: Sums::new(question.classes),
            looked_at: 0,
            refused: Refused::default(),
        }
    }

    /// The best rule that makes the theory worth more than this.
    pub(crate) fn answer(&mut self, incumbent: f64) -> Answer {
        let (mut answer, mut best) = (Answer::default(), incumbent);
        let effort = self.looked_at + PASSES * self.root.witnesses.len().max(1);
        let mut width = WIDTH;
        loop {
            let before = best;
            let mut cut = self.round(width, Rank::Worth, &mut best, &mut answer);
            if best <= before + LEAST_GAIN && self.question.effort == Effort::Thorough {
                let share = self.share(self.question.needed(best));
                cut = cut.min(self.round(width, Rank::Promise { share }, &mut best, &mut answer));
            }
            self.polish(&mut best, &mut answer);
            answer.gap = (cut - best).max(0.0);
            let settled = best <= before + LEAST_GAIN;
            if settled || answer.gap <= LEAST_GAIN || self.looked_at > effort || self.question.watch.ends() {
                self.grown.clear();
                return answer;
            }
            width *= 2;
        }
    }

    /// The best thresholds for a body, if they make the theory worth more than this.
    pub(crate) fn polished(&mut self, body: &[Condition], incumbent: f64) -> Answer {
        let mut answer = Answer { best: Some((body.to_vec(), incumbent)), ..Answer::default() };
        let mut best = incumbent;
        self.polish(&mut best, &mut answer);
        if best <= incumbent {
            answer.best = None;
        }
        answer
    }

    /// Other bodies than this one that may be those of rules, worth more or not, the best first: this one with a condition
    /// more, and for each condition the best with it that was found on the way to an answer.
    pub(crate) fn alternatives(&mut self, body: &[Condition]) -> Vec<Vec<Condition>> {
        let level = [Rc::new(self.question.node(&self.root, body))];
        let (mut children, mut cut) = (Vec::new(), f64::MIN);
        self.expand((&level, 0), (cut, cut), (WIDTH, Rank::Worth), &mut cut, &mut children);
        let narrower = children.iter().map(|child| (child.value, with(body, child.condition)));
        let mut all: Vec<(f64, Vec<Condition>)> = narrower.chain(self.best_with.values().cloned()).collect();
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        all.dedup();
        let may_be = |other: &Vec<Condition>| other != body && self.question.may_be_a_rule(other);
        all.into_iter().map(|(_, other)| other).filter(may_be).collect()
    }

    /// The cuts of a threshold that all lead to the same fit, with the rest of its body as it is.
    pub(crate) fn room(&mut self, rest: &[Condition], (slot, own): (u16, u16)) -> Room {
        let node = self.question.node(&self.root, rest);
        self.looked_at += node.witnesses.len();
        self.sums.sum_up(self.question, &node, 0.0, Wanted::Slot(slot as usize));
        let brings: Vec<(u16, (i64, i64))> =
            self.sums.cuts(slot as usize).map(|(cut, sum)| (cut, (sum.yes, sum.no))).collect();
        // Neighbours that bring the same, as far as there are any; the loosest cut of all tells nothing apart.
        let mut alike = brings.chunk_by(|a, b| a.1 == b.1).filter(|same| same.iter().any(|(cut, _)| *cut == own));
        let (strictest, loosest) = alike.next().map_or((own, own), |same| (same[0].0, same[same.len() - 1].0));
        Room { strictest, loosest }
    }

    /// Whether each condition of a body speaks for what the rule does.
    pub(crate) fn is_relevant(&self, body: &[Condition]) -> bool {
        self.question.is_relevant(body)
    }

    /// Whether each condition of a body brings more than chance would.
    pub(crate) fn has_earned_conditions(&self, body: &[Condition]) -> bool {
        self.question.has_earned_conditions(&self.root, body)
    }

    /// Whether a rule brings more than chance would.
    pub(crate) fn is_earned(&self, body: &[Condition]) -> bool {
        self.question.is_earned(&self.root, body)
    }

    /// A body with a condition more, if it may be that of a rule.
    fn accepted(&mut self, node: &Node, condition: Condition) -> Option<Vec<Condition>> {
        self.question.accepted(&self.root, (node, condition), &mut self.refused)
    }

    /// Grows bodies, so many of each length; says what the best that was left aside might be worth.
    fn round(&mut self, width: usize, rank: Rank, best: &mut f64, answer: &mut Answer) -> f64 {
        let question = self.question;
        let mut cut = f64::MIN;
        let mut level = vec![self.root.clone()];
        let mut known: IndexSet<u64, FxBuildHasher> = IndexSet::default();
        // What must be reached; it does not change in a round, so that bounds can be compared.
        let goal = *best;
        while !level.is_empty() && level[0].body.len() < question.max_literals {
            let mut children = Vec::new();
            for parent in 0..level.len() {
                if question.watch.ends() {
                    return f64::MAX;
                }
                let first = children.len();
                self.expand((&level, parent), (goal, *best), (width, rank), &mut cut, &mut children);
                self.note(&level[parent].body, &children[first..]);
                cut = cut.max(self.take_best(&level, &children[first..], best, answer));
            }
            children.retain(|c| c.bound > *best + LEAST_GAIN);
            let chosen = self.select(&level, children, (width, |child| child.rank), (&mut cut, |child| child.bound));
            let mut next = Vec::new();
            for child in chosen {
                let node = self.grow(&level[child.parent as usize], child.condition);
                if known.insert(question.fingerprint(&node.body)) {
                    next.push(node);
                } else {
                    // What is true of the same items may still differ in what its conditions speak for.
                    cut = cut.max(child.bound);
                }
            }
            level = next;
        }
        cut
    }

    /// Takes note of the body with each condition that is worth most.
    fn note(&mut self, body: &[Condition], children: &[Child]) {
        for child in children {
            let about = match child.condition {
                Condition::Literal(literal) => (false, literal),
                Condition::Threshold(slot, _) => (true, slot),
            };
            let known = self.best_with.entry(about).or_insert((f64::MIN, Vec::new()));
            if child.value > known.0 {
                *known = (child.value, with(body, child.condition));
            }
        }
    }

    /// What is to be gained, of all that a rule without conditions would do, where an F1 is needed.
    fn share(&self, needed: f64) -> f64 {
        let (question, mut all) = (self.question, Sum::default());
        let flip = |run: u32| &question.flips[run as usize];
        for block in self.root.witnesses.chunk_by(|a, b| flip(a.run).block == flip(b.run).block) {
            let first = flip(block[0].run);
            (all.yes, all.no) = (all.yes + first.yes, all.no + first.no);
            all.most += block.iter().map(|w| question.weight(flip(w.run), needed)).fold(0.0, f64::max);
        }
        question.purity(&all, needed)
    }

    /// A body with a condition more; as it was in a round before, if it was.
    fn grow(&mut self, node: &Node, condition: Condition) -> Rc<Node> {
        let new = self.grown.entry(with(&node.body, condition));
        new.or_insert_with(|| Rc::new(self.question.refined(node, condition))).clone()
    }

    /// Takes the best of some children that may be a rule, if it is better than the best so far. Gives what those are worth at
    /// most that were refused, but stand for neighbours of the same worth that might not be.
    fn take_best(&mut self, level: &[Rc<Node>], children: &[Child], best: &mut f64, answer: &mut Answer) -> f64 {
        let mut better: Vec<&Child> = children.iter().filter(|c| c.value > *best + LEAST_GAIN).collect();
        better.sort_by(|a, b| b.value.total_cmp(&a.value).then(a.condition.cmp(&b.condition)));
        let mut refused = f64::MIN;
        for child in better {
            if let Some(body) = self.accepted(&level[child.parent as usize], child.condition) {
                *best = child.value;
                answer.best = Some((body, child.value));
                break;
            }
            if child.stands_for_others {
                refused = refused.max(child.value);
            }
        }
        refused
    }

    /// The best children that are right about enough intervals, so many; what else might become something is noted with the
    /// most it might be worth, which `most` tells. Bodies with the highest bounds, kept beside those that are worth most, took
    /// as long again and led to the same rules in the lobby and on CAVIAR.
    fn select(
        &self,
        level: &[Rc<Node>],
        mut children: Vec<Child>,
        (width, rank): (usize, fn(&Child) -> f64),
        (cut, most): (&mut f64, fn(&Child) -> f64),
    ) -> Vec<Child> {
        children
            .sort_by(|a, b| rank(b).total_cmp(&rank(a)).then((a.parent, a.condition).cmp(&(b.parent, b.condition))));
        let mut chosen = Vec::new();
        for child in children {
            if chosen.len() == width {
                *cut = cut.max(most(&child));
            } else if self.question.is_supported(&level[child.parent as usize], child.condition) {
                chosen.push(child);
            } else if child.stands_for_others {
                *cut = cut.max(child.bound.max(child.value));
            }
        }
        chosen
    }

    /// All bodies with a condition more that could be worth more than the best so far, or lead to one that is; for each
    /// threshold so many.
    fn expand(
        &mut self,
        (level, parent): (&[Rc<Node>], usize),
        (goal, best): (f64, f64),
        (width, rank): (usize, Rank),
        cut: &mut f64,
        children: &mut Vec<Child>,
    ) {
        let (question, node, parent) = (self.question, &level[parent], parent as u32);
        // What a condition brings does not depend on the goal; bounds hold for any, and are only less tight with an old one.
        let (sums, needed) = node.sums.get_or_init(|| {
            let needed = question.needed(goal);
            self.looked_at += node.witnesses.len();
            self.sums.sum_up(question, node, needed, Wanted::All);
            (self.sums.clone(), needed)
        });
        let cost = question.price.of_rule(question.classes, &node.body);
        let least = question.price.least();
        let (floor, higher_floor) = (question.floor(best, cost + least), question.floor(best, cost + 2.0 * least));
        let judge = |condition: Condition, sum: &Sum, stands_for_others: bool, children: &mut Vec<Child>| {
            let (f1, most) = (question.reached(sum), question.bound(sum.most, *needed));
            if f1 <= floor && most <= higher_floor {
                return;
            }
            let cost = cost + question.price.of_condition(question.classes, condition);
            let (value, bound) = (question.value(f1, cost), question.value(most, cost + least));
            if value.max(bound) > best + LEAST_GAIN {
                let rank = match rank {
                    Rank::Worth => value,
                    Rank::Promise { share } => sum.most * libm::log2(question.purity(sum, *needed) / share),
                };
                children.push(Child { parent, condition, value, bound, rank, stands_for_others });
            }
        };
        for (literal, sum) in sums.literals.iter().enumerate().take(question.classes.literals()) {
            let condition = Condition::Literal(literal as u16);
            if !node.body.contains(&condition) && (question.is_allowed)(condition) {
                judge(condition, sum, false, children);
            }
        }
        for slot in 0..question.classes.slots() {
            let used = node.body.iter().any(|c| matches!(c, Condition::Threshold(s, _) if *s as usize == slot));
            if used || !(question.is_allowed)(Condition::Threshold(slot as u16, 0)) {
                continue;
            }
            let threshold = |cut: u16| Condition::Threshold(slot as u16, cut);
            let first = children.len();
            let digits = |cut: u16| question.classes.digits(threshold(cut));
            sums.for_each_cut(slot, digits, |cut, sum, others| judge(threshold(cut), sum, others, children));
            // Of neighbours the best few: the others are found where the thresholds of the best rule are looked at again. Until
            // then it is not known whether they may be rules.
            let (own, few) = (children.split_off(first), (width / 2).max(1));
            let most: fn(&Child) -> f64 = |child| child.bound.max(child.value);
            if rank != Rank::Worth {
                children.extend(self.select(level, own.clone(), (few, |child| child.rank), (&mut *cut, most)));
            }
            let promising = first..children.len();
            let is_new = |child: &Child, known: &[Child]| known.iter().all(|k| k.condition != child.condition);
            for child in self.select(level, own, (few, |child| child.value), (&mut *cut, most)) {
                if is_new(&child, &children[promising.clone()]) {
                    children.push(child);
                }
            }
        }
    }

    /// Looks at each threshold of the best rule again, with the others as they are.
    fn polish(&mut self, best: &mut f64, answer: &mut Answer) {
        let question = self.question;
        let Some((mut body, _)) = answer.best.clone() else { return };
        // How many conditions in a row stayed as they are.
        let (mut at, mut same) = (0, 0);
        while same < body.len() && !question.watch.ends() {
            if let Condition::Threshold(slot, _) = body[at] {
                let rest = without(&body, at);
                let node = question.node(&self.root, &rest);
                self.looked_at += node.witnesses.len();
                self.sums.sum_up(question, &node, question.needed(*best), Wanted::Slot(slot as usize));
                let cost = question.price.of_rule(question.classes, &rest);
                let floor = question.floor(*best, cost + question.price.least());
                let threshold = |cut: u16| Condition::Threshold(slot, cut);
                let mut better: Vec<(f64, Condition)> = Vec::new();
                let digits = |cut: u16| question.classes.digits(threshold(cut));
                self.sums.for_each_cut(slot as usize, digits, |cut, sum, _| {
                    let f1 = question.reached(sum);
                    if f1 > floor {
                        let cost = cost + question.price.of_condition(question.classes, threshold(cut));
                        better.push((question.value(f1, cost), threshold(cut)));
                    }
                });
                better.retain(|(value, _)| *value > *best + LEAST_GAIN);
                better.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                let accepted = |(value, condition): (f64, Condition)| Some((self.accepted(&node, condition)?, value));
                if let Some((new, value)) = better.into_iter().find_map(accepted) {
                    (*best, same) = (value, 0);
                    answer.best = Some((new.clone(), value));
                    body = new;
                }
            }
            (at, same) = ((at + 1) % body.len(), same + 1);
        }
    }
}

#[cfg(test)]
mod tests;
