//! Results: everything an experiment found, as plain data; the report and all tables are made from it alone.

use oled::Confusion;
use oled::evaluate::Span;
use oled::learn::Ablation;
use serde::{Deserialize, Serialize};

/// All that an experiment found. `results.json` is this, field by field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The name of the experiment.
    pub experiment: String,
    /// What it is about, in a sentence or two.
    pub description: String,
    /// The version of the program.
    pub version: String,
    /// What was learned from.
    pub data: Vec<DataSummary>,
    /// The scores, one for each data set, row and fluent.
    pub results: Vec<Score>,
    /// What others have published, to stand beside them.
    pub published: Vec<Published>,
    /// How F1 came about over the stream, test first, then learn.
    pub curves: Vec<Curve>,
    /// How well the rules at the end of one run fit the stream that they were learned from; an experiment has none.
    pub fits: Vec<FinalScore>,
    /// Truth and recognition over time.
    pub timelines: Vec<Timeline>,
    /// What was learned, with evidence and history.
    pub rules: Vec<RuleStory>,
    /// What it costs when everything happens several times at once.
    pub scalability: Vec<Scale>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// A data set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DataSummary {
    /// Its name: a protocol, or the task's name.
    pub name: String,
    /// What it is.
    pub description: String,
    /// Its segments.
    pub segments: usize,
    /// Its folds.
    pub folds: usize,
    /// Its time points.
    pub frames: u64,
    /// Time units a second, if it is known.
    pub rate: Option<f64>,
    /// Annotated time points of each fluent: positives.
    pub positives: Vec<(String, u64)>,
    /// The fluents that the data's task declares symmetric, so that a pair counts once.
    pub symmetric: Vec<String>,
}

/// How well a row of the table recognises a fluent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// What learned: `replay`, `oled`, or `theory` where rules were given.
    pub learner: String,
    /// The preset, nothing where the learner has none, or the name of the theory that was given.
    pub preset: String,
    /// The name of the row.
    pub row: String,
    /// The data set.
    pub protocol: String,
    /// The fluent.
    pub fluent: String,
    /// Whether the row's task declares the fluent symmetric, so that a pair counts once and not once for each order.
    pub symmetric: bool,
    /// Micro-averaged over folds; the mean over orders.
    pub precision: f64,
    /// The same of recall.
    pub recall: f64,
    /// The same of F1.
    pub f1: f64,
    /// The standard deviation of F1 over what [`Score::spread_over`] says; nothing where there is nothing to compare.
    pub f1_spread: Option<f64>,
    /// Over the orders of the data where there are several; else over the folds in which there is something to count.
    pub spread_over: Option<SpreadOver>,
    /// Literals of the rules for this fluent, heads included; the mean over folds and orders.
    pub literals: f64,
    /// The number of these rules.
    pub rules: f64,
    /// Seconds that learning took, the mean over folds and orders; it learns all fluents at once.
    pub seconds: Option<f64>,
    /// What people who run detectors ask for; the mean over orders.
    pub intervals: IntervalScore,
    /// F1 and its parts in each order.
    pub orders: Vec<OrderScore>,
    /// Each fold of each order.
    pub folds: Vec<FoldScore>,
}

/// What a spread is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SpreadOver {
    /// Orders of the data, each with all folds together.
    Orders,
    /// Folds, each by itself.
    Folds,
}

impl SpreadOver {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            SpreadOver::Orders => "orders",
            SpreadOver::Folds => "folds",
        }
    }
}

/// Micro-averaged scores of one order of the data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OrderScore {
    /// 0 is the order of the data, others are random ones by number.
    pub order: u64,
    /// Precision over all folds.
    pub precision: f64,
    /// Recall over all folds.
    pub recall: f64,
    /// F1 over all folds.
    pub f1: f64,
}

/// How well the final rules of a fluent fit the stream that they were learned from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FinalScore {
    /// The fluent.
    pub fluent: String,
    /// The number of its rules.
    pub rules: usize,
    /// Their literals, heads included.
    pub literals: usize,
    /// Recognised and annotated.
    pub tp: u64,
    /// Recognised only.
    pub fp: u64,
    /// Annotated only.
    #[serde(rename = "fn")]
    pub fn_: u64,
    /// F1 of rules that were learned without a part of the segments, on that part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<f64>,
}

impl FinalScore {
    /// What was counted.
    pub fn confusion(&self) -> Confusion {
        Confusion { tp: self.tp, fp: self.fp, fn_: self.fn_ }
    }
}

/// What was counted in one fold of one order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FoldScore {
    /// The fold that was tested.
    pub fold: usize,
    /// The order.
    pub order: u64,
    /// Recognised and annotated.
    pub tp: u64,
    /// Recognised only.
    pub fp: u64,
    /// Annotated only.
    #[serde(rename = "fn")]
    pub fn_: u64,
    /// Literals of the rules for this fluent.
    pub literals: usize,
    /// The number of these rules.
    pub rules: usize,
    /// Seconds that learning took.
    pub seconds: Option<f64>,
    /// The weights of these rules, where they have some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<FoldWeights>,
}

/// The weights of a fluent's rules in a fold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FoldWeights {
    /// Those of the rules, in the order of the theory, in units of inertia.
    pub rules: Vec<f64>,
    /// Those of inertia.
    pub holding: f64,
    /// See `holding`.
    pub absent: f64,
    /// Whether inertia speaks only where no rule fires.
    pub quiet: bool,
    /// By how much scores are divided before they are probabilities.
    pub temperature: f64,
    /// Whether what was recognised is what weights say: otherwise it is what the rules say without, and weights say how sure
    /// that is.
    pub used: bool,
    /// On the fold that was tested, for each tenth of probability: time points, the mean of what was said of them, and the share
    /// at which it is annotated; without and with the temperature.
    pub reliability: [Vec<(u64, f64, f64)>; 2],
    /// On the same fold, for the curve of precision over recall: time points by how probable it is that it holds, the most
    /// probable first. See [`Sureness`].
    #[serde(default)]
    pub curve: Vec<Sureness>,
    /// Annotated time points of that fold at which no rule can make it hold.
    #[serde(default)]
    pub missed: u64,
}

/// Time points that are about as probable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sureness {
    /// The logarithm of how much more probable it is that it holds than that it does not, in steps of a 64th, rounded: so
    /// many folds make one curve, of a bounded number of points that are as dense where probabilities are near 0 or 1 as in the
    /// middle.
    pub steps: i32,
    /// Time points at which it is annotated.
    pub annotated: u64,
    /// Time points at which it is not.
    pub absent: u64,
}

impl Sureness {
    /// Surer than a million to one is as sure as can be told from streams.
    pub const MOST: i32 = 884;

    /// A probability in steps.
    pub fn steps(probability: f64) -> i32 {
        let odds = (probability / (1.0 - probability)).ln() * 64.0;
        (odds.round() as i32).clamp(-Sureness::MOST, Sureness::MOST)
    }

    /// The probability that so many steps stand for.
    pub fn probability(self) -> f64 {
        1.0 / (1.0 + (-f64::from(self.steps) / 64.0).exp())
    }
}

impl FoldScore {
    /// What was counted.
    pub fn confusion(&self) -> Confusion {
        Confusion { tp: self.tp, fp: self.fp, fn_: self.fn_ }
    }

    /// F1, where there is something to count.
    pub fn f1(&self) -> Option<f64> {
        let counts = self.confusion();
        (counts != Confusion::default()).then(|| counts.f1())
    }
}

/// Recognition judged interval by interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IntervalScore {
    /// The share of an interval that must be covered for it to count as found.
    pub share: f64,
    /// Annotated intervals.
    pub annotated: f64,
    /// Recognised intervals.
    pub recognised: f64,
    /// Annotated intervals that were found.
    pub found: f64,
    /// The share of recognised intervals that lie within annotated ones to that share.
    pub precision: f64,
    /// The share of annotated intervals that were found.
    pub recall: f64,
    /// The harmonic mean of both.
    pub f1: f64,
    /// Time units from the start of an interval to its recognition, negative if it was too early; the mean of those seen.
    pub delay: Option<f64>,
    /// The mean share of an annotated interval that was recognised.
    pub covered: f64,
    /// Recognised intervals that have nothing in common with an annotated one.
    pub false_alarms: f64,
    /// The hours of the stream that were tested, if it is known how long a time unit is.
    pub hours: Option<f64>,
    /// False alarms for each of these hours.
    pub false_alarms_per_hour: Option<f64>,
}

/// A figure from somebody's paper.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// Who.
    pub system: String,
    /// On which data set.
    pub protocol: String,
    /// The fluent.
    pub fluent: String,
    /// Precision, where it was printed.
    pub precision: Option<f64>,
    /// Recall, where it was printed.
    pub recall: Option<f64>,
    /// F1.
    pub f1: f64,
    /// Literals, where they were printed.
    pub literals: Option<f64>,
    /// Seconds of training a fold, where they were printed.
    pub seconds: Option<f64>,
    /// Where.
    pub source: String,
}

/// F1 over the stream, each time point tested before it is learned from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// The data set.
    pub protocol: String,
    /// The row.
    pub row: String,
    /// The fluent.
    pub fluent: String,
    /// From time to time.
    pub points: Vec<CurvePoint>,
    /// When rules began, grew and were given up, or were chosen and dropped.
    pub events: Vec<CurveEvent>,
}

/// The curve at one place of the stream.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Time points so far, as the learner counts what it learns from.
    pub interpretation: u64,
    /// F1 of all time points so far.
    pub f1: f64,
    /// F1 of the time points since ten points before; nothing where there was nothing to be found.
    pub recent: Option<f64>,
    /// F1 of all time points so far, had the labels of the time point before been repeated at each.
    pub repeated: f64,
    /// Rules that would be printed now.
    pub rules: usize,
}

/// Something that happened to a rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurveEvent {
    /// When.
    pub interpretation: u64,
    /// `started`, `expanded` or `pruned`; of the learner `replay`, `chosen` or `dropped`.
    pub what: String,
    /// The rule, as in [`RuleStory::id`].
    pub rule: String,
}

/// Truth and recognition in one segment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// The data set.
    pub protocol: String,
    /// The row.
    pub row: String,
    /// The segment.
    pub segment: String,
    /// Its first and last time point.
    pub span: (i64, i64),
    /// How many time points it has, which need not be one in every time unit.
    pub frames: u64,
    /// One for each fluent instance that was annotated or recognised.
    pub tracks: Vec<Track>,
}

/// A fluent instance over time. Intervals are given by their first and last time points.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Track {
    /// The name of the fluent.
    pub fluent: String,
    /// The instance: `meeting(id1, id2)`.
    pub instance: String,
    /// Where it is annotated.
    pub annotated: Vec<(i64, i64)>,
    /// Where it was recognised.
    pub recognised: Vec<(i64, i64)>,
    /// Time points at which it is annotated and recognised.
    pub tp: u64,
    /// Time points at which it is recognised only.
    pub fp: u64,
    /// Time points at which it is annotated only.
    #[serde(rename = "fn")]
    pub fn_: u64,
}

impl Timeline {
    /// The time from one of its time points to the next: the mean, in whole time units, at least one.
    pub fn step(&self) -> i64 {
        let span = Span { first: self.span.0, last: self.span.1, frames: self.frames };
        span.step().map_or(1, |step| (step.round() as i64).max(1))
    }
}

/// A learned rule: what it says, what speaks for it, and how it came about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RuleStory {
    /// The data set.
    pub protocol: String,
    /// The row.
    pub row: String,
    /// The fluent.
    pub fluent: String,
    /// `initiatedAt`, `terminatedAt`, or the name of an ordinary predicate, and its number: `initiatedAt meeting #3`.
    pub id: String,
    /// The rule.
    pub text: String,
    /// Whether it is part of the theory at the end.
    pub kept: bool,
    /// Its counts over the whole stream.
    pub counts: Option<(i64, i64, i64)>,
    /// Its score.
    pub score: Option<f64>,
    /// The instances it has seen.
    pub instances: Option<u64>,
    /// How far it can be trusted, where the learner knows.
    pub trust: Option<RuleTrust>,
    /// The decisions that made it, in order.
    pub history: Vec<Step>,
}

/// How far a rule can be trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RuleTrust {
    /// How much F1, less the price of its literals, would be lost without it.
    pub gain: f64,
    /// The segments in which there would be more errors without it.
    pub helps: usize,
    /// The segments in which there would be fewer.
    pub harms: usize,
    /// The searches without a part of the segments that found it again, and all of them.
    pub refits: Option<Refits>,
}

/// Searches that left a part of the segments out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refits {
    /// Those that found a rule again.
    pub found: usize,
    /// All of them.
    pub of: usize,
}

impl From<Ablation> for RuleTrust {
    fn from(trust: Ablation) -> RuleTrust {
        let Ablation { gain, helps, harms, refits } = trust;
        RuleTrust { gain, helps, harms, refits: refits.map(|(found, of)| Refits { found, of }) }
    }
}

/// A decision about a rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// When.
    pub interpretation: u64,
    /// `started`, `expanded` or `pruned`; of the learner `replay`, `chosen` or `dropped`.
    pub what: String,
    /// The body after it: literals joined by commas; nothing for a rule without conditions.
    pub body: String,
    /// The score of the rule and of the best specialisation.
    pub scores: Option<(f64, f64)>,
    /// The gap between the two best, the bound, and the tie threshold.
    pub bounds: Option<(f64, f64, f64)>,
    /// The number of observations in the bound.
    pub seen: Option<f64>,
    /// What the theory is worth from then on: F1 less the price of its literals.
    pub value: Option<f64>,
}

/// The cost of learning from several copies of a stream at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// How many copies.
    pub copies: usize,
    /// Interpretations that were learned from.
    pub interpretations: u64,
    /// Entities in a frame, the mean.
    pub entities: f64,
    /// Head instances in an interpretation, the mean.
    pub instances: f64,
    /// Literals evaluated for an interpretation, the mean.
    pub literals: f64,
    /// Seconds for an interpretation, the mean.
    pub seconds: Option<f64>,
    /// What the paper's figure shows, roughly, where it has a point.
    pub published_seconds: Option<f64>,
}
