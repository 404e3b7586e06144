//! The learner against a plain one that keeps every instance and tests every candidate on every one of them.

use std::collections::{BTreeMap, BTreeSet};

use oled::calculus::Outcome;
use oled::event::{Event, What};
use oled::induce::{Evidence, ExpandWhen, Gap, LiteralTable, OutputFilter, Pruning, RuleKind, Tie, Unit};
use oled::testing::naive;
use oled::{Atom, Formula, Frame, Learner, Settings, Source, Symbol, Task, Term, Value};
use oled_data::world::{self, World, WorldOptions};

type Body = BTreeSet<usize>;

/// A head instance: the values of its variables, the literals that are true of it, and what becomes of it.
#[derive(Clone)]
struct Case {
    truth: Body,
    outcome: Outcome,
}

struct PlainRule {
    id: u64,
    bottom: Body,
    body: Body,
    /// Every instance since its evidence was last restarted.
    cases: Vec<Case>,
    gaps: Vec<f64>,
    erred: bool,
    instances: u64,
}

/// Algorithm 1 once more, as plainly as possible, for the settings that the presets use.
struct Plain<'a> {
    kind: RuleKind,
    settings: Settings,
    implied: &'a BTreeMap<usize, Body>,
    rules: Vec<PlainRule>,
    epsilons: Vec<f64>,
    all: Vec<Case>,
    next: u64,
    /// What was decided: interpretation, rule, and the new body, or `None` where the rule was given up.
    decisions: Vec<(u64, u64, Option<Body>)>,
}

impl Plain<'_> {
    /// TP and the denominator of the score, counted one by one.
    fn share(&self, body: &Body, cases: &[Case]) -> (f64, f64) {
        let (mut part, mut whole) = (0.0, 0.0);
        for case in cases {
            let fires = body.is_subset(&case.truth);
            match self.kind {
                RuleKind::Termination if case.outcome.holds_next() => {
                    whole += 1.0;
                    part += if fires { 0.0 } else { 1.0 };
                }
                RuleKind::Termination => {}
                _ if fires => {
                    whole += 1.0;
                    part += if case.outcome.holds_next() { 1.0 } else { 0.0 };
                }
                _ => {}
            }
        }
        (part, whole)
    }

    fn score(&self, body: &Body, cases: &[Case]) -> f64 {
        let (part, whole) = self.share(body, cases);
        if whole == 0.0 { 0.0 } else { part / whole }
    }

    fn closure(&self, body: &Body) -> Body {
        body.iter().flat_map(|l| &self.implied[l]).copied().collect()
    }

    /// All bodies one or two literals away that say something new, shorter ones first.
    fn refinements(&self, rule: &PlainRule) -> Vec<Body> {
        let known = self.closure(&rule.body);
        let free: Vec<usize> = rule.bottom.iter().copied().filter(|l| !known.contains(l)).collect();
        let mut all = Vec::new();
        for &l in &free {
            all.push(rule.body.iter().copied().chain([l]).collect());
        }
        if self.settings.depth > 1 {
            for (i, &a) in free.iter().enumerate() {
                for &b in &free[i + 1..] {
                    if !self.implied[&a].contains(&b) && !self.implied[&b].contains(&a) {
                        all.push(rule.body.iter().copied().chain([a, b]).collect());
                    }
                }
            }
        }
        all
    }

    fn n(&self, rule: &PlainRule) -> f64 {
        match self.settings.unit {
            Unit::Denominator => self.share(&rule.body, &rule.cases).1,
            _ => rule.cases.len() as f64,
        }
    }

    fn learn(&mut self, interpretation: u64, cases: &[Case]) {
        let seed = |case: &Case| match self.kind {
            RuleKind::Termination => case.outcome == Outcome::Ends,
            _ => case.outcome.holds_next(),
        };
        let uncovered = cases
            .iter()
            .find(|c| seed(c) && !self.rules.iter().any(|r| r.body.is_subset(&c.truth)))
            .map(|c| c.truth.clone());
        for rule in &mut self.rules {
            rule.cases.extend(cases.iter().cloned());
            rule.instances += cases.len() as u64;
            let wrong = |c: &Case| c.outcome.holds_next() == (self.kind == RuleKind::Termination);
            rule.erred |= cases.iter().any(|c| wrong(c) && rule.body.is_subset(&c.truth));
        }
        self.all.extend(cases.iter().cloned());
        let grow = uncovered.filter(|b| !self.rules.iter().any(|r| r.bottom == *b));
        if let Some(bottom) = &grow {
            let id = self.next;
            self.next += 1;
            let (body, cases, gaps) = (Body::new(), Vec::new(), Vec::new());
            self.rules.push(PlainRule { id, bottom: bottom.clone(), body, cases, gaps, erred: false, instances: 0 });
        }
        if grow.is_none() && interpretation.is_multiple_of(self.settings.every) {
            for i in 0..self.rules.len() {
                self.expand(i, interpretation);
            }
        }
        self.prune(interpretation);
    }

    fn expand(&mut self, i: usize, interpretation: u64) {
        let erred = std::mem::take(&mut self.rules[i].erred);
        if self.settings.expand == ExpandWhen::Errs && !erred {
            return;
        }
        let n = self.n(&self.rules[i]);
        if n == 0.0 {
            return;
        }
        let epsilon = oled::induce::epsilon(self.settings.delta, n);
        self.epsilons.push(epsilon);
        let rule = &self.rules[i];
        let own = self.score(&rule.body, &rule.cases);
        let mut scored: Vec<(f64, usize, Body)> =
            self.refinements(rule).into_iter().enumerate().map(|(k, b)| (self.score(&b, &rule.cases), k, b)).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let Some((best, _, body)) = scored.first().cloned() else { return };
        let rival = scored.get(1).map(|s| s.0);
        let itself = rival.is_none_or(|r| own >= r);
        let second = if itself { own } else { rival.unwrap() };
        self.rules[i].gaps.push(best - second);
        let gaps = &self.rules[i].gaps;
        let gap =
            if self.settings.gap == Gap::Mean { gaps.iter().sum::<f64>() / gaps.len() as f64 } else { best - second };
        assert_eq!(self.settings.tie, Tie::Adaptive);
        let tau = self.epsilons.iter().sum::<f64>() / self.epsilons.len() as f64;
        if best > own && (gap > epsilon || epsilon < tau && !itself) {
            let keep = self.settings.evidence == Evidence::Keep;
            let rule = &mut self.rules[i];
            self.decisions.push((interpretation, rule.id, Some(body.clone())));
            rule.body = body;
            rule.gaps.clear();
            if !keep {
                rule.cases.clear();
            }
        }
    }

    fn prune(&mut self, interpretation: u64) {
        let threshold = self.settings.threshold(self.kind);
        let hopeless: Vec<bool> = (self.rules.iter())
            .map(|rule| {
                let epsilon = oled::induce::epsilon(self.settings.delta, self.n(rule));
                let (_, whole) = self.share(&rule.body, &rule.cases);
                let low = |b: &Body| threshold - self.score(b, &rule.cases) > epsilon;
                let guarded = self.settings.pruning == Pruning::Guarded;
                whole > 0.0 && low(&rule.body) && (!guarded || self.refinements(rule).iter().all(low))
            })
            .collect();
        for i in (0..hopeless.len()).filter(|&i| hopeless[i]) {
            self.decisions.push((interpretation, self.rules[i].id, None));
        }
        let mut i = 0;
        self.rules.retain(|_| {
            i += 1;
            !hopeless[i - 1]
        });
    }

    fn output(&self) -> Vec<Body> {
        let threshold = self.settings.threshold(self.kind);
        let stream = self.settings.output == OutputFilter::Stream;
        let kept: Vec<&Body> = (self.rules.iter())
            .filter(|r| !r.body.is_empty() && r.instances >= self.settings.warmup)
            .map(|r| &r.body)
            .filter(|b| !stream || self.score(b, &self.all) >= threshold)
            .collect();
        let general = |a: &Body, b: &Body| a.is_subset(&self.closure(b));
        (0..kept.len())
            .filter(|&i| {
                !(0..kept.len()).any(|j| i != j && general(kept[j], kept[i]) && (!general(kept[i], kept[j]) || j < i))
            })
            .map(|i| kept[i].clone())
            .collect()
    }
}

/// What is true of a head instance, found by deriving everything by brute force and looking each literal up.
fn truth(table: &LiteralTable, known: &BTreeSet<String>, values: &[Value], time: i64) -> Body {
    let ground = |term: &Term| -> Term {
        fn walk(term: &Term, values: &[Value], time: i64) -> Term {
            match term {
                Term::Var(name) if name.as_str() == "T" => Term::Value(Value::Int(time)),
                Term::Var(name) => Term::Value(values[name.as_str()[1..].parse::<usize>().unwrap()]),
                Term::App(name, args) => Term::App(*name, args.iter().map(|a| walk(a, values, time)).collect()),
                term => term.clone(),
            }
        }
        walk(term, values, time)
    };
    let holds = |literal: &oled::Literal| {
        let Formula::Atom(atom) = &literal.formula else { unreachable!("modes are atoms") };
        let atom = Atom { name: atom.name, args: atom.args.iter().map(ground).collect(), span: atom.span.clone() };
        known.contains(&atom.to_string()) != literal.negated
    };
    table.literals().iter().enumerate().filter(|(_, l)| holds(l)).map(|(i, _)| i).collect()
}

#[test]
fn the_whole_learner_decides_as_a_plain_one_does() {
    let task =
        Task::parse(&Source::new("modes.lp", world::MODES), &Source::new("background.lp", world::BACKGROUND)).unwrap();
    let options = WorldOptions { seed: 3, people: 4, frames: 120, segments: 3, ..WorldOptions::default() };
    let frames: Vec<Frame> = World::new(options).collect();
    let rules = task.rules(&oled::Theory::default()).into_iter().cloned().collect::<Vec<_>>();
    let rules: Vec<_> = rules.iter().collect();
    let models: Vec<BTreeSet<String>> = frames
        .iter()
        .map(|f| {
            let facts: Vec<Atom> = f.narrative.atoms(f.time).collect();
            naive::perfect_model(&rules, &facts, f.time).unwrap().iter().map(ToString::to_string).collect()
        })
        .collect();
    let entities = |frame: &Frame| -> Vec<Value> {
        let mut seen = Vec::new();
        frame.narrative.iter().for_each(|(_, v)| {
            if !seen.contains(&v[0]) {
                seen.push(v[0]);
            }
        });
        seen
    };
    let mut decided = 0;
    for preset in ["letter", "paper", "sane"] {
        let mut settings = Settings::preset(preset).unwrap();
        // Small evidence, so that much is decided on a short stream.
        settings.delta = 0.2;
        settings.every = settings.every.min(2);
        let mut learner = Learner::new(&task, |_| settings.clone()).unwrap();
        let mut events: Vec<Event> = Vec::new();
        frames.iter().for_each(|f| learner.observe(f, &mut events));
        learner.flush(&mut events);
        let learned = learner.learned();
        for (number, process) in learner.processes().iter().enumerate() {
            let table = learner.table(number);
            let implied: BTreeMap<usize, Body> =
                table.implied().iter().enumerate().map(|(i, m)| (i, m.iter().collect())).collect();
            let mut plain = Plain {
                kind: process.kind,
                settings: settings.clone(),
                implied: &implied,
                rules: Vec::new(),
                epsilons: Vec::new(),
                all: Vec::new(),
                next: 1,
                decisions: Vec::new(),
            };
            let Term::App(fluent, _) = &process.head.args[0] else { unreachable!("fluents have arguments") };
            let label = |x: Value, y: Value, f: &Frame| {
                f.annotation
                    .atoms(f.time)
                    .any(|a| a.args[0] == Term::App(*fluent, vec![Term::Value(x), Term::Value(y)]))
            };
            let mut interpretation = 0;
            for (i, pair) in frames.windows(2).enumerate().filter(|(_, p)| p[0].segment == p[1].segment) {
                interpretation += 1;
                let mut cases = Vec::new();
                let (now, next) = (entities(&pair[0]), entities(&pair[1]));
                for &x in &now {
                    for &y in &now {
                        if x != y && next.contains(&x) && next.contains(&y) {
                            let truth = truth(table, &models[i], &[x, y], pair[0].time);
                            cases.push(Case {
                                truth,
                                outcome: Outcome::new(label(x, y, &pair[0]), label(x, y, &pair[1])),
                            });
                        }
                    }
                }
                plain.learn(interpretation, &cases);
            }
            let decisions: Vec<(u64, u64, Option<Body>)> = events
                .iter()
                .filter(|e| e.process == number)
                .filter_map(|e| match &e.what {
                    What::Expanded { decision, .. } => {
                        Some((e.interpretation, e.rule, Some(decision.body.iter().collect())))
                    }
                    What::Pruned { .. } => Some((e.interpretation, e.rule, None)),
                    What::Started { .. } | What::TooMany { .. } => None,
                })
                .collect();
            assert_eq!(decisions, plain.decisions, "{preset}: {}", process.head);
            decided += decisions.len();
            let theory: Vec<Body> = process.output().iter().map(|r| r.body.iter().collect()).collect();
            assert_eq!(theory, plain.output(), "{preset}: {}", process.head);
            let of_process = learned.rules.iter().filter(|r| r.id.0 == number).count();
            assert_eq!(theory.len(), of_process);
        }
    }
    assert!(decided > 40, "only {decided} decisions were compared");
}

#[test]
fn what_is_learned_does_not_depend_on_the_number_of_threads() {
    let task =
        Task::parse(&Source::new("modes.lp", world::MODES), &Source::new("background.lp", world::BACKGROUND)).unwrap();
    let frames: Vec<Frame> = World::new(WorldOptions { segments: 4, ..WorldOptions::default() }).collect();
    let run = |threads: usize| {
        let mut learner = Learner::new(&task, |_: Symbol| Settings::default()).unwrap().with_threads(threads);
        let mut events: Vec<Event> = Vec::new();
        frames.iter().for_each(|f| learner.observe(f, &mut events));
        learner.flush(&mut events);
        (learner.learned(), events)
    };
    let one = run(1);
    assert!(!one.0.rules.is_empty());
    assert_eq!(one, run(2));
    assert_eq!(one, run(7));
}
