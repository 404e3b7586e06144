//! Settings: every decision that the paper leaves open, by name, with its meaning, default and range in one place.

use super::{RuleKind, Score};

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

/// A limit, or none.
pub(crate) fn limit(text: &str) -> Option<usize> {
    if text == "none" { Some(usize::MAX) } else { text.parse().ok().filter(|n| *n >= 1) }
}

/// The names, meanings and ranges of all settings.
pub const SETTINGS: [(&str, &str, &str); 24] = [
    ("delta", "the probability with which a decision may be wrong", "above 0, below 1"),
    ("depth", "how many literals a specialisation may add at once (d)", "1 to 5"),
    ("prune", "the quality threshold of all rules (S_min)", "0 to 1"),
    ("prune_initiation", "the quality threshold of initiation rules and ordinary predicates", "0 to 1"),
    ("prune_termination", "the quality threshold of termination rules", "0 to 1"),
    ("warmup", "how many instances a rule must have seen before it is printed (N_min)", "0 or more"),
    ("score", "the clause evaluation function (G)", "paper, terminations, holding, fscore, foil"),
    ("evidence", "what becomes of a rule's evidence when it is specialised", "keep, restart, shared"),
    ("pruning", "when a rule is given up", "bound, guarded, none"),
    ("tie", "when a tie between specialisations is broken", "adaptive, none, or a threshold from 0 to 1"),
    ("unit", "what N counts in the bound", "instances, interpretations, denominator"),
    ("gap", "the gap between the two best specialisations", "mean, last"),
    ("seeds", "which uncovered instances start an initiation rule", "positives, begins"),
    ("output", "which rules are printed", "all, own, stream"),
    ("expand", "when a rule is tested for specialisation", "always, errs"),
    ("every", "rules are tested at every so many interpretations", "1 or more"),
    ("both", "whether rules are tested also where one is started", "true, false"),
    ("margin", "whether the best specialisation must beat the rule by more than the bound", "true, false"),
    ("observed_next", "whether all arguments must be observed at the next time point too", "true, false"),
    ("variables", "how many literals away from the head `-type` places may introduce variables", "0 to 3"),
    ("max_literals", "how many literals a rule may have", "1 or more, or none"),
    ("max_rules", "how many rules a head may have at a time", "1 or more, or none"),
    ("max_instances", "time points with more instances, or more derived atoms, are left out", "1 or more, or none"),
    ("max_steps", "time points at which the background takes more steps are left out", "1 or more, or none"),
];

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

    /// Sets what a name stands for; an error says what is possible.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), String> {
        let range = range_of(&SETTINGS, name).map_err(|near| format!("unknown setting `{name}`: {near}"))?;
        self.try_set(name, text).ok_or_else(|| format!("`{text}` is no value of `{name}`: {range}"))
    }

    fn try_set(&mut self, name: &str, text: &str) -> Option<()> {
        let number = || text.parse::<f64>().ok();
        let share = || number().filter(|x| (0.0..=1.0).contains(x));
        match name {
            "delta" => self.delta = number().filter(|x| *x > 0.0 && *x < 1.0)?,
            "depth" => self.depth = text.parse().ok().filter(|d| (1..=5).contains(d))?,
            "prune" => {
                self.prune_initiation = share()?;
                self.prune_termination = share()?;
            }
            "prune_initiation" => self.prune_initiation = share()?,
            "prune_termination" => self.prune_termination = share()?,
            "warmup" => self.warmup = text.parse().ok()?,
            "score" => {
                self.score = match text {
                    "paper" => Score::Paper,
                    "terminations" => Score::Terminations,
                    "holding" => Score::Holding,
                    "fscore" => Score::FScore,
                    "foil" => Score::Foil,
                    _ => return None,
                }
            }
            "evidence" => {
                self.evidence = match text {
                    "keep" => Evidence::Keep,
                    "restart" => Evidence::Restart,
                    "shared" => Evidence::Shared,
                    _ => return None,
                }
            }
            "pruning" => {
                self.pruning = match text {
                    "bound" => Pruning::Bound,
                    "guarded" => Pruning::Guarded,
                    "none" => Pruning::None,
                    _ => return None,
                }
            }
            "tie" => {
                self.tie = match text {
                    "adaptive" => Tie::Adaptive,
                    "none" => Tie::None,
                    _ => Tie::Fixed(share()?),
                }
            }
            "unit" => {
                self.unit = match text {
                    "instances" => Unit::Instances,
                    "interpretations" => Unit::Interpretations,
                    "denominator" => Unit::Denominator,
                    _ => return None,
                }
            }
            "gap" => {
                self.gap = match text {
                    "mean" => Gap::Mean,
                    "last" => Gap::Last,
                    _ => return None,
                }
            }
            "seeds" => {
                self.seeds = match text {
                    "positives" => Seeds::Positives,
                    "begins" => Seeds::Begins,
                    _ => return None,
                }
            }
            "output" => {
                self.output = match text {
                    "all" => OutputFilter::All,
                    "own" => OutputFilter::Own,
                    "stream" => OutputFilter::Stream,
                    _ => return None,
                }
            }
            "expand" => {
                self.expand = match text {
                    "always" => ExpandWhen::Always,
                    "errs" => ExpandWhen::Errs,
                    _ => return None,
                }
            }
            "every" => self.every = text.parse().ok().filter(|n| *n >= 1)?,
            "both" => self.both = text.parse().ok()?,
            "margin" => self.margin = text.parse().ok()?,
            "variables" => self.variables = text.parse().ok().filter(|n| *n <= 3)?,
            "max_literals" => self.max_literals = limit(text)?,
            "max_rules" => self.max_rules = limit(text)?,
            "max_instances" => self.max_instances = limit(text)?,
            "max_steps" => self.max_steps = limit(text)?,
            "observed_next" => self.observed_next = text.parse().ok()?,
            _ => return None,
        }
        Some(())
    }
}

/// The range of a setting of a table; if it is in none, what may have been meant.
pub fn range_of(table: &[(&'static str, &'static str, &'static str)], name: &str) -> Result<&'static str, String> {
    if let Some((_, _, range)) = table.iter().find(|(n, ..)| *n == name) {
        return Ok(range);
    }
    let names: Vec<&str> = table.iter().map(|(n, ..)| *n).collect();
    Err(crate::lang::did_you_mean(name, names.iter().copied())
        .map_or_else(|| format!("settings are {}", names.join(", ")), |near| format!("did you mean `{near}`?")))
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
