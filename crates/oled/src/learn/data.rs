//! What was learned, as data: what `oled learn --json` writes, for any format that serde knows.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::learned::{Ablation, Firings, FluentFit, HeldOut, Learned, LearnedRule, RuleCounts, RuleEvidence};
use super::process::NotPrinted;
use crate::evaluate::Confusion;
use crate::induce::Counts;

/// Counts and, where there are any, all rules with what speaks for them.
impl Serialize for Learned {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("interpretations", &self.interpretations)?;
        map.serialize_entry("literals", &self.theory().literals())?;
        map.serialize_entry("rules", &self.rules)?;
        if self.pairs {
            let left_out = self.left_out.iter().map(|(rule, why)| Rule { rule, why: Some(*why) });
            map.serialize_entry("left_out", &left_out.collect::<Vec<_>>())?;
        }
        map.serialize_entry("fits", &self.fits)?;
        map.serialize_entry("estimated", &self.estimated)?;
        map.serialize_entry("remarks", &self.remarks)?;
        map.end()
    }
}

impl Serialize for LearnedRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Rule { rule: self, why: None }.serialize(serializer)
    }
}

/// A rule, and why it is left out if it is.
struct Rule<'a> {
    rule: &'a LearnedRule,
    why: Option<NotPrinted>,
}

impl Serialize for Rule<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let LearnedRule { clause, id, evidence } = self.rule;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("rule", &clause.to_string())?;
        map.serialize_entry("head", &clause.head.to_string())?;
        map.serialize_entry("body", &clause.body.iter().map(ToString::to_string).collect::<Vec<_>>())?;
        map.serialize_entry("process", &id.0)?;
        map.serialize_entry("id", &id.1)?;
        match evidence {
            RuleEvidence::Counts(RuleCounts { counts, score, stream, instances, n, epsilon }) => {
                map.serialize_entry("score", score)?;
                map.serialize_entry("counts", &Three::from(counts))?;
                map.serialize_entry("stream", &Three::from(stream))?;
                map.serialize_entry("instances", instances)?;
                map.serialize_entry("n", n)?;
                map.serialize_entry("epsilon", epsilon)?;
            }
            RuleEvidence::Ablation(trust) => trust.entries(&mut map)?,
            RuleEvidence::Firings(Firings { right, wrong }) => {
                map.serialize_entry("right", right)?;
                map.serialize_entry("wrong", wrong)?;
            }
        }
        if let Some(why) = self.why {
            map.serialize_entry("why", &why.to_string())?;
        }
        map.end()
    }
}

impl Ablation {
    fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        #[derive(Serialize)]
        struct Refits {
            found: usize,
            of: usize,
        }
        map.serialize_entry("gain", &self.gain)?;
        map.serialize_entry("helps", &self.helps)?;
        map.serialize_entry("harms", &self.harms)?;
        map.serialize_entry("refits", &self.refits.map(|(found, of)| Refits { found, of }))
    }
}

impl Serialize for Ablation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.entries(&mut map)?;
        map.end()
    }
}

impl Serialize for FluentFit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct LookedAt {
            search: u64,
            folds: u64,
        }
        let Confusion { tp, fp, fn_ } = self.counts;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("fluent", &self.fluent)?;
        map.serialize_entry("f1", &self.f1())?;
        map.serialize_entry("tp", &tp)?;
        map.serialize_entry("fp", &fp)?;
        map.serialize_entry("fn", &fn_)?;
        if let Some(penalty) = &self.penalty {
            map.serialize_entry("penalty", penalty)?;
        }
        if let Some(gap) = &self.gap {
            map.serialize_entry("gap", gap)?;
        }
        if let Some((search, folds)) = self.looked_at {
            map.serialize_entry("looked_at", &LookedAt { search, folds })?;
        }
        if let Some(HeldOut { kind, counts, other }) = &self.held_out {
            map.serialize_entry("kind", &kind.to_string())?;
            map.serialize_entry("held_out", &Scored::from(counts))?;
            map.serialize_entry("other_kind", &other.as_ref().map(Scored::from))?;
        }
        map.end()
    }
}

/// Counts of a rule.
#[derive(Serialize)]
struct Three {
    tp: i64,
    fp: i64,
    #[serde(rename = "fn")]
    fn_: i64,
}

impl From<&Counts> for Three {
    fn from(counts: &Counts) -> Three {
        Three { tp: counts.tp, fp: counts.fp, fn_: counts.fn_ }
    }
}

/// Counts of recognition, with F1 first.
#[derive(Serialize)]
struct Scored {
    f1: f64,
    tp: u64,
    fp: u64,
    #[serde(rename = "fn")]
    fn_: u64,
}

impl From<&Confusion> for Scored {
    fn from(counts: &Confusion) -> Scored {
        Scored { f1: counts.f1(), tp: counts.tp, fp: counts.fp, fn_: counts.fn_ }
    }
}
