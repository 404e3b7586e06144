//! Pool: the bodies that rules may have: conjunctions that occur, one for each set of time points they are true at.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::view::{Few, SUPPORT, Stat, View};

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
    words: usize,
    covers: Vec<u64>,
    /// The bodies that may start the fluent, and those that may end it, by number.
    pub(crate) starts: Vec<u32>,
    pub(crate) ends: Vec<u32>,
    /// Why others may not.
    pub(crate) refused: Refused,
}

/// How many bodies were left out, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Refused {
    /// True in too few segments at all.
    pub(crate) unseen: usize,
    /// True in too few segments in which the fluent held then.
    pub(crate) unsupported: usize,
    /// The fluent held too seldom.
    pub(crate) seldom: usize,
}

impl Pool {
    /// All bodies of the literals of a view that are supported well enough. `direct`: nothing ends by a rule.
    pub(crate) fn new(view: &View, direct: bool) -> Pool {
        let mut pool = Pool { words: view.words, ..Pool::default() };
        let size = view.ways * view.words;
        let mut seen: IndexSet<Box<[u64]>, FxBuildHasher> = IndexSet::default();
        let mut covers: IndexSet<Box<[u64]>, FxBuildHasher> = IndexSet::default();
        let mut level: Vec<(Body, Box<[u64]>)> = vec![(Body::EMPTY, view.everything().into())];
        let mut truth = vec![0; size];
        let mut cover = vec![0; view.words];
        for _ in 0..MAX_BODY {
            let mut next = Vec::new();
            for (body, bits) in &level {
                let from = body.literals().last().map_or(0, |l| l + 1);
                for l in from..view.literals.len() as u16 {
                    let attribute = view.attributes[l as usize];
                    if body.literals().iter().any(|b| view.attributes[*b as usize] == attribute) {
                        continue;
                    }
                    truth.iter_mut().zip(bits.iter().zip(view.bits_of(l as usize))).for_each(|(t, (a, b))| *t = a & b);
                    if truth == **bits || seen.contains(truth.as_slice()) || seen.len() >= MAX_NODES {
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
                    seen.insert(truth.as_slice().into());
                    let body = body.with(l);
                    if !covers.contains(cover.as_slice()) {
                        covers.insert(cover.as_slice().into());
                        pool.add(body, &cover, stat, direct);
                    }
                    next.push((body, truth.as_slice().into()));
                }
            }
            level = next;
        }
        pool
    }

    fn add(&mut self, body: Body, cover: &[u64], stat: Stat, direct: bool) {
        let share = stat.yes as f64 / (stat.yes + stat.no).max(1) as f64;
        let number = self.bodies.len() as u32;
        let starts = stat.held.len() >= SUPPORT && share >= LEAST_HELD;
        let ends = !direct && share <= MOST_HELD;
        if starts {
            self.starts.push(number);
        } else if stat.held.len() < SUPPORT {
            self.refused.unsupported += 1;
        } else {
            self.refused.seldom += 1;
        }
        if ends {
            self.ends.push(number);
        }
        if starts || ends {
            self.bodies.push(body);
            self.covers.extend_from_slice(cover);
        }
    }

    /// The classes in which a body is true.
    pub(crate) fn cover(&self, body: u32) -> &[u64] {
        &self.covers[body as usize * self.words..(body as usize + 1) * self.words]
    }
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
    let mut sum = Stat { seen: Few::default(), ..Stat::default() };
    for class in members(cover) {
        let stat = &view.stats[class];
        sum.yes += stat.yes;
        sum.no += stat.no;
        sum.seen.merge(&stat.seen);
        sum.held.merge(&stat.held);
    }
    sum
}
