//! What was learned, for people and as data: as the library writes it.

use oled::Learned;
use oled::learn::Ablation;
use serde_json::Value;

/// Why what was learned can always be JSON.
const PLAIN: &str = "what was learned has texts for keys, and finite numbers";

/// The theory with the evidence for each rule as comments.
pub(super) fn theory(learned: &Learned) -> String {
    learned.to_text()
}

/// What was learned, in a line.
pub(super) fn summary(learned: &Learned) -> String {
    learned.summary()
}

/// How far a rule can be trusted.
pub(crate) fn trusted(trust: &Ablation) -> String {
    trust.to_string()
}

/// All of it as data, without what the program was told.
pub(super) fn to_json(learned: &Learned) -> Value {
    serde_json::to_value(learned).expect(PLAIN)
}

/// How far a rule can be trusted, as data.
pub(crate) fn trust_json(trust: &Ablation) -> Value {
    serde_json::to_value(trust).expect(PLAIN)
}

/// What there is to remark.
pub(super) fn remarks(learned: &Learned) -> Vec<String> {
    learned.all_remarks()
}
