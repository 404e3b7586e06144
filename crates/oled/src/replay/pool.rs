//! Pool: the bodies that rules may have: conjunctions that occur, one for each set of time points they are true at.
//!
//! Where there are few classes of equal truth, all bodies are looked at. Where there are many, bodies are grown from the
//! most promising ones, judged on a sample of the classes; those that are left are then counted on all of them.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::quest::Rule;
use super::search::Terms;
use super::view::{Lit, SUPPORT, Stat, View};
use super::watch::Watch;
use crate::induce::RuleKind;

/// More literals than this no body has.
pub(crate) const MAX_BODY: usize = 5;

/// With more classes than this, bodies are found on a sample: all classes in which the fluent begins or ends, and so many of
/// those in which it never holds, and of those in which it only goes on.
const MANY_CLASSES: usize = 4096;
const SAMPLE: usize = 2048;

/// So many bodies of each length are grown further, for each kind of rule; with many classes, fewer.
const WIDTH: usize = 1 << 14;
const NARROW: usize = 1 << 10;

/// Bodies up to this length are always looked at.
const SHORT: usize = 2;

/// So many bodies of each kind, times the number of stretches, are judged by replay; with many classes, so many bodies.
const WORK: usize = 1 << 30;
const MANY: usize = 1 << 11;

/// A rule must start where the fluent holds next at this share of the time points, at least; and end where it holds at
/// this share, at most.
const LEAST_HELD: f64 = 0.25;
const MOST_HELD: f64 = 0.5;

/// Whether to end early is asked once in so many bodies: each takes well under a millisecond, and asking a nanosecond.
pub(crate) const LOOK: usize = 64;

/// A body: literals in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Body {
    count: u8,
    literals: [u16; MAX_BODY],
}

impl Body {
    pub(crate) const EMPTY: Body = Body { count: 0, literals: [0; MAX_BODY] };

    pub(crate) fn literals(&self) -> &[u16] {
        &self.literals[..self.count as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.count as usize
    }

    pub(crate) fn with(mut self, literal: u16) -> Body {
        self.literals[self.count as usize] = literal;
        self.count += 1;
        self
    }
}

/// Bodies with the sets of classes in which they are true.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    pub(crate) bodies: Vec<Body>,
    /// In the order of the bodies; no two are the same.
    covers: IndexSet<Box<[u64]>, FxBuildHasher>,
    /// The bodies that may start the fluent, and those that may end it, by number.
    pub(crate) starts: Vec<u32>,
    pub(crate) ends: Vec<u32>,
    /// Why others may not.
    pub(crate) refused: Refused,
    /// Whether bodies were found on a sample: what only few classes tell may be missing.
    sampled: bool,
}

/// How many bodies were left out, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Refused {
    /// True in too few segments at all.
    pub(crate) unseen: usize,
    /// True in too few segments in which the fluent held then.
    pub(crate) unsupported: usize,
    /// The fluent held too seldom; at best for this share of the time.
    pub(crate) seldom: usize,
    pub(crate) best: Option<f64>,
}

/// A body that was found, with how well it tells beginnings and endings by itself.
#[derive(Clone, Copy, Debug)]
struct Node {
    body: Body,
    /// As F1, and with more weight on precision.
    starts: (f64, f64),
    ends: (f64, f64),
}

/// The classes that bodies are grown on.
struct Rows {
    words: usize,
    /// For each literal, for each way, the rows in which it is true.
    bits: Vec<u64>,
    everything: Vec<u64>,
    stats: Vec<Stat>,
    total: Stat,
}

impl Pool {
    /// The bodies of the literals of a view that are supported well enough.
    pub(crate) fn new(view: &View, terms: &Terms, watch: Watch<'_>) -> Pool {
        let many = view.classes > MANY_CLASSES;
        let mut pool = Pool { sampled: many, ..Pool::default() };
        let rows = if many { Rows::sample(view) } else { Rows::all(view) };
        let nodes = pool.grow(view, &rows, many, terms.max_literals, watch);
        let most = if many { MANY } else { (WORK / view.stretches.len().max(1)).max(NARROW) };
        for (n, i) in promising(&nodes, most, SHORT).into_iter().enumerate() {
            // A look at the clock of others is cheap, but not for each body.
            if n % LOOK == 0 && watch.ends() {
                break;
            }
            let node = &nodes[i];
            let cover = view.cover(node.body.literals().iter().map(|l| *l as usize));
            if !pool.covers.contains(cover.as_slice()) {
                let stat = stat(&view.stats, &cover);
                pool.add(node.body, &cover, stat, terms);
            }
        }
        pool
    }

    /// Grows bodies literal by literal: those of each length that say something new, as far as they are promising.
    fn grow(&mut self, view: &View, rows: &Rows, many: bool, most: usize, watch: Watch<'_>) -> Vec<Node> {
        let size = view.ways * rows.words;
        let mut seen: IndexSet<u128, FxBuildHasher> = IndexSet::default();
        // The bodies of one length, and what is true with them, one after the other.
        let mut level = vec![Body::EMPTY];
        let mut truths = rows.everything.clone();
        let mut truth = vec![0; size];
        let mut cover = vec![0; rows.words];
        let mut all = Vec::new();
        for length in 1..=MAX_BODY.min(most) {
            watch.tell(|| format!("bodies of {length} conditions, {} so far", all.len()));
            let (mut next, mut next_truths) = (Vec::new(), Vec::new());
            for (body, bits) in level.iter().zip(truths.chunks(size.max(1))) {
                if watch.ends() {
                    break;
                }
                let from = body.literals().last().map_or(0, |l| l + 1);
                for l in from..view.literals.len() as u16 {
                    let attribute = view.attributes[l as usize];
                    if body.literals().iter().any(|b| view.attributes[*b as usize] == attribute) {
                        continue;
                    }
                    let own = &rows.bits[l as usize * size..(l as usize + 1) * size];
                    truth.iter_mut().zip(bits.iter().zip(own)).for_each(|(t, (a, b))| *t = a & b);
                    if truth == bits || !seen.insert(fingerprint(&truth)) {
                        continue;
                    }
                    cover.copy_from_slice(&truth[..rows.words]);
                    for way in truth.chunks(rows.words).skip(1) {
                        cover.iter_mut().zip(way).for_each(|(c, w)| *c |= w);
                    }
                    let stat = stat(&rows.stats, &cover);
                    if stat.seen.len() < SUPPORT {
                        self.refused.unseen += 1;
                        continue;
                    }
                    let (starts, ends) = (stat.starts(&rows.total), stat.ends(&rows.total));
                    next.push(Node { body: body.with(l), starts, ends });
                    next_truths.extend_from_slice(&truth);
                }
            }
            all.extend_from_slice(&next);
            let width = if many { NARROW } else { WIDTH };
            let kept = promising(&next, width, SHORT);
            level = kept.iter().map(|&i| next[i].body).collect();
            truths = kept.iter().flat_map(|&i| &next_truths[i * size..(i + 1) * size]).copied().collect();
        }
        all
    }

    fn add(&mut self, body: Body, cover: &[u64], stat: Stat, terms: &Terms) {
        let number = self.bodies.len() as u32;
        let (starts, ends) = (terms.starts() && may_start(&stat), terms.ends() && may_end(&stat));
        if starts {
            self.starts.push(number);
        } else if stat.held.len() < SUPPORT {
            self.refused.unsupported += 1;
        } else {
            self.refused.seldom += 1;
            let share = stat.held_share();
            self.refused.best = Some(self.refused.best.map_or(share, |best: f64| best.max(share)));
        }
        if ends {
            self.ends.push(number);
        }
        if starts || ends {
            self.bodies.push(body);
            self.covers.insert(cover.into());
        }
    }

    /// The same bodies on another view, and also with the thresholds that the rules have, in the place of others for the
    /// same.
    pub(crate) fn on(&self, view: &View, finer: &View, rules: &[Rule]) -> Pool {
        let mut pool = Pool { refused: self.refused, sampled: self.sampled, ..Pool::default() };
        let mut refined: Vec<Lit> = rules.iter().flat_map(|r| &r.body).copied().collect();
        refined.retain(|l| !view.literals.contains(l));
        for (bodies, kind) in [(&self.starts, RuleKind::Initiation), (&self.ends, RuleKind::Termination)] {
            for &body in bodies {
                let body = self.literals(view, body);
                for other in &refined {
                    if let Some(place) = body.iter().position(|l| l.is_same_measure(*other)) {
                        let mut body = body.clone();
                        body[place] = *other;
                        let rule = Rule { kind, body };
                        if supports(finer, &rule) {
                            pool.insert(finer, &rule);
                        }
                    }
                }
                pool.insert(finer, &Rule { kind, body });
            }
        }
        pool
    }

    /// Puts a rule into the pool, unless one that is true at the same time points is there; gives its number. A rule with
    /// a literal that the view has not is left out.
    pub(crate) fn insert(&mut self, view: &View, rule: &Rule) -> Option<(RuleKind, u32)> {
        let literals = view.numbers(&rule.body)?;
        let cover = view.cover(literals.iter().copied());
        let at = if let Some(at) = self.covers.get_index_of(cover.as_slice()) {
            at as u32
        } else {
            let body = literals.iter().fold(Body::EMPTY, |body, l| body.with(*l as u16));
            self.bodies.push(body);
            self.covers.insert(cover.into());
            self.bodies.len() as u32 - 1
        };
        let list = if rule.kind == RuleKind::Termination { &mut self.ends } else { &mut self.starts };
        // New numbers are the largest; what is older may be in the list.
        if list.last().is_none_or(|last| *last < at) || !list.contains(&at) {
            list.push(at);
        }
        Some((rule.kind, at))
    }

    /// Where bodies were found on a sample, puts those into the pool that have a literal more than a rule, or one less, or
    /// another one in the place of one; says whether there are any new ones.
    pub(crate) fn insert_neighbours(&mut self, view: &View, rule: (RuleKind, u32), terms: &Terms) -> bool {
        let before = (self.starts.len(), self.ends.len());
        if self.sampled {
            let (kind, body) = (rule.0, self.literals(view, rule.1));
            for place in 0..=body.len() {
                let mut rest = body.clone();
                if place < rest.len() {
                    rest.remove(place);
                    self.insert_supported(view, kind, rest.clone());
                }
                if rest.len() < terms.max_literals {
                    for literal in &view.literals {
                        self.insert_supported(view, kind, [rest.as_slice(), &[*literal]].concat());
                    }
                }
            }
        }
        (self.starts.len(), self.ends.len()) != before
    }

    /// Puts a rule into the pool that has enough support, and at most one literal of a kind.
    fn insert_supported(&mut self, view: &View, kind: RuleKind, mut body: Vec<Lit>) {
        let Some(numbers) = view.numbers(&body) else { return };
        let attributes: Vec<u32> = numbers.iter().map(|l| view.attributes[*l]).collect();
        if body.is_empty() || (1..attributes.len()).any(|i| attributes[..i].contains(&attributes[i])) {
            return;
        }
        body.sort_by_key(|literal| view.literals.iter().position(|l| l == literal));
        let rule = Rule { kind, body };
        if supports(view, &rule) {
            self.insert(view, &rule);
        }
    }

    /// The literals of a body.
    pub(crate) fn literals(&self, view: &View, body: u32) -> Vec<Lit> {
        self.bodies[body as usize].literals().iter().map(|l| view.literals[*l as usize]).collect()
    }

    /// The classes in which a body is true.
    pub(crate) fn cover(&self, body: u32) -> &[u64] {
        &self.covers[body as usize]
    }
}

impl Rows {
    fn all(view: &View) -> Rows {
        Rows {
            words: view.words,
            bits: view.bits.clone(),
            everything: view.everything(),
            total: view.stats.iter().fold(Stat::default(), Stat::with),
            stats: view.stats.clone(),
        }
    }

    /// All classes in which the fluent begins or ends, and some of the others, each for as many as it stands for.
    fn sample(view: &View) -> Rows {
        let all = |wanted: fn(&Stat) -> bool| (0..view.classes).filter(move |c| wanted(&view.stats[*c]));
        let mut rows: Vec<usize> = all(Stat::changes).collect();
        let mut weights = vec![1; rows.len()];
        for quiet in [all(Stat::is_idle).collect::<Vec<_>>(), all(|s| !s.is_idle() && !s.changes()).collect()] {
            let step = quiet.len().div_ceil(SAMPLE).max(1);
            rows.extend(quiet.iter().step_by(step));
            weights.resize(rows.len(), step as u64);
        }
        let words = rows.len().div_ceil(64);
        let mut bits = vec![0; view.literals.len() * view.ways * words];
        for (l, own) in bits.chunks_mut((view.ways * words).max(1)).enumerate() {
            let classes = view.bits_of(l);
            for way in 0..view.ways {
                for (r, class) in rows.iter().enumerate() {
                    let bit = classes[way * view.words + class / 64] >> (class % 64) & 1;
                    own[way * words + r / 64] |= bit << (r % 64);
                }
            }
        }
        let mut everything = vec![0; words];
        (0..rows.len()).for_each(|r| everything[r / 64] |= 1 << (r % 64));
        let stats: Vec<Stat> = rows.iter().zip(weights).map(|(c, w)| view.stats[*c].weighted(w)).collect();
        let total = stats.iter().fold(Stat::default(), Stat::with);
        Rows { words, bits, everything: everything.repeat(view.ways), stats, total }
    }
}

/// The places of the most promising bodies: the short ones, and so many each of those that are right about much when they
/// start or end the fluent, and of those that are seldom wrong then.
fn promising(nodes: &[Node], count: usize, short: usize) -> Vec<usize> {
    if nodes.len() <= count {
        return (0..nodes.len()).collect();
    }
    let mut kept: Vec<bool> = nodes.iter().map(|n| n.body.len() <= short).collect();
    let scores: [fn(&Node) -> f64; 4] = [|n| n.starts.0, |n| n.starts.1, |n| n.ends.0, |n| n.ends.1];
    for score in scores {
        let mut order: Vec<usize> = (0..nodes.len()).collect();
        order.sort_by(|a, b| score(&nodes[*b]).total_cmp(&score(&nodes[*a])).then(a.cmp(b)));
        order.iter().take(count).for_each(|i| kept[*i] = true);
    }
    (0..nodes.len()).filter(|i| kept[*i]).collect()
}

/// Whether a rule that is true in these classes has enough support.
pub(crate) fn supported(view: &View, cover: &[u64], kind: RuleKind) -> bool {
    let stat = stat(&view.stats, cover);
    if kind == RuleKind::Termination { may_end(&stat) } else { may_start(&stat) }
}

/// The same of a rule, on a view that has its literals.
fn supports(view: &View, rule: &Rule) -> bool {
    view.numbers(&rule.body).is_some_and(|literals| supported(view, &view.cover(literals), rule.kind))
}

fn may_start(stat: &Stat) -> bool {
    stat.held.len() >= SUPPORT && stat.held_share() >= LEAST_HELD
}

fn may_end(stat: &Stat) -> bool {
    stat.seen.len() >= SUPPORT && stat.held_share() <= MOST_HELD
}

/// A number that two different sets hardly ever have both: with a hundred thousand sets the odds are one in 10^9, at worst.
/// Four chains, so that no word waits for the one before it.
fn fingerprint(set: &[u64]) -> u128 {
    const FACTOR: u64 = 0xda94_2042_e4dd_58b5;
    let fold = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word) * u128::from(FACTOR);
        (product as u64 ^ (product >> 64) as u64).wrapping_add(FACTOR)
    };
    let mut chains = [1, 2, 3, 4];
    let words = set.chunks_exact(4);
    let rest = words.remainder();
    for four in words {
        chains.iter_mut().zip(four).for_each(|(chain, word)| *chain = fold(*chain, *word));
    }
    chains.iter_mut().zip(rest).for_each(|(chain, word)| *chain = fold(*chain, *word));
    let [a, b, c, d] = chains;
    u128::from(fold(a, c)) << 64 | u128::from(fold(b, d))
}

/// Calls a function with the classes of a set: in the innermost loops, where an iterator is too slow.
#[inline]
pub(crate) fn for_each_member(set: &[u64], mut each: impl FnMut(usize)) {
    for (i, word) in set.iter().enumerate() {
        let mut rest = *word;
        while rest != 0 {
            each(i * 64 + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

/// What is known of a set of classes.
fn stat(stats: &[Stat], cover: &[u64]) -> Stat {
    let mut sum = Stat::default();
    for_each_member(cover, |class| {
        let stat = &stats[class];
        sum.add_counts(stat);
        // Most sets are seen in enough segments after a few classes.
        if sum.held.len() < SUPPORT {
            sum.seen.merge(&stat.seen);
            sum.held.merge(&stat.held);
        }
    });
    sum
}
