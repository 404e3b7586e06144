//! Settings of learning by replay: few, and none has to be set.

use super::retention::Memory;
use crate::induce::MAX_INSTANCES;
use crate::learn::Capabilities;
use crate::logic::MAX_STEPS;
use crate::settings;

settings! {
    /// Everything that can be set about learning by replay.
    ReplaySettings,
    /// The names, meanings and ranges of all settings of replay.
    REPLAY_SETTINGS, else "the learner `replay` has no setting";
    penalty: Option<f64> = None, "how much F1 a literal must bring, instead of what follows from the stream", (0 to 1, or none);
    miss: f64 = 1.0, "what it costs to miss a time point, against a false alarm", (above 0);
    false_alarm: f64 = 1.0, "what a false alarm costs, against a miss", (above 0);
    runs: usize = Memory::default().runs, "at most so many runs are remembered; beyond that less exactly", (64 or more);
    window: Option<usize> = None, "only the last so many segments are remembered", (1 or more, or none);
    forget: Option<f64> = None, "after so many segments half of the older ones are forgotten", (above 0, or none);
    refits: bool = true, "whether rules are learned again from parts of the stream, to see which are found again", (true, false);
    variables: usize = 1, "how many literals away from the head `-type` places may introduce variables", (0 to 3);
    max_literals: usize = usize::MAX, "how many literals a rule may have", (1 or more, or none);
    max_rules: usize = usize::MAX, "how many rules a fluent may have", (1 or more, or none);
    max_instances: usize = MAX_INSTANCES, "time points with more instances, or more derived atoms, are left out", (1 or more, or none);
    max_steps: usize = MAX_STEPS as usize, "time points at which the background takes more steps are left out", (1 or more, or none);
}

impl ReplaySettings {
    /// How much of the stream is remembered.
    pub(super) fn memory(&self) -> Memory {
        Memory { runs: self.runs, window: self.window, forget: self.forget }
    }

    /// What can be relied on with these settings.
    pub fn capabilities(&self) -> Capabilities {
        Capabilities {
            // Where the older segments are forgotten, it counts which are.
            order_free: self.window.is_none() && self.forget.is_none(),
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
