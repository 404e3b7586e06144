//! Search: the set of rules whose own free-running recognition fits the annotation best.
//!
//! What a rule would change is found without replaying everything. Between two stretches at which rules decide, the fluent
//! keeps its state; a rule more can only turn such a block over from the first stretch on at which it fires. So each stretch
//! knows what turning its block over there would bring, and a candidate is judged by the stretches it fires at.

use serde::{Deserialize, Serialize};

use super::pool::{LOOK, Pool, for_each_member};
use super::view::{Label, Stat, View};
use super::watch::Watch;
use crate::evaluate::Confusion;
use crate::induce::RuleKind;

/// What is weighed against fit, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Terms {
    /// The price of a literal, heads included.
    pub(crate) penalty: f64,
    /// Whether rules are wanted that make no errors: literals cost less then where few are left.
    pub(crate) exact: bool,
    /// What rules there are heads for.
    pub(crate) kinds: Kinds,
    /// Whether rules that come near are wanted too, for the next search.
    pub(crate) near: bool,
    pub(crate) threads: usize,
    /// No body has more literals, no theory more rules.
    pub(crate) max_literals: usize,
    pub(crate) max_rules: usize,
}

/// What rules there are heads for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kinds {
    /// Those of an ordinary predicate.
    Direct,
    /// Those that start a fluent, those that end it, or both.
    Starts,
    Ends,
    Both,
}

/// With a smaller share of errors than this, F1 being one less that share, rules that make none are looked for, and literals
/// cost less in proportion, down to a small part of their price.
const FEW_ERRORS: f64 = 0.05;
const LEAST_PRICE: f64 = 0.05;

/// This share of errors is none.
const NO_ERRORS: f64 = 0.001;

impl Terms {
    /// What a theory is worth: how well it fits, less the price of its literals, heads included.
    pub(crate) fn worth(&self, fit: &Fit, literals: usize) -> f64 {
        let share = if self.exact { ((1.0 - fit.f1()) / FEW_ERRORS).clamp(LEAST_PRICE, 1.0) } else { 1.0 };
        fit.f1() - self.penalty * share * literals as f64
    }

    /// What a literal costs in a theory that was found.
    pub(crate) fn price(&self, fit: &Fit) -> f64 {
        if fit.is_exact() { self.penalty * LEAST_PRICE } else { self.penalty }
    }

    pub(crate) fn direct(&self) -> bool {
        self.kinds == Kinds::Direct
    }

    pub(crate) fn starts(&self) -> bool {
        self.kinds != Kinds::Ends
    }

    pub(crate) fn ends(&self) -> bool {
        matches!(self.kinds, Kinds::Ends | Kinds::Both)
    }

    fn rules(&self) -> &'static [RuleKind] {
        match self.kinds {
            Kinds::Direct => &[RuleKind::Direct],
            Kinds::Starts => &[RuleKind::Initiation],
            Kinds::Ends => &[RuleKind::Termination],
            Kinds::Both => &[RuleKind::Initiation, RuleKind::Termination],
        }
    }
}

/// How often recognition is right and wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fit {
    pub(crate) tp: i64,
    pub(crate) fp: i64,
    pub(crate) positives: i64,
}

impl Fit {
    pub(crate) fn f1(&self) -> f64 {
        let all = self.tp + self.fp + self.positives;
        if all == 0 { 0.0 } else { 2.0 * self.tp as f64 / all as f64 }
    }

    /// The same as a confusion.
    pub(crate) fn counts(&self) -> Confusion {
        let Fit { tp, fp, positives } = *self;
        Confusion { tp: tp as u64, fp: fp as u64, fn_: (positives - tp) as u64 }
    }

    /// Whether few errors are left, but some.
    pub(crate) fn is_nearly_exact(&self) -> bool {
        let f1 = self.f1();
        f1 > 1.0 - FEW_ERRORS && f1 < 1.0
    }

    /// Whether there are none to speak of.
    pub(crate) fn is_exact(&self) -> bool {
        self.f1() >= 1.0 - NO_ERRORS
    }
}

/// A rule: what it does, and its number in the pool.
pub(crate) type Chosen = (RuleKind, u32);

/// Rules that were found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Found {
    pub(crate) rules: Vec<Chosen>,
    pub(crate) fit: Fit,
    pub(crate) value: f64,
}

/// What rules do in each class.
#[derive(Clone, Debug)]
pub(crate) struct Actions {
    starts: Vec<u64>,
    ends: Vec<u64>,
}

impl Actions {
    /// Those of the background alone.
    pub(crate) fn given(view: &View) -> Actions {
        Actions { starts: view.starts.clone(), ends: view.ends.clone() }
    }

    pub(crate) fn add(&mut self, kind: RuleKind, cover: &[u64]) {
        let set = if kind == RuleKind::Termination { &mut self.ends } else { &mut self.starts };
        set.iter_mut().zip(cover).for_each(|(a, b)| *a |= b);
    }

    pub(crate) fn start(&self, class: u32) -> bool {
        has(&self.starts, class)
    }

    pub(crate) fn end(&self, class: u32) -> bool {
        has(&self.ends, class)
    }
}

fn has(set: &[u64], class: u32) -> bool {
    set[class as usize / 64] >> (class % 64) & 1 == 1
}

/// A stretch at which a rule would turn the rest of a block over, and what that would bring.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    block: u32,
    stretch: u32,
    yes: i32,
    no: i32,
}

/// A theory at work on a view, ready to be changed by one rule.
#[derive(Clone, Debug)]
struct Base {
    fit: Fit,
    blocks: usize,
    starts: ByClass,
    ends: ByClass,
}

/// Turns by the class they happen in.
#[derive(Clone, Debug, Default)]
struct ByClass {
    from: Vec<u32>,
    turns: Vec<Turn>,
    /// The classes that have any.
    any: Vec<u64>,
}

impl ByClass {
    fn new(classes: usize, turns: &[(u32, Turn)]) -> ByClass {
        let mut from = vec![0_u32; classes + 1];
        turns.iter().for_each(|(class, _)| from[*class as usize + 1] += 1);
        (0..classes).for_each(|c| from[c + 1] += from[c]);
        let mut next = from.clone();
        let mut sorted = vec![Turn::default(); turns.len()];
        for (class, turn) in turns {
            sorted[next[*class as usize] as usize] = *turn;
            next[*class as usize] += 1;
        }
        // Turns of a block are neighbours, and come from its end to its start: of those in a class, the last one is the first
        // in time, and whatever fires at the others fires at that one before.
        let (mut any, mut kept) = (vec![0; classes.div_ceil(64)], 0);
        for class in 0..classes {
            let own = from[class] as usize..from[class + 1] as usize;
            from[class] = kept as u32;
            for i in own.clone() {
                if i + 1 == own.end || sorted[i + 1].block != sorted[i].block {
                    sorted[kept] = sorted[i];
                    kept += 1;
                }
            }
            any[class / 64] |= u64::from(!own.is_empty()) << (class % 64);
        }
        from[classes] = kept as u32;
        sorted.truncate(kept);
        ByClass { from, turns: sorted, any }
    }

    #[inline]
    fn of(&self, class: usize) -> &[Turn] {
        &self.turns[self.from[class] as usize..self.from[class + 1] as usize]
    }
}

impl Base {
    fn new(view: &View, actions: &Actions, direct: bool) -> Base {
        let mut base = Base {
            fit: Fit { positives: view.positives as i64, ..Fit::default() },
            blocks: 0,
            starts: ByClass::default(),
            ends: ByClass::default(),
        };
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        let amount = |label: Label, length: i64| match label {
            Label::Yes => (length, 0),
            Label::No => (0, length),
            Label::Unknown => (0, 0),
        };
        let trails = view.trails.iter().map(|t| t.first as usize).chain([view.stretches.len()]);
        let trails: Vec<usize> = trails.collect();
        for (trail, window) in view.trails.iter().zip(trails.windows(2)) {
            let (first, last) = (window[0], window[1]);
            if direct {
                for (i, s) in view.stretches[first..last].iter().enumerate() {
                    let (yes, no) = amount(s.label, i64::from(s.length));
                    if actions.start(s.class) {
                        base.fit.tp += yes;
                        base.fit.fp += no;
                    } else {
                        let turn = Turn {
                            block: base.blocks as u32,
                            stretch: (first + i) as u32,
                            yes: yes as i32,
                            no: no as i32,
                        };
                        starts.push((s.class, turn));
                        base.blocks += 1;
                    }
                }
                continue;
            }
            // Blocks from the end of the trail to its start need the state they have: so first forwards.
            let mut state = trail.holds;
            let mut open = first;
            let mut opener: Option<usize> = None;
            for i in first..=last {
                let decided = i < last && {
                    let class = view.stretches[i].class;
                    actions.start(class) || actions.end(class)
                };
                if i < last && !decided {
                    let s = &view.stretches[i];
                    if state {
                        let (yes, no) = amount(s.label, i64::from(s.length));
                        base.fit.tp += yes;
                        base.fit.fp += no;
                    }
                    continue;
                }
                // The block from `open` to here has one state; what turning it over would bring, from the end backwards.
                let (mut yes, mut no) = if i < last { amount(view.stretches[i].label, 1) } else { (0, 0) };
                let turns = if state { &mut ends } else { &mut starts };
                let block = base.blocks as u32;
                base.blocks += 1;
                for j in (open..i).rev() {
                    let s = &view.stretches[j];
                    let (more_yes, more_no) = amount(s.label, i64::from(s.length) - 1);
                    let (yes_here, no_here) = ((yes + more_yes) as i32, (no + more_no) as i32);
                    turns.push((s.class, Turn { block, stretch: j as u32, yes: yes_here, no: no_here }));
                    let (one_yes, one_no) = amount(s.label, i64::from(s.length));
                    yes += one_yes;
                    no += one_no;
                }
                if let Some(o) = opener.filter(|_| !state) {
                    // A stretch that ends the fluent, and would start it with a rule more.
                    let s = &view.stretches[o];
                    let (more_yes, more_no) = amount(s.label, i64::from(s.length) - 1);
                    let turn =
                        Turn { block, stretch: o as u32, yes: (yes + more_yes) as i32, no: (no + more_no) as i32 };
                    starts.push((s.class, turn));
                }
                if i < last {
                    let s = &view.stretches[i];
                    let (yes, no) = amount(s.label, 1);
                    let (rest_yes, rest_no) = amount(s.label, i64::from(s.length) - 1);
                    let then = actions.start(s.class);
                    base.fit.tp += i64::from(state) * yes + i64::from(then) * rest_yes;
                    base.fit.fp += i64::from(state) * no + i64::from(then) * rest_no;
                    state = then;
                    opener = Some(i);
                    open = i + 1;
                }
            }
        }
        base.starts = ByClass::new(view.classes, &starts);
        base.ends = ByClass::new(view.classes, &ends);
        base
    }
}

/// The fit of actions, by replaying everything once.
pub(crate) fn replay(view: &View, actions: &Actions, direct: bool) -> Fit {
    replay_segments(view, actions, direct).0
}

/// The same, with the errors in each segment.
pub(crate) fn replay_segments(view: &View, actions: &Actions, direct: bool) -> (Fit, Vec<i64>) {
    let mut fit = Fit { positives: view.positives as i64, ..Fit::default() };
    let mut errors = vec![0; view.segments];
    let ends = view.trails.iter().skip(1).map(|t| t.first as usize).chain([view.stretches.len()]);
    for (trail, end) in view.trails.iter().zip(ends) {
        let Fit { tp, fp, positives } = replay_trail(view, actions, direct, trail.holds, trail.first as usize..end);
        fit.tp += tp;
        fit.fp += fp;
        errors[trail.segment as usize] += fp + positives - tp;
    }
    (fit, errors)
}

/// The fit on one trail.
fn replay_trail(view: &View, actions: &Actions, direct: bool, holds: bool, stretches: std::ops::Range<usize>) -> Fit {
    let mut fit = Fit::default();
    let mut state = holds;
    for s in &view.stretches[stretches] {
        let start = actions.start(s.class);
        let then = start || state && !actions.end(s.class);
        let time = if direct {
            i64::from(start) * i64::from(s.length)
        } else {
            i64::from(state) + i64::from(then) * (i64::from(s.length) - 1)
        };
        match s.label {
            Label::Yes => {
                fit.tp += time;
                fit.positives += i64::from(s.length);
            }
            Label::No => fit.fp += time,
            Label::Unknown => {}
        }
        state = then;
    }
    fit
}

/// Room for judging candidates one after the other: for each block the first turn, and for which candidate that was noted.
struct Scratch {
    first: Vec<(u32, Turn)>,
    round: u32,
}

impl Scratch {
    fn new(blocks: usize) -> Scratch {
        Scratch { first: vec![(0, Turn::default()); blocks], round: 0 }
    }

    /// What the blocks bring that a set of classes turns over.
    #[inline]
    fn sum(&mut self, turns: &ByClass, cover: &[u64]) -> (i64, i64) {
        self.round += 1;
        let (mut yes, mut no) = (0_i64, 0_i64);
        for (i, (word, any)) in cover.iter().zip(&turns.any).enumerate() {
            let mut rest = word & any;
            while rest != 0 {
                let class = i * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                for turn in turns.of(class) {
                    let (round, first) = &mut self.first[turn.block as usize];
                    if *round != self.round {
                        *round = self.round;
                    } else if first.stretch <= turn.stretch {
                        continue;
                    } else {
                        yes -= i64::from(first.yes);
                        no -= i64::from(first.no);
                    }
                    *first = *turn;
                    yes += i64::from(turn.yes);
                    no += i64::from(turn.no);
                }
            }
        }
        (yes, no)
    }
}

/// By what rules are chosen that tell beginnings or endings by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Score {
    /// What they find is worth as much as that they are right.
    Balanced,
    /// That they are right is worth more: several rules share the work that one would do less well.
    Precise,
}

/// A candidate that was judged.
#[derive(Clone, Copy, Debug)]
struct Judged {
    value: f64,
    rule: Chosen,
}

/// With fewer candidates than this, threads do not pay.
const ENOUGH: usize = 1024;

/// The search over one view.
pub(crate) struct Search<'a> {
    pub(crate) view: &'a View,
    pub(crate) pool: &'a Pool,
    pub(crate) terms: Terms,
    pub(crate) watch: Watch<'a>,
}

impl Search<'_> {
    fn size(&self, rules: &[Chosen]) -> usize {
        rules.iter().map(|(_, b)| self.pool.bodies[*b as usize].len() + 1).sum()
    }

    pub(crate) fn actions(&self, rules: &[Chosen]) -> Actions {
        let mut actions = Actions::given(self.view);
        rules.iter().for_each(|(kind, body)| actions.add(*kind, self.pool.cover(*body)));
        actions
    }

    pub(crate) fn found(&self, rules: Vec<Chosen>) -> Found {
        let fit = replay(self.view, &self.actions(&rules), self.terms.direct());
        Found { value: self.terms.worth(&fit, self.size(&rules)), rules, fit }
    }

    /// What a base of rules with so many literals would be worth with one more of a kind, in their order.
    fn judge(&self, base: &Base, kind: RuleKind, size: usize) -> Vec<Judged> {
        let bodies = if kind == RuleKind::Termination { &self.pool.ends } else { &self.pool.starts };
        let turns = if kind == RuleKind::Termination { &base.ends } else { &base.starts };
        let sign = if kind == RuleKind::Termination { -1 } else { 1 };
        let judge = |bodies: &[u32]| -> Vec<Judged> {
            let mut scratch = Scratch::new(base.blocks);
            // What was judged before somebody asked to end counts.
            let going_on = bodies.chunks(LOOK).take_while(|_| !self.watch.ends()).flatten();
            let judged = going_on.map(|&body| {
                let (yes, no) = scratch.sum(turns, self.pool.cover(body));
                let fit = Fit { tp: base.fit.tp + sign * yes, fp: base.fit.fp + sign * no, ..base.fit };
                let literals = self.pool.bodies[body as usize].len() + 1;
                Judged { value: self.terms.worth(&fit, size + literals), rule: (kind, body) }
            });
            judged.collect()
        };
        if self.terms.threads < 2 || bodies.len() < ENOUGH {
            return judge(bodies);
        }
        let share = bodies.len().div_ceil(self.terms.threads);
        std::thread::scope(|scope| {
            let shares: Vec<_> = bodies.chunks(share).map(|bodies| scope.spawn(|| judge(bodies))).collect();
            let join = |handle: std::thread::ScopedJoinHandle<'_, Vec<Judged>>| {
                handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            shares.into_iter().flat_map(join).collect()
        })
    }

    /// The best rule of a kind to be added to a base: of those that are equally good, the first.
    fn best(&self, base: &Base, kind: RuleKind, size: usize) -> Option<Judged> {
        let better = |a: Judged, b: Judged| if b.value > a.value { b } else { a };
        self.judge(base, kind, size).into_iter().reduce(better)
    }

    /// What becomes of the fluent in a set of classes.
    fn counts(&self, set: &[u64]) -> Stat {
        let mut sum = Stat::default();
        for_each_member(set, |class| sum.add_counts(&self.view.stats[class]));
        sum
    }

    /// Rules that tell beginnings and endings by themselves, one after the other: a start where the rules of a fluent only
    /// work together.
    pub(crate) fn local(&self, by: Score) -> Vec<Chosen> {
        let total = self.view.stats.iter().fold(Stat::default(), Stat::with);
        let mut chosen = Vec::new();
        for &kind in self.terms.rules() {
            let ends = kind == RuleKind::Termination;
            let score = |stat: &Stat| {
                let (balanced, precise) = if ends { stat.ends(&total) } else { stat.starts(&total) };
                if by == Score::Balanced { balanced } else { precise }
            };
            // What each body is true of, besides what is covered.
            let bodies = if ends { &self.pool.ends } else { &self.pool.starts };
            let mut own: Vec<Stat> = bodies.iter().map(|body| self.counts(self.pool.cover(*body))).collect();
            let mut covered = vec![0; self.view.words];
            let mut sum = Stat::default();
            let mut value = 0.0;
            for _ in 0..MOST_LOCAL {
                if self.watch.ends() {
                    break;
                }
                let judge = |(i, own): (usize, &Stat)| {
                    let mut with = sum;
                    with.add_counts(own);
                    let price = self.terms.penalty * (self.pool.bodies[bodies[i] as usize].len() + 1) as f64;
                    (score(&with) - price, bodies[i], with)
                };
                let best = own.iter().enumerate().map(judge).reduce(|a, b| if b.0 > a.0 { b } else { a });
                let Some((_, body, with)) = best.filter(|b| b.0 > value + LEAST_GAIN) else { break };
                (value, sum) = (score(&with), with);
                chosen.push((kind, body));
                let new: Vec<u64> = self.pool.cover(body).iter().zip(&covered).map(|(a, b)| a & !b).collect();
                covered.iter_mut().zip(&new).for_each(|(a, b)| *a |= b);
                let mut both = vec![0; new.len()];
                for (body, own) in bodies.iter().zip(&mut own) {
                    both.iter_mut().zip(&new).zip(self.pool.cover(*body)).for_each(|((c, a), b)| *c = a & b);
                    own.subtract_counts(&self.counts(&both));
                }
            }
        }
        chosen.truncate(self.terms.max_rules);
        chosen
    }

    /// From these rules, the best step at a time, until nothing is better.
    pub(crate) fn climb(&self, start: Vec<Chosen>) -> Found {
        let mut found = self.found(start);
        while !self.watch.ends() {
            self.watch.tell(|| format!("choosing rules: {} so far, F1 {:.3}", found.rules.len(), found.fit.f1()));
            let base = Base::new(self.view, &self.actions(&found.rules), self.terms.direct());
            let size = self.size(&found.rules);
            let mut best: Option<(Judged, Option<usize>)> = None;
            let more = if found.rules.len() < self.terms.max_rules { self.terms.rules() } else { &[] };
            for kind in more {
                let judged = self.best(&base, *kind, size).map(|j| (j, None));
                best = pick(best, judged);
            }
            // Without one of the rules, or with another in its place.
            let mut shorter: Option<(f64, usize)> = None;
            for i in 0..found.rules.len() {
                let mut rest = found.rules.clone();
                let (kind, _) = rest.remove(i);
                let base = Base::new(self.view, &self.actions(&rest), self.terms.direct());
                let size = self.size(&rest);
                let value = self.terms.worth(&base.fit, size);
                if shorter.is_none_or(|(v, _)| value > v) {
                    shorter = Some((value, i));
                }
                best = pick(best, self.best(&base, kind, size).map(|j| (j, Some(i))));
            }
            let grown = best.filter(|(j, _)| j.value > found.value + LEAST_GAIN);
            match (shorter.filter(|(v, _)| *v > found.value + LEAST_GAIN), grown) {
                (Some((value, i)), grown) if grown.is_none_or(|(j, _)| value >= j.value) => {
                    found.rules.remove(i);
                }
                (_, Some((judged, at))) => {
                    if let Some(i) = at {
                        found.rules.remove(i);
                    }
                    found.rules.push(judged.rule);
                }
                _ => break,
            }
            found = self.found(found.rules);
        }
        found.rules.sort_by_key(|(kind, body)| (*kind == RuleKind::Termination, *body));
        found
    }

    /// The rules that would be best to add, or to put in the place of another: so many of each kind.
    pub(crate) fn nearest(&self, rules: &[Chosen], count: usize) -> Vec<Chosen> {
        let mut near: Vec<Chosen> = rules.to_vec();
        let bases = (0..=rules.len()).map(|i| rules.iter().enumerate().filter(move |(j, _)| *j != i).map(|(_, r)| *r));
        let share = count.div_ceil(rules.len() + 1);
        for rest in bases {
            let base = Base::new(self.view, &self.actions(&rest.collect::<Vec<_>>()), self.terms.direct());
            for &kind in self.terms.rules() {
                let mut judged = self.judge(&base, kind, 0);
                let order = |a: &Judged, b: &Judged| b.value.total_cmp(&a.value).then(a.rule.1.cmp(&b.rule.1));
                judged.sort_by(order);
                near.extend(judged.iter().take(share).map(|j| j.rule));
            }
        }
        let mut distinct: Vec<Chosen> = Vec::new();
        for rule in near {
            if !distinct.contains(&rule) {
                distinct.push(rule);
            }
        }
        distinct
    }
}

/// So many rules of a kind, at most, are chosen by themselves.
const MOST_LOCAL: usize = 8;

/// Gains below this are rounding.
pub(crate) const LEAST_GAIN: f64 = 1e-9;

fn pick(a: Option<(Judged, Option<usize>)>, b: Option<(Judged, Option<usize>)>) -> Option<(Judged, Option<usize>)> {
    match (a, b) {
        (Some(x), Some(y)) => Some(if y.0.value > x.0.value { y } else { x }),
        (a, b) => a.or(b),
    }
}
