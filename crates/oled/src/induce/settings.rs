//! Settings: every decision that the paper leaves open, by name, with its meaning, default and range in one place.

use super::{RuleKind, Score};
use crate::settings;
use crate::settings::{Choice, between, choice};

/// What becomes of a clause's evidence when it is specialised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// It is kept: the new candidates are scored from it at once.
    Keep,
    /// It is discarded: the new candidates start from nothing.
    Restart,
    /// All clauses of a head are scored from one ledger over the whole stream.
    Shared,
}

/// When clauses are given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pruning {
    /// When the bound says that the score is below the threshold.
    Bound,
    /// The same, but not while a specialisation may still reach it.
    Guarded,
    /// Never.
    None,
}

/// When a tie between candidates is broken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tie {
    /// When the bound is below the mean of all bounds so far.
    Adaptive,
    /// When the bound is below a number.
    Fixed(f64),
    /// Never.
    None,
}

/// What N counts in the bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Head instances.
    Instances,
    /// Pairs of consecutive time points.
    Interpretations,
    /// What the score is a share of.
    Denominator,
}

/// The gap between the best two candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// Its mean over all tests of the clause.
    Mean,
    /// As it is now.
    Last,
}

/// Which uncovered instances start a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seeds {
    /// All at which the fluent holds next.
    Positives,
    /// Those at which it begins.
    Begins,
}

/// Which clauses are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFilter {
    /// All that are past the warm-up.
    All,
    /// Those whose own score reaches the threshold.
    Own,
    /// Those whose score over the whole stream reaches it.
    Stream,
}

/// When a clause is tested for specialisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpandWhen {
    /// At every interpretation at which no clause is started.
    Always,
    /// When it errs (the paper's table of actions).
    Errs,
}

/// Everything that can be set about learning by Algorithm 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The probability with which a decision may be wrong.
    pub delta: f64,
    /// How many literals a specialisation may add.
    pub depth: usize,
    /// The threshold `S_min` of initiation rules, and of ordinary predicates.
    pub prune_initiation: f64,
    /// The threshold `S_min` of termination rules.
    pub prune_termination: f64,
    /// `N_min`: instances a clause must have seen to be printed.
    pub warmup: u64,
    /// The clause evaluation function.
    pub score: Score,
    /// What becomes of evidence.
    pub evidence: Evidence,
    /// When clauses are given up.
    pub pruning: Pruning,
    /// When ties are broken.
    pub tie: Tie,
    /// What N counts.
    pub unit: Unit,
    /// The gap between candidates.
    pub gap: Gap,
    /// What starts a clause.
    pub seeds: Seeds,
    /// What is printed.
    pub output: OutputFilter,
    /// When clauses are tested.
    pub expand: ExpandWhen,
    /// Clauses are tested at every so many interpretations.
    pub every: u64,
    /// Whether clauses are also tested when one is started.
    pub both: bool,
    /// Whether the best candidate must be better than the clause by more than the bound.
    pub margin: bool,
    /// Whether all arguments must be observed at the next time point too.
    pub observed_next: bool,
    /// How many literals away from the head output places may introduce variables.
    pub variables: usize,
    /// No rule gets more literals than this.
    pub max_literals: usize,
    /// No head has more rules than this at a time.
    pub max_rules: usize,
    /// Time points with more instances than this, or at which more is derived, are left out.
    pub max_instances: usize,
    /// Time points at which the background takes more steps than this are left out.
    pub max_steps: usize,
}

/// The number of instances of a time point beyond which it is left out, where nothing else is set: more than 2000 people in
/// pairs, and some hundred megabytes.
pub const MAX_INSTANCES: usize = 4_000_000;

choice!(Score: paper => Paper, terminations => Terminations, holding => Holding, fscore => FScore, foil => Foil);
choice!(Evidence: keep => Keep, restart => Restart, shared => Shared);
choice!(Pruning: bound => Bound, guarded => Guarded, none => None);
choice!(Unit: instances => Instances, interpretations => Interpretations, denominator => Denominator);
choice!(Gap: mean => Mean, last => Last);
choice!(Seeds: positives => Positives, begins => Begins);
choice!(OutputFilter: all => All, own => Own, stream => Stream);
choice!(ExpandWhen: always => Always, errs => Errs);

impl Choice for Tie {
    const NAMES: &'static str = "adaptive, none, or a threshold from 0 to 1";

    fn of(name: &str) -> Option<Tie> {
        match name {
            "adaptive" => Some(Tie::Adaptive),
            "none" => Some(Tie::None),
            _ => between(name, 0, 1).map(Tie::Fixed),
        }
    }
}

settings! {
    /// The names, meanings and ranges of all settings.
    SETTINGS of Settings, else "unknown setting";
    delta, "the probability with which a decision may be wrong", (above 0, below 1) => delta;
    depth, "how many literals a specialisation may add at once (d)", (1 to 5) => depth;
    prune, "the quality threshold of all rules (S_min)", (0 to 1) => prune_initiation, prune_termination;
    prune_initiation, "the quality threshold of initiation rules and ordinary predicates", (0 to 1) => prune_initiation;
    prune_termination, "the quality threshold of termination rules", (0 to 1) => prune_termination;
    warmup, "how many instances a rule must have seen before it is printed (N_min)", (0 or more) => warmup;
    score, "the clause evaluation function (G)", (one of Score) => score;
    evidence, "what becomes of a rule's evidence when it is specialised", (one of Evidence) => evidence;
    pruning, "when a rule is given up", (one of Pruning) => pruning;
    tie, "when a tie between specialisations is broken", (one of Tie) => tie;
    unit, "what N counts in the bound", (one of Unit) => unit;
    gap, "the gap between the two best specialisations", (one of Gap) => gap;
    seeds, "which uncovered instances start an initiation rule", (one of Seeds) => seeds;
    output, "which rules are printed", (one of OutputFilter) => output;
    expand, "when a rule is tested for specialisation", (one of ExpandWhen) => expand;
    every, "rules are tested at every so many interpretations", (1 or more) => every;
    both, "whether rules are tested also where one is started", (true, false) => both;
    margin, "whether the best specialisation must beat the rule by more than the bound", (true, false) => margin;
    observed_next, "whether all arguments must be observed at the next time point too", (true, false) => observed_next;
    variables, "how many literals away from the head `-type` places may introduce variables", (0 to 3) => variables;
    max_literals, "how many literals a rule may have", (1 or more, or none) => max_literals;
    max_rules, "how many rules a head may have at a time", (1 or more, or none) => max_rules;
    max_instances, "time points with more instances, or more derived atoms, are left out", (1 or more, or none) => max_instances;
    max_steps, "time points at which the background takes more steps are left out", (1 or more, or none) => max_steps;
}

/// The names of the presets.
pub const PRESETS: [&str; 3] = ["as-printed", "paper", "default"];

/// What presets were called before, and are called now: both names are taken.
pub const PRESET_ALIASES: [(&str, &str); 2] = [("letter", "as-printed"), ("sane", "default")];

/// What a preset is called now.
///
/// ```
/// use oled::induce::preset_name;
/// assert_eq!(["letter", "sane", "paper", "papre"].map(preset_name), ["as-printed", "default", "paper", "papre"]);
/// ```
pub fn preset_name(name: &str) -> &str {
    PRESET_ALIASES.iter().find(|(before, _)| *before == name).map_or(name, |(_, now)| now)
}

impl Default for Settings {
    /// The preset `default`.
    fn default() -> Settings {
        Settings {
            prune_initiation: 0.6,
            prune_termination: 0.9,
            depth: 2,
            unit: Unit::Denominator,
            ..Settings::paper()
        }
    }
}

impl Settings {
    /// A preset by name.
    pub fn preset(name: &str) -> Result<Settings, String> {
        match preset_name(name) {
            "as-printed" => Ok(Settings::as_printed()),
            "paper" => Ok(Settings::paper()),
            "default" => Ok(Settings::default()),
            _ => Err(format!("unknown preset `{name}`: presets are {}", PRESETS.join(", "))),
        }
    }

    /// Algorithm 1 as it is printed, with ε < τ as the text has it.
    pub fn as_printed() -> Settings {
        Settings {
            delta: 1e-5,
            depth: 1,
            prune_initiation: 0.5,
            prune_termination: 0.5,
            warmup: 0,
            score: Score::Paper,
            evidence: Evidence::Restart,
            pruning: Pruning::Bound,
            tie: Tie::Adaptive,
            unit: Unit::Instances,
            gap: Gap::Mean,
            seeds: Seeds::Positives,
            output: OutputFilter::All,
            expand: ExpandWhen::Always,
            every: 1,
            both: false,
            margin: false,
            observed_next: true,
            variables: 1,
            max_literals: usize::MAX,
            max_rules: usize::MAX,
            max_instances: MAX_INSTANCES,
            max_steps: crate::logic::MAX_STEPS as usize,
        }
    }

    /// What comes nearest to the paper's figures.
    pub fn paper() -> Settings {
        Settings {
            evidence: Evidence::Keep,
            pruning: Pruning::Guarded,
            output: OutputFilter::Stream,
            expand: ExpandWhen::Errs,
            every: 10,
            gap: Gap::Last,
            ..Settings::as_printed()
        }
    }

    /// The quality threshold of a kind of rules.
    pub fn threshold(&self, kind: RuleKind) -> f64 {
        if kind == RuleKind::Termination { self.prune_termination } else { self.prune_initiation }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_can_be_set_and_wrong_values_are_told() {
        let mut settings = Settings::default();
        for (name, _, range) in SETTINGS {
            let value = range.split([',', ' ']).next().unwrap();
            let value = if value == "above" { "0.5" } else { value };
            settings.set(name, value).unwrap();
            let problem = settings.set(name, "nonsense").unwrap_err();
            assert!(problem.contains(range), "{problem}");
        }
        assert!(settings.set("prun", "1").unwrap_err().contains("did you mean `prune`?"));
        assert!(PRESETS.iter().all(|p| Settings::preset(p).is_ok()) && Settings::preset("x").is_err());
    }
}
