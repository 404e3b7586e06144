//! Settings of the learners XHAIL and ILED.

use oled::settings::{above, between};
use oled::{Capabilities, settings};

/// Everything that can be set about XHAIL.
#[derive(Clone, Debug, PartialEq)]
pub struct XhailSettings {
    /// What a literal costs, heads included.
    pub literal: u32,
    /// What a time point costs at which a fluent is annotated and not recognised.
    pub uncovered: u32,
    /// What a time point costs at which it is recognised and not annotated.
    pub covered: u32,
    /// How far explanations are deepened.
    pub depth: usize,
    /// Conflicts that a call of the solver may have before it is content with what it has.
    pub conflicts: u64,
    /// Seconds for each fluent; as long as it takes if `None`.
    pub time: Option<f64>,
    /// The seed of the order in which clauses are looked at.
    pub seed: u64,
}

impl Default for XhailSettings {
    fn default() -> XhailSettings {
        XhailSettings { literal: 1, uncovered: 1, covered: 1, depth: 2, conflicts: 2000, time: Some(600.0), seed: 1 }
    }
}

settings! {
    /// The names, meanings and ranges of all settings of XHAIL.
    XHAIL_SETTINGS of XhailSettings, else "the learner `xhail` has no setting";
    literal, "what a literal costs, heads included", (by weight: "0 to 1000000") => literal;
    uncovered, "what a time point costs that is annotated and not recognised", (by weight: "0 to 1000000") => uncovered;
    covered, "what a time point costs that is recognised and not annotated", (by weight: "0 to 1000000") => covered;
    depth, "how far explanations are deepened: 0 for one minimal explanation, 1 for all, more for others", (0 to 100) => depth;
    conflicts, "how hard the solver tries at each step: the same on every machine", (1 or more) => conflicts;
    time, "seconds for each fluent; then the best so far is taken, and a remark says so", (by seconds: "above 0", or none) => time;
    seed, "the order in which clauses are looked at", (0 or more) => seed;
}

impl XhailSettings {
    /// What can be relied on.
    pub const CAPABILITIES: Capabilities = Capabilities {
        order_free: true,
        online: false,
        savable: false,
        mergeable: false,
        starts_from_rules: false,
        needs_listed_thresholds: true,
        settings_by_target: false,
        counts_work: false,
    };
}

/// Everything that can be set about ILED.
#[derive(Clone, Debug, PartialEq)]
pub struct IledSettings {
    /// Interpretations that are looked at together.
    pub batch: usize,
    /// Conflicts that a call of the solver may have before it is content with what it has.
    pub conflicts: u64,
    /// Seconds from the first batch on; as long as it takes if `None`.
    pub time: Option<f64>,
}

impl Default for IledSettings {
    fn default() -> IledSettings {
        IledSettings { batch: 100, conflicts: 2000, time: None }
    }
}

settings! {
    /// The names, meanings and ranges of all settings of ILED.
    ILED_SETTINGS of IledSettings, else "the learner `iled` has no setting";
    batch, "interpretations that are looked at together", (1 or more) => batch;
    conflicts, "how hard the solver tries at each revision: the same on every machine", (1 or more) => conflicts;
    time, "seconds from the first batch on; what comes later is not learned from, and a remark says so", (by seconds: "above 0", or none) => time;
}

impl IledSettings {
    /// What can be relied on.
    pub const CAPABILITIES: Capabilities =
        Capabilities { order_free: false, online: true, ..XhailSettings::CAPABILITIES };
}

/// What an error or a literal costs.
fn weight(text: &str) -> Option<u32> {
    between(text, 0, 1_000_000)
}

/// A time limit; clocks know no more than some decades.
fn seconds(text: &str) -> Option<f64> {
    above(text, 0).filter(|seconds| *seconds < 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_can_be_set_and_wrong_values_are_told() {
        for (name, _, range) in XHAIL_SETTINGS {
            let mut settings = XhailSettings::default();
            settings.set(name, "7").unwrap();
            assert_ne!(settings, XhailSettings::default(), "{name}");
            assert!(settings.set(name, "nonsense").unwrap_err().contains(range));
        }
        for (name, _, range) in ILED_SETTINGS {
            let mut settings = IledSettings::default();
            settings.set(name, "7").unwrap();
            assert_ne!(settings, IledSettings::default(), "{name}");
            assert!(settings.set(name, "nonsense").unwrap_err().contains(range));
        }
        assert!(IledSettings::default().set("bach", "1").unwrap_err().contains("did you mean `batch`?"));
    }
}
