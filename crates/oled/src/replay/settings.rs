//! Settings of learning by replay: few, and none has to be set.

use super::retention::Memory;
use crate::induce::{MAX_INSTANCES, Settings};
use crate::learn::Capabilities;
use crate::settings;

/// Everything that can be set about learning by replay.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplaySettings {
    /// The price of a literal in F1, heads included; if `None`, it follows from how much there is to explain.
    pub penalty: Option<f64>,
    /// What a time point costs at which something is annotated and not recognised, against [`ReplaySettings::false_alarm`].
    pub miss: f64,
    /// What a time point costs at which something is recognised and not annotated.
    pub false_alarm: f64,
    /// How much of the stream is remembered.
    pub memory: Memory,
    /// Whether rules are learned again from parts of the stream, to see which are found again.
    pub refits: bool,
    /// How many literals away from the head output places may introduce variables.
    pub variables: usize,
    /// No rule gets more literals than this.
    pub max_literals: usize,
    /// No fluent gets more rules than this, of both kinds together.
    pub max_rules: usize,
    /// Time points with more instances than this, or at which more is derived, are left out.
    pub max_instances: usize,
    /// Time points at which the background takes more steps than this are left out.
    pub max_steps: usize,
}

settings! {
    /// The names, meanings and ranges of all settings of replay.
    REPLAY_SETTINGS of ReplaySettings, else "the learner `replay` has no setting";
    penalty, "how much F1 a literal must bring, instead of what follows from the stream", (0 to 1, or none) => penalty;
    miss, "what it costs to miss a time point, against a false alarm", (above 0) => miss;
    false_alarm, "what a false alarm costs, against a miss", (above 0) => false_alarm;
    runs, "at most so many runs are remembered; beyond that less exactly", (64 or more) => memory.runs;
    window, "only the last so many segments are remembered", (1 or more, or none) => memory.window;
    forget, "after so many segments half of the older ones are forgotten", (above 0, or none) => memory.forget;
    refits, "whether rules are learned again from parts of the stream, to see which are found again", (true, false) => refits;
    variables, "how many literals away from the head `-type` places may introduce variables", (0 to 3) => variables;
    max_literals, "how many literals a rule may have", (1 or more, or none) => max_literals;
    max_rules, "how many rules a fluent may have", (1 or more, or none) => max_rules;
    max_instances, "time points with more instances, or more derived atoms, are left out", (1 or more, or none) => max_instances;
    max_steps, "time points at which the background takes more steps are left out", (1 or more, or none) => max_steps;
}

impl Default for ReplaySettings {
    fn default() -> ReplaySettings {
        ReplaySettings {
            penalty: None,
            miss: 1.0,
            false_alarm: 1.0,
            memory: Memory::default(),
            refits: true,
            variables: 1,
            max_literals: usize::MAX,
            max_rules: usize::MAX,
            max_instances: MAX_INSTANCES,
            max_steps: Settings::default().max_steps,
        }
    }
}

impl ReplaySettings {
    /// What can be relied on with these settings.
    pub fn capabilities(&self) -> Capabilities {
        Capabilities {
            // Where the older segments are forgotten, it counts which are.
            order_free: self.memory.window.is_none() && self.memory.forget.is_none(),
            online: true,
            savable: true,
            mergeable: true,
            starts_from_rules: true,
            needs_listed_thresholds: false,
            settings_by_target: false,
            counts_work: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_can_be_set_and_wrong_values_are_told() {
        let mut settings = ReplaySettings::default();
        for (name, value) in [
            ("penalty", "none"),
            ("penalty", "0.01"),
            ("miss", "5"),
            ("false_alarm", "0.5"),
            ("runs", "64"),
            ("window", "3"),
            ("forget", "2.5"),
            ("refits", "false"),
            ("variables", "0"),
            ("max_literals", "2"),
            ("max_rules", "none"),
            ("max_instances", "1000"),
            ("max_steps", "1000"),
        ] {
            settings.set(name, value).unwrap();
            let problem = settings.set(name, "nonsense").unwrap_err();
            assert!(problem.contains(REPLAY_SETTINGS.iter().find(|s| s.0 == name).unwrap().2), "{problem}");
        }
        assert!(settings.set("penalti", "1").unwrap_err().contains("did you mean `penalty`?"));
    }
}
