//! Quest: the search for the rules of one fluent, from the record to literals: first over coarse thresholds, then finer.

use serde::{Deserialize, Serialize};

use super::pool::{Pool, Refused, supported};
use super::record::{Record, Segment};
use super::search::{Actions, Chosen, Fit, Found, LEAST_GAIN, Score, Search, Terms, replay_segments};
use super::view::{Aspect, Lit, SUPPORT, View};
use super::watch::Watch;
use crate::induce::{Bin, RuleKind};

/// A rule as what it does and the literals of its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rule {
    pub(crate) kind: RuleKind,
    pub(crate) body: Vec<Lit>,
}

/// What a search came to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) rules: Vec<Rule>,
    pub(crate) fit: Fit,
    /// F1 less the price of the literals.
    pub(crate) value: f64,
    /// The most it was worth since the last search that started from nothing.
    pub(crate) best: f64,
    pub(crate) penalty: f64,
    /// The literals that were chosen from.
    pub(crate) literals: Vec<Lit>,
    /// Rules that came near, to start the next search with.
    pub(crate) shortlist: Vec<Rule>,
    pub(crate) seen: Seen,
    /// Whether the search was ended early.
    pub(crate) cut_short: bool,
}

/// What there was to learn from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Seen {
    pub(crate) segments: usize,
    /// Segments in which the fluent is annotated.
    pub(crate) with_event: usize,
    /// Time points at which it is annotated of what cannot hold.
    pub(crate) unobserved: u64,
    pub(crate) literals: usize,
    pub(crate) starts: usize,
    pub(crate) refused: Refused,
}

/// Rules, how well they fit, and what they are worth.
#[derive(Clone, Debug)]
struct Fitted {
    rules: Vec<Rule>,
    fit: Fit,
    value: f64,
}

/// What is searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quest<'a> {
    pub(crate) record: &'a Record,
    pub(crate) segments: &'a [&'a Segment<'a>],
    pub(crate) aspect: Aspect<'a>,
    pub(crate) terms: Terms,
    pub(crate) watch: Watch<'a>,
}

/// How many rules of each kind are kept for the next search.
const SHORTLIST: usize = 128;

/// How many thresholds to each side are tried in place of one: up to the next of the coarse grid, and a little more.
const REACH: Bin = 18;

/// What another start must bring.
const CLEARLY: f64 = 0.01;

/// How often thresholds are refined and rules chosen anew with them.
const ROUNDS: usize = 6;

impl Quest<'_> {
    /// The whole search, from nothing.
    pub(crate) fn full(&self) -> Outcome {
        let view = View::new(self.record, self.segments, self.aspect);
        self.climb(view, &[])
    }

    /// The same, from rules that are given.
    pub(crate) fn from(&self, rules: &[Rule]) -> Outcome {
        let view = View::new(self.record, self.segments, self.aspect);
        let mut literals = view.literals.clone();
        literals.extend(rules.iter().flat_map(|r| &r.body));
        self.aspect.sort(&mut literals);
        self.climb(View::with(self.record, self.segments, self.aspect, literals), rules)
    }

    /// The search that starts from the last one, over the rules that came near then: little work where little has changed.
    pub(crate) fn again(&self, last: &Outcome) -> Outcome {
        let view = View::with(self.record, self.segments, self.aspect, last.literals.clone());
        let mut pool = Pool::default();
        let rules: Vec<_> = last.rules.iter().filter_map(|rule| pool.insert(&view, rule)).collect();
        last.shortlist.iter().for_each(|rule| {
            pool.insert(&view, rule);
        });
        let terms = Terms { exact: last.fit.is_exact(), ..self.terms };
        let found = Search { view: &view, pool: &pool, terms, watch: self.watch }.climb(rules);
        let seen = Seen { segments: view.segments, with_event: view.with_event, unobserved: view.missed, ..last.seen };
        let rules = rules_of(&view, &pool, &found);
        let Outcome { literals, shortlist, .. } = last;
        Outcome {
            rules,
            fit: found.fit,
            value: found.value,
            best: found.value.max(last.best),
            penalty: self.terms.penalty,
            literals: literals.clone(),
            shortlist: shortlist.clone(),
            seen,
            cut_short: self.watch.ends(),
        }
    }

    /// A view with the literals of rules, and no others.
    pub(crate) fn view_of(&self, rules: &[Rule]) -> View {
        View::with(self.record, self.segments, self.aspect, literals_of(rules))
    }

    /// What rules are worth that fit like this.
    pub(crate) fn worth(&self, fit: &Fit, rules: &[Rule]) -> f64 {
        self.terms.worth(fit, rules.iter().map(|r| r.body.len() + 1).sum())
    }

    fn search<'a>(&'a self, view: &'a View, pool: &'a Pool) -> Search<'a> {
        Search { view, pool, terms: self.terms, watch: self.watch }
    }

    /// Climbs from these rules, and on as long as there is something better next to them.
    fn settle(&self, view: &View, pool: &mut Pool, start: Vec<Chosen>) -> Found {
        let mut found = self.search(view, pool).climb(start);
        loop {
            let more = found.rules.iter().filter(|rule| pool.insert_neighbours(view, **rule, &self.terms)).count();
            if more == 0 || self.watch.ends() {
                return found;
            }
            let better = self.search(view, pool).climb(found.rules.clone());
            if better.value <= found.value + LEAST_GAIN {
                return found;
            }
            found = better;
        }
    }

    fn climb(&self, mut view: View, start: &[Rule]) -> Outcome {
        let mut pool = Pool::new(&view, &self.terms, self.watch);
        let seen = Seen {
            segments: view.segments,
            with_event: view.with_event,
            unobserved: view.missed,
            literals: view.literals.len(),
            starts: pool.starts.len(),
            refused: pool.refused,
        };
        let start: Vec<_> = start.iter().filter_map(|rule| pool.insert(&view, rule)).collect();
        let found = self.settle(&view, &mut pool, start);
        let other = if self.watch.ends() {
            found.clone()
        } else {
            let local = self.search(&view, &pool).local(Score::Balanced);
            self.settle(&view, &mut pool, local)
        };
        let clearly = other.value > found.value + CLEARLY;
        let [found, other] = [found, other].map(|found| rules_of(&view, &pool, &found));
        // Another start must lead to a theory that is clearly better, and in several segments: restarts raise the score by
        // chance.
        let (first, second) = if clearly && self.is_better(&found, &other) { (other, found) } else { (found, other) };
        let mut best = self.finish(&mut view, &mut pool, first);
        if best.fit.is_nearly_exact() && !self.watch.ends() {
            best = self.exact(&mut view, &mut pool, best, second);
        }
        let Fitted { rules, fit, value } = best;
        let mut shortlist = Vec::new();
        if self.terms.near && !self.watch.ends() {
            let chosen: Vec<_> = rules.iter().filter_map(|rule| pool.insert(&view, rule)).collect();
            let near = self.search(&view, &pool).nearest(&chosen, SHORTLIST);
            shortlist.extend(near.into_iter().map(|(kind, body)| Rule { kind, body: pool.literals(&view, body) }));
        }
        Outcome {
            rules,
            fit,
            value,
            best: value,
            penalty: self.terms.penalty,
            literals: view.literals.clone(),
            shortlist,
            seen,
            cut_short: self.watch.ends(),
        }
    }

    /// Where few errors are left there may be rules that make none: looks for them from the best ones, from where another
    /// start led to, and from rules that are seldom wrong by themselves. What still makes errors then only fits noise, and
    /// the rules stay what they are.
    fn exact(&self, view: &mut View, pool: &mut Pool, best: Fitted, other: Vec<Rule>) -> Fitted {
        let exact = Quest { terms: Terms { exact: true, ..self.terms }, ..*self };
        let mut found: Option<Fitted> = None;
        for start in [Some(best.rules.clone()), Some(other), None] {
            if self.watch.ends() {
                break;
            }
            let start = start.unwrap_or_else(|| {
                let search = exact.search(view, pool);
                rules_of(view, pool, &search.found(search.local(Score::Precise)))
            });
            let fitted = exact.finish(view, pool, start);
            if fitted.fit.is_exact() && found.as_ref().is_none_or(|f| fitted.value > f.value + LEAST_GAIN) {
                found = Some(fitted);
            }
            if found.as_ref().is_some_and(|f| f.fit.f1() >= 1.0) {
                break;
            }
        }
        found.unwrap_or(best)
    }

    /// From rules with coarse thresholds to the best ones near them. The view gets the thresholds that are needed, and the
    /// pool the bodies with them.
    fn finish(&self, view: &mut View, pool: &mut Pool, rules: Vec<Rule>) -> Fitted {
        let fit = self.fit(&rules);
        let mut best = Fitted { value: self.worth(&fit, &rules), fit, rules };
        // Where literals cost less than before, there may be something better next to the same rules.
        let mut settled = !self.terms.exact;
        for round in 0..ROUNDS {
            if self.watch.ends() {
                break;
            }
            self.watch
                .tell(|| format!("finer thresholds, round {} of {ROUNDS} at most, F1 {:.3}", round + 1, best.fit.f1()));
            let before = best.value;
            let refined = self.refine(&best);
            if settled && refined.rules == best.rules {
                break;
            }
            (best, settled) = (refined, true);
            // With the finer thresholds at hand other rules may be better.
            let mut literals = view.literals.clone();
            literals.extend(best.rules.iter().flat_map(|r| &r.body));
            self.aspect.sort(&mut literals);
            if literals.len() > view.literals.len() {
                let finer = View::with(self.record, self.segments, self.aspect, literals);
                *pool = pool.on(view, &finer, &best.rules);
                *view = finer;
            }
            let start: Vec<_> = best.rules.iter().filter_map(|rule| pool.insert(view, rule)).collect();
            let found = self.settle(view, pool, start);
            if found.value > best.value + LEAST_GAIN {
                best = Fitted { rules: rules_of(view, pool, &found), fit: found.fit, value: found.value };
            }
            if best.value <= before + LEAST_GAIN {
                break;
            }
        }
        best
    }

    /// Whether rules make clearly fewer errors than others did.
    fn is_better(&self, before: &[Rule], after: &[Rule]) -> bool {
        let errors = |rules: &[Rule]| {
            let view = self.view_of(rules);
            replay_segments(&view, &actions_of(&view, rules), self.terms.direct()).1
        };
        is_better(&errors(before), &errors(after), self.terms.exact)
    }

    /// The same rules with better thresholds, each in turn, as long as that pays; of those that are as good, one that is
    /// easy to read.
    fn refine(&self, fitted: &Fitted) -> Fitted {
        let Fitted { mut rules, mut fit, mut value } = fitted.clone();
        let mut literals = literals_of(&rules);
        let around = |literal: &Lit| match *literal {
            // Thresholds between those of the coarse grid cannot be told apart where there are no others left.
            Lit::Open { slot, threshold } if !self.record.coarse => {
                let grid = self.aspect.slots[slot as usize].grid;
                let near = (threshold - REACH..=threshold + REACH).filter(move |t| grid.contains(*t));
                near.map(|threshold| Lit::Open { slot, threshold }).collect()
            }
            Lit::Open { .. } | Lit::Closed(_) => Vec::new(),
        };
        let more: Vec<Lit> = literals.iter().flat_map(around).collect();
        if more.is_empty() {
            return Fitted { rules, fit, value };
        }
        literals.extend(more);
        literals.sort_unstable();
        literals.dedup();
        let view = View::with(self.record, self.segments, self.aspect, literals);
        let cover = |body: &[Lit]| view.cover(view.numbers(body).expect("the view has the literals of all rules"));
        for _ in 0..4 {
            let before = rules.clone();
            for i in 0..rules.len() {
                let others: Vec<Rule> = [&rules[..i], &rules[i + 1..]].concat();
                let rest = actions_of(&view, &others);
                for l in 0..rules[i].body.len() {
                    if self.watch.ends() {
                        return Fitted { rules, fit, value };
                    }
                    let Lit::Open { slot, threshold } = rules[i].body[l] else { continue };
                    let kind = rules[i].kind;
                    let mut tried: Vec<(Bin, Fit, f64)> = Vec::new();
                    let mut own = rest.clone();
                    own.add(kind, &cover(&rules[i].body));
                    let (_, now) = replay_segments(&view, &own, self.terms.direct());
                    for candidate in
                        view.literals.iter().filter(|c| matches!(c, Lit::Open { slot: s, .. } if *s == slot))
                    {
                        let Lit::Open { threshold: t, .. } = *candidate else { continue };
                        let mut body = rules[i].body.clone();
                        body[l] = *candidate;
                        let cover = cover(&body);
                        if t != threshold && !supported(&view, &cover, kind) {
                            continue;
                        }
                        let mut actions = rest.clone();
                        actions.add(kind, &cover);
                        let (fit, then) = replay_segments(&view, &actions, self.terms.direct());
                        if t != threshold && !is_better(&now, &then, self.terms.exact) {
                            continue;
                        }
                        tried.push((t, fit, self.worth(&fit, &rules)));
                    }
                    let best = tried.iter().fold(f64::MIN, |best, (.., v)| best.max(*v));
                    let good: Vec<_> = tried.iter().filter(|(.., v)| *v >= best - 1e-12).collect();
                    let Some(middle) = good.get(good.len() / 2).map(|g| g.0) else { continue };
                    let grid = self.aspect.slots[slot as usize].grid;
                    let readable = |g: &&&(Bin, Fit, f64)| (grid.digits(g.0), (g.0 - middle).abs(), g.0);
                    if let Some(chosen) = good.iter().min_by_key(readable) {
                        rules[i].body[l] = Lit::Open { slot, threshold: chosen.0 };
                        (fit, value) = (chosen.1, chosen.2);
                    }
                }
            }
            if rules == before {
                break;
            }
        }
        Fitted { rules, fit, value }
    }
}

/// The literals of rules, each once.
pub(crate) fn literals_of(rules: &[Rule]) -> Vec<Lit> {
    let mut literals: Vec<Lit> = rules.iter().flat_map(|r| &r.body).copied().collect();
    literals.sort_unstable();
    literals.dedup();
    literals
}

/// What rules do on a view that has their literals.
pub(crate) fn actions_of(view: &View, rules: &[Rule]) -> Actions {
    let mut actions = Actions::given(view);
    for rule in rules {
        let literals = view.numbers(&rule.body).expect("the view has the literals of the rules");
        actions.add(rule.kind, &view.cover(literals));
    }
    actions
}

/// The rules that were found, as literals.
fn rules_of(view: &View, pool: &Pool, found: &Found) -> Vec<Rule> {
    found.rules.iter().map(|&(kind, body)| Rule { kind, body: pool.literals(view, body) }).collect()
}

/// Whether errors become fewer in more segments than they become more in, in [`SUPPORT`] at least; where none are wanted, in
/// one at least, and more in none.
fn is_better(before: &[i64], after: &[i64], exact: bool) -> bool {
    let count = |wanted: fn(&i64, &i64) -> bool| before.iter().zip(after).filter(|(b, a)| wanted(b, a)).count();
    let (better, worse) = (count(|b, a| a < b), count(|b, a| a > b));
    better >= worse + SUPPORT || exact && better > 0 && worse == 0
}
