//! Pool: the bodies that rules may have: conjunctions that occur, one for each set of time points they are true at.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::quest::Rule;
use super::search::{Terms, cover_of};
use super::view::{Lit, SUPPORT, Stat, View};
use crate::induce::RuleKind;

/// More literals than this no body has.
pub(crate) const MAX_BODY: usize = 5;

/// More conjunctions than this are not looked at; longer ones come last.
const MAX_NODES: usize = 1 << 17;

/// A rule must start where the fluent holds at this share of the time points, at least; and end where it holds at this
/// share, at most.
const LEAST_HELD: f64 = 0.25;
const MOST_HELD: f64 = 0.5;

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
}

/// How many bodies were left out, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Refused {
    /// True in too few segments at all.
    pub(crate) unseen: usize,
    /// True in too few segments in which the fluent held then.
    pub(crate) unsupported: usize,
    /// The fluent held too seldom; at best for this share of the time.
    pub(crate) seldom: usize,
    pub(crate) best: Option<f64>,
}

impl Pool {
    /// All bodies of the literals of a view that are supported well enough.
    pub(crate) fn new(view: &View, terms: &Terms) -> Pool {
        let mut pool = Pool::default();
        let size = view.ways * view.words;
        let mut seen: IndexSet<u128, FxBuildHasher> = IndexSet::default();
        // The bodies of one length, and what is true with them, one after the other.
        let mut level = vec![Body::EMPTY];
        let mut truths = view.everything();
        let mut truth = vec![0; size];
        let mut cover = vec![0; view.words];
        for _ in 0..MAX_BODY {
            let (mut next, mut next_truths) = (Vec::new(), Vec::new());
            for (body, bits) in level.iter().zip(truths.chunks(size.max(1))) {
                let from = body.literals().last().map_or(0, |l| l + 1);
                for l in from..view.literals.len() as u16 {
                    let attribute = view.attributes[l as usize];
                    if body.literals().iter().any(|b| view.attributes[*b as usize] == attribute) {
                        continue;
                    }
                    truth.iter_mut().zip(bits.iter().zip(view.bits_of(l as usize))).for_each(|(t, (a, b))| *t = a & b);
                    if truth == bits || seen.len() >= MAX_NODES || !seen.insert(fingerprint(&truth)) {
                        continue;
                    }
                    cover.copy_from_slice(&truth[..view.words]);
                    for way in truth.chunks(view.words).skip(1) {
                        cover.iter_mut().zip(way).for_each(|(c, w)| *c |= w);
                    }
                    let stat = stat(view, &cover);
                    if stat.seen.len() < SUPPORT {
                        pool.refused.unseen += 1;
                        continue;
                    }
                    let body = body.with(l);
                    if !pool.covers.contains(cover.as_slice()) {
                        pool.add(body, &cover, stat, terms);
                    }
                    next.push(body);
                    next_truths.extend_from_slice(&truth);
                }
            }
            (level, truths) = (next, next_truths);
        }
        pool
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
            let share = held(&stat);
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

    /// Puts a rule into the pool, unless one that is true at the same time points is there; gives its number. A rule with
    /// a literal that the view has not is left out.
    pub(crate) fn insert(&mut self, view: &View, rule: &Rule) -> Option<(RuleKind, u32)> {
        let number = |l: &Lit| view.literals.iter().position(|v| v == l);
        let literals: Vec<usize> = rule.body.iter().map(number).collect::<Option<_>>()?;
        let cover = cover_of(view, &literals);
        let at = match self.covers.get_index_of(cover.as_slice()) {
            Some(at) => at as u32,
            None => {
                let body = literals.iter().fold(Body::EMPTY, |body, l| body.with(*l as u16));
                self.bodies.push(body);
                self.covers.insert(cover.into());
                self.bodies.len() as u32 - 1
            }
        };
        let list = if rule.kind == RuleKind::Termination { &mut self.ends } else { &mut self.starts };
        if !list.contains(&at) {
            list.push(at);
        }
        Some((rule.kind, at))
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

/// Whether a rule that is true in these classes has enough support.
pub(crate) fn supported(view: &View, cover: &[u64], kind: RuleKind) -> bool {
    let stat = stat(view, cover);
    if kind == RuleKind::Termination { may_end(&stat) } else { may_start(&stat) }
}

fn may_start(stat: &Stat) -> bool {
    stat.held.len() >= SUPPORT && held(stat) >= LEAST_HELD
}

fn may_end(stat: &Stat) -> bool {
    stat.seen.len() >= SUPPORT && held(stat) <= MOST_HELD
}

/// The share of time points at which the fluent holds.
fn held(stat: &Stat) -> f64 {
    stat.yes as f64 / (stat.yes + stat.no).max(1) as f64
}

/// A number that two different sets hardly ever have both: with a hundred thousand sets the odds are one in 10^28.
fn fingerprint(set: &[u64]) -> u128 {
    const FACTOR: u128 = 0xda94_2042_e4dd_58b5_2127_599b_f432_5c37;
    let mixed = set.iter().fold(FACTOR, |hash, word| {
        let hash = (hash ^ u128::from(*word)).wrapping_mul(FACTOR);
        hash ^ (hash >> 61)
    });
    mixed.wrapping_mul(FACTOR)
}

/// The classes of a set.
pub(crate) fn members(set: &[u64]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(i, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            let next = (rest != 0).then(|| i * 64 + rest.trailing_zeros() as usize);
            rest &= rest.wrapping_sub(1);
            next
        })
    })
}

/// What is known of a set of classes.
fn stat(view: &View, cover: &[u64]) -> Stat {
    let mut sum = Stat::default();
    for class in members(cover) {
        let stat = &view.stats[class];
        sum.yes += stat.yes;
        sum.no += stat.no;
        sum.seen.merge(&stat.seen);
        sum.held.merge(&stat.held);
    }
    sum
}
