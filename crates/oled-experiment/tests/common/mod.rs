//! A sample of results, rich enough to show all of the report, the same at every run.

use oled_experiment::{
    Curve, CurveEvent, CurvePoint, DataSummary, FoldScore, FoldWeights, IntervalScore, OrderScore, Published, Results,
    RuleStory, Scale, Score, SpreadOver, Step, Sureness, Timeline, Track,
};

pub(crate) const PROTOCOLS: [&str; 4] = ["CAVIAR, whole", "CAVIAR, fragment", "Lobby", "Lobby with noise"];
pub(crate) const ROWS: [&str; 3] = ["as in the paper", "tuned", "written by hand"];
pub(crate) const FLUENTS: [&str; 2] = ["meeting", "moving"];
pub(crate) const ORDERS: u64 = 10;
pub(crate) const FOLDS: usize = 10;

/// Numbers that look random (Knuth's MMIX generator).
struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.unit() * n as f64) as u64
    }
}

pub(crate) fn sample() -> Results {
    let mut dice = Dice(7);
    let rules: Vec<RuleStory> = (0..40).map(|i| rule(&mut dice, i)).collect();
    Results {
        experiment: "Two people in a lobby & on film".into(),
        description:
            "What an online learner makes of annotated videos and of a simulated lobby whose rules are known, \
            over ten orders of the data, beside what others have published."
                .into(),
        version: "0.1.0".into(),
        data: PROTOCOLS.map(data).into(),
        results: PROTOCOLS
            .iter()
            .enumerate()
            .flat_map(|(p, _)| (0..FLUENTS.len()).flat_map(move |f| (0..ROWS.len()).map(move |r| (p, r, f))))
            .map(|(p, r, f)| score(&mut dice, p, r, f))
            .collect(),
        published: published(),
        curves: curves(&mut dice, &rules),
        fits: Vec::new(),
        timelines: timelines(&mut dice),
        rules,
        scalability: scalability(),
        notes: vec![
            "The two published systems were run by their authors, on their machines and with their folds; seconds are \
             not comparable."
                .into(),
            "Order 0 is the order of the data, the others are random.".into(),
            "Rules written by hand are not learned: they need no seconds, and no order changes them.".into(),
        ],
    }
}

fn data(name: &str) -> DataSummary {
    let film = name.starts_with("CAVIAR");
    DataSummary {
        name: name.into(),
        description: if film { "annotated videos of a lobby" } else { "simulated; the true rules are known" }.into(),
        segments: if film { 30 } else { 120 },
        folds: FOLDS,
        frames: if film { 26_419 } else { 120_000 },
        rate: film.then_some(25.0),
        positives: FLUENTS.iter().zip([3722, 6272]).map(|(f, n)| ((*f).into(), n)).collect(),
        symmetric: Vec::new(),
    }
}

fn score(dice: &mut Dice, p: usize, r: usize, f: usize) -> Score {
    let by_hand = r == 2;
    let folds: Vec<FoldScore> = (0..ORDERS)
        .flat_map(|order| (0..FOLDS).map(move |fold| (order, fold)))
        .map(|(order, fold)| FoldScore {
            fold,
            order,
            tp: 300 + 40 * r as u64 + dice.below(60),
            fp: 40 + 20 * p as u64 + dice.below(50),
            fn_: 50 + 15 * f as u64 + dice.below(40),
            literals: 12 + dice.below(6) as usize,
            rules: 4 + dice.below(3) as usize,
            seconds: (!by_hand).then(|| 0.8 + dice.unit()),
            weights: (r == 1).then(|| weights(dice)),
        })
        .collect();
    let orders: Vec<OrderScore> = (0..ORDERS)
        .map(|order| {
            let sum =
                |count: fn(&FoldScore) -> u64| folds.iter().filter(|f| f.order == order).map(count).sum::<u64>() as f64;
            let (tp, fp, fn_) = (sum(|f| f.tp), sum(|f| f.fp), sum(|f| f.fn_));
            let precision = tp / (tp + fp);
            let recall = tp / (tp + fn_);
            OrderScore { order, precision, recall, f1: 2.0 * tp / (2.0 * tp + fp + fn_) }
        })
        .collect();
    let mean = |value: fn(&OrderScore) -> f64| orders.iter().map(value).sum::<f64>() / orders.len() as f64;
    let f1 = mean(|o| o.f1);
    let variance = orders.iter().map(|o| (o.f1 - f1).powi(2)).sum::<f64>() / orders.len() as f64;
    let of_folds = |value: fn(&FoldScore) -> f64| folds.iter().map(value).sum::<f64>() / folds.len() as f64;
    let annotated = 30.0 + 10.0 * f as f64;
    let found = annotated * (0.7 + 0.2 * dice.unit());
    let recognised = found + 4.0 * dice.unit();
    let (precision, recall) = (found / recognised, found / annotated);
    Score {
        learner: if by_hand { "theory" } else { "oled" }.into(),
        preset: ["paper", "tuned", "literature"][r].into(),
        row: ROWS[r].into(),
        protocol: PROTOCOLS[p].into(),
        fluent: FLUENTS[f].into(),
        precision: mean(|o| o.precision),
        recall: mean(|o| o.recall),
        f1,
        symmetric: false,
        f1_spread: Some(variance.sqrt()),
        spread_over: Some(SpreadOver::Orders),
        literals: of_folds(|f| f.literals as f64),
        rules: of_folds(|f| f.rules as f64),
        seconds: (!by_hand).then(|| of_folds(|f| f.seconds.unwrap_or(0.0))),
        intervals: IntervalScore {
            share: 0.5,
            annotated,
            recognised,
            found,
            precision,
            recall,
            f1: 2.0 * precision * recall / (precision + recall),
            delay: Some(30.0 * dice.unit() - 6.0),
            covered: 0.6 + 0.3 * dice.unit(),
            false_alarms: 3.0 * dice.unit(),
            hours: (p < 2).then_some(0.29),
            false_alarms_per_hour: (p < 2).then(|| 10.0 * dice.unit()),
        },
        orders,
        folds,
    }
}

/// Weights whose probabilities are too sure of themselves before they are calibrated.
fn weights(dice: &mut Dice) -> FoldWeights {
    let curve: Vec<Sureness> = (-20..=20)
        .rev()
        .map(|i| {
            let (steps, points) = (16 * i, 4 + dice.below(30));
            let probability = Sureness { steps, ..Sureness::default() }.probability();
            let annotated = (probability * points as f64) as u64;
            Sureness { steps, annotated, absent: points - annotated }
        })
        .collect();
    let rows = |too_sure: f64, dice: &mut Dice| -> Vec<(u64, f64, f64)> {
        let said = |tenth: usize| (tenth as f64 + dice.unit()) / 10.0;
        let said: Vec<f64> = (0..10).map(said).collect();
        let so = |said: f64| (0.5 + (said - 0.5) * too_sure).clamp(0.0, 1.0);
        said.into_iter().enumerate().map(|(i, said)| (1 + 4000 / (1 + 9 * i as u64), said, so(said))).collect()
    };
    let reliability = [rows(0.6, dice), rows(0.95, dice)];
    let (rules, holding, absent, temperature) = (vec![1.0; 4], 1.0, 1.0, 1.5);
    FoldWeights { rules, holding, absent, quiet: false, temperature, used: true, reliability, curve, missed: 7 }
}

fn published() -> Vec<Published> {
    let figure =
        |system: &str, protocol: usize, fluent: usize, p: Option<f64>, f1: f64, seconds: Option<f64>| Published {
            system: system.into(),
            protocol: PROTOCOLS[protocol].into(),
            fluent: FLUENTS[fluent].into(),
            precision: p,
            recall: p.map(|p| p - 0.034),
            f1,
            literals: Some(48.0),
            seconds,
            source: "Table 1 of a paper of 2016".into(),
        };
    vec![
        figure("OLED", 0, 0, Some(0.782), 0.731, Some(114.0)),
        figure("MaxMargin", 0, 0, None, 0.742, Some(1692.0)),
        figure("OLED", 0, 1, Some(0.711), 0.802, Some(96.5)),
        figure("MaxMargin", 0, 1, None, 0.812, None),
        figure("XHAIL", 1, 0, Some(0.901), 0.863, Some(7836.0)),
    ]
}

fn curves(dice: &mut Dice, rules: &[RuleStory]) -> Vec<Curve> {
    let event = |step: &Step, rule: &str| CurveEvent {
        interpretation: step.interpretation,
        what: step.what.clone(),
        rule: rule.into(),
    };
    let mut curves = Vec::new();
    for protocol in &PROTOCOLS {
        for fluent in FLUENTS {
            for (r, row) in ROWS[..2].iter().enumerate() {
                let limit = 0.72 + 0.1 * r as f64 + 0.1 * dice.unit();
                let point = |i: u64, dice: &mut Dice| {
                    let f1 = limit * (1.0 - (-(i as f64) / 9.0).exp());
                    CurvePoint {
                        interpretation: 25 * i,
                        f1: f1 + 0.02 * dice.unit(),
                        recent: (i % 7 != 3).then(|| (f1 + 0.3 * (dice.unit() - 0.5)).clamp(0.0, 1.0)),
                        repeated: 0.97,
                        rules: (i / 8) as usize,
                    }
                };
                let points = (1..=48).map(|i| point(i, dice)).collect();
                let ours = rules.iter().filter(|s| s.protocol == *protocol && s.row == *row && s.fluent == fluent);
                let mut events: Vec<CurveEvent> =
                    ours.flat_map(|s| s.history.iter().map(|step| event(step, &s.id))).collect();
                // A rule that nobody tells about.
                events.push(CurveEvent { interpretation: 7, what: "started".into(), rule: "unknown".into() });
                curves.push(Curve {
                    protocol: (*protocol).into(),
                    row: (*row).into(),
                    fluent: fluent.into(),
                    points,
                    events,
                });
            }
        }
    }
    curves
}

fn timelines(dice: &mut Dice) -> Vec<Timeline> {
    let track = |i: usize, dice: &mut Dice| {
        let fluent = FLUENTS[i % 2];
        let start = 80 + dice.below(500) as i64;
        let first = (start, start + 160 + dice.below(120) as i64);
        let second = (first.1 + 150, first.1 + 190 + dice.below(90) as i64);
        let late = dice.below(40) as i64;
        let mut recognised = vec![(first.0 + late, first.1 + 20)];
        match dice.below(3) {
            0 => recognised.push((second.1 + 60, second.1 + 95)),
            1 => recognised.push((second.0 - 10, second.1)),
            _ => {}
        }
        Track {
            fluent: fluent.into(),
            instance: format!("{fluent}(id{}, id{})", i / 2, i / 2 + 1),
            annotated: vec![first, second],
            recognised,
            tp: 100 + dice.below(300),
            fp: dice.below(60),
            fn_: dice.below(60),
        }
    };
    let segment = |i: usize, dice: &mut Dice| Timeline {
        protocol: PROTOCOLS[i / 10].into(),
        row: ROWS[i / 5 % 2].into(),
        segment: format!("walk-{}", i % 5 + 1),
        span: (0, 1499),
        frames: 1500,
        tracks: (0..2 + i % 5).map(|k| track(k, dice)).collect(),
    };
    (0..20).map(|i| segment(i, dice)).collect()
}

const KINDS: [&str; 2] = ["initiatedAt", "terminatedAt"];

fn rule(dice: &mut Dice, i: usize) -> RuleStory {
    let fluent = FLUENTS[i % 2];
    let conditions = ["happensAt(walking(X), T)", "holdsAt(close(X, Y, 24), T)", "happensAt(active(Y), T)"];
    let head = format!("{}({fluent}(X, Y), T)", KINDS[i / 2 % 2]);
    let kept = i % 3 != 2;
    let long = 1 + i % 3;
    let mut history: Vec<Step> = (0..=long)
        .map(|n| Step {
            interpretation: 40 + 170 * n as u64 + dice.below(60),
            what: if n == 0 { "started" } else { "expanded" }.into(),
            body: conditions[..n].join(", "),
            scores: (n > 0).then_some((0.5 + 0.1 * n as f64, 0.62 + 0.1 * n as f64)),
            bounds: (n > 0).then(|| (0.0412 + 0.05 * dice.unit(), 0.0389, 0.05)),
            seen: (n > 0).then_some(812.0 * n as f64),
            value: None,
        })
        .collect();
    if !kept {
        history.push(Step {
            interpretation: 900 + dice.below(200),
            what: "pruned".into(),
            body: conditions[..long].join(", "),
            scores: Some((0.31, 0.42)),
            ..Step::default()
        });
    }
    RuleStory {
        protocol: PROTOCOLS[i / 10].into(),
        row: ROWS[i / 5 % 2].into(),
        fluent: fluent.into(),
        id: format!("{} {fluent} #{i}", KINDS[i / 2 % 2]),
        text: format!("{head} :-\n    {}.", conditions[..long].join(",\n    ")),
        kept,
        counts: Some((1200 + dice.below(900) as i64, dice.below(200) as i64, dice.below(300) as i64)),
        score: Some(0.6 + 0.35 * dice.unit()),
        instances: Some(20_000 + dice.below(90_000)),
        trust: None,
        history,
    }
}

fn scalability() -> Vec<Scale> {
    let point = |copies: usize| {
        let n = copies as f64;
        Scale {
            copies,
            interpretations: 500,
            entities: 3.2 * n,
            instances: 9.0 * n * n,
            literals: 240.0 * n.powf(1.9),
            seconds: Some(0.000_42 * n.powf(1.7)),
            published_seconds: [1, 2, 5, 8, 10].contains(&copies).then_some(0.06 * n.powf(1.5)),
        }
    };
    [1, 2, 5, 8, 10, 20, 50].map(point).into()
}
