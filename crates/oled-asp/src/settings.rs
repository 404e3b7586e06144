//! Settings of the learners XHAIL and ILED.

use oled::settings::{above, between};
use oled::{Capabilities, settings};

settings! {
    /// Everything that can be set about XHAIL.
    XhailSettings,
    /// The names, meanings and ranges of all settings of XHAIL.
    XHAIL_SETTINGS, else "the learner `xhail` has no setting";
    literal: u32 = 1, "what a literal costs, heads included", (by weight: "0 to 1000000");
    uncovered: u32 = 1, "what a time point costs that is annotated and not recognised", (by weight: "0 to 1000000");
    covered: u32 = 1, "what a time point costs that is recognised and not annotated", (by weight: "0 to 1000000");
    depth: usize = 2, "how far explanations are deepened: 0 for one minimal explanation, 1 for all, more for others", (0 to 100);
    conflicts: u64 = 2000, "how hard the solver tries at each step: the same on every machine", (1 or more);
    time: Option<f64> = Some(600.0), "seconds for each fluent; then the best so far is taken, and a remark says so", (by seconds: "above 0", or none);
    seed: u64 = 1, "the order in which clauses are looked at", (0 or more);
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

settings! {
    /// Everything that can be set about ILED.
    IledSettings,
    /// The names, meanings and ranges of all settings of ILED.
    ILED_SETTINGS, else "the learner `iled` has no setting";
    batch: usize = 100, "interpretations that are looked at together", (1 or more);
    conflicts: u64 = 2000, "how hard the solver tries at each revision: the same on every machine", (1 or more);
    time: Option<f64> = None, "seconds from the first batch on; what comes later is not learned from, and a remark says so", (by seconds: "above 0", or none);
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
