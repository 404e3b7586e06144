//! Settings: every decision that the paper leaves open, by name, with its meaning, default and range in one place.

use super::{RuleKind, Score};
use crate::logic::MAX_STEPS;
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
    /// Everything that can be set about learning by Algorithm 1; defaults are those of the preset `default`.
    Settings,
    /// The names, meanings and ranges of all settings.
    SETTINGS, else "unknown setting";
    delta: f64 = 1e-5, "the probability with which a decision may be wrong", (above 0, below 1);
    depth: usize = 2, "how many literals a specialisation may add at once (d)", (1 to 5);
    prune_initiation: f64 = 0.6, "the quality threshold of initiation rules and ordinary predicates", (0 to 1);
    prune_termination: f64 = 0.9, "the quality threshold of termination rules", (0 to 1);
    warmup: u64 = 0, "how many instances a rule must have seen before it is printed (`N_min`)", (0 or more);
    score: Score = Score::Paper, "the clause evaluation function (G)", (one of Score);
    evidence: Evidence = Evidence::Keep, "what becomes of a rule's evidence when it is specialised", (one of Evidence);
    pruning: Pruning = Pruning::Guarded, "when a rule is given up", (one of Pruning);
    tie: Tie = Tie::Adaptive, "when a tie between specialisations is broken", (one of Tie);
    unit: Unit = Unit::Denominator, "what N counts in the bound", (one of Unit);
    gap: Gap = Gap::Last, "the gap between the two best specialisations", (one of Gap);
    seeds: Seeds = Seeds::Positives, "which uncovered instances start an initiation rule", (one of Seeds);
    output: OutputFilter = OutputFilter::Stream, "which rules are printed", (one of OutputFilter);
    expand: ExpandWhen = ExpandWhen::Errs, "when a rule is tested for specialisation", (one of ExpandWhen);
    every: u64 = 10, "rules are tested at every so many interpretations", (1 or more);
    both: bool = false, "whether rules are tested also where one is started", (true, false);
    margin: bool = false, "whether the best specialisation must beat the rule by more than the bound", (true, false);
    observed_next: bool = true, "whether all arguments must be observed at the next time point too", (true, false);
    variables: usize = 1, "how many literals away from the head `-type` places may introduce variables", (0 to 3);
    max_literals: usize = usize::MAX, "how many literals a rule may have", (1 or more, or none);
    max_rules: usize = usize::MAX, "how many rules a head may have at a time", (1 or more, or none);
    max_instances: usize = MAX_INSTANCES, "time points with more instances, or more derived atoms, are left out", (1 or more, or none);
    max_steps: usize = MAX_STEPS as usize, "time points at which the background takes more steps are left out", (1 or more, or none);
    [prune_initiation, prune_termination] as prune, "the quality threshold of all rules (`S_min`)", (0 to 1);
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
            evidence: Evidence::Restart,
            pruning: Pruning::Bound,
            output: OutputFilter::All,
            expand: ExpandWhen::Always,
            every: 1,
            gap: Gap::Mean,
            ..Settings::paper()
        }
    }

    /// What comes nearest to the paper's figures.
    pub fn paper() -> Settings {
        Settings {
            prune_initiation: 0.5,
            prune_termination: 0.5,
            depth: 1,
            unit: Unit::Instances,
            ..Settings::default()
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
