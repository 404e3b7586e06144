//! What was learned, as people read it: the theory with what speaks for each rule as comments, and a line of summary.

use std::fmt::Write;

use super::learned::{Ablation, Firings, FluentFit, HeldOut, Learned, RuleCounts, RuleEvidence};
use super::process::NotPrinted;
use crate::evaluate::Confusion;
use crate::induce::Counts;
use crate::task::DefinitionKind;

/// Why writing to a string does not fail.
const FITS: &str = "strings can be written to";

impl Learned {
    /// The theory with the evidence for each rule as comments: what `oled learn` writes, and what is read back as a theory.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let what = if self.pairs { "interpretation" } else { "time point" };
        let rules = counted(self.rules.len() as u64, "rule");
        let literals = counted(self.theory().literals() as u64, "literal");
        writeln!(text, "% {rules}, {literals}, from {}", counted(self.interpretations, what)).expect(FITS);
        for fit in &self.fits {
            let (Confusion { tp, fp, fn_ }, f1) = (fit.counts, f1(fit));
            write!(text, "% {}: F1 {f1} (TP {tp}, FP {fp}, FN {fn_})", fit.fluent).expect(FITS);
            if !self.estimated.is_empty() {
                text += " on what is remembered";
            }
            if let Some(HeldOut { kind, counts, other }) = &fit.held_out {
                write!(text, "; {:.3} on what was held out, where it {}", counts.f1(), defined(*kind)).expect(FITS);
                if let Some(other) = other {
                    write!(text, " ({:.3} where it {})", other.f1(), defined(kind.other())).expect(FITS);
                }
            }
            if let Some(penalty) = fit.penalty {
                write!(text, "; a literal costs {}", rounded(penalty)).expect(FITS);
            }
            text += "\n";
        }
        for rule in &self.rules {
            writeln!(text, "\n% {}\n{}", rule.evidence, rule.clause).expect(FITS);
        }
        text
    }

    /// What was learned, in a line: `3 rules, F1 meeting 0.945`.
    pub fn summary(&self) -> String {
        let fits: Vec<String> = self.fits.iter().map(|fit| format!("{} {}", fit.fluent, f1(fit))).collect();
        let fits = if fits.is_empty() { String::new() } else { format!(", F1 {}", fits.join(", ")) };
        format!("{}{fits}", counted(self.rules.len() as u64, "rule"))
    }

    /// What there is to remark: how many rules are alive and not printed, and why; what the learner has to say.
    pub fn all_remarks(&self) -> Vec<String> {
        let count = |why: &NotPrinted| self.left_out.iter().filter(|(_, w)| w == why).count();
        let reasons: Vec<String> =
            NotPrinted::ALL.iter().filter(|why| count(why) > 0).map(|why| format!("{} {why}", count(why))).collect();
        let left_out = match self.left_out.as_slice() {
            [] => None,
            [(_, why)] => Some(format!("1 rule is not printed: {why}")),
            all => Some(format!("{} rules are not printed: {}", all.len(), reasons.join(", "))),
        };
        let estimated = self.estimated.iter().map(|reason| format!("scores are estimates: {reason}"));
        left_out.into_iter().chain(self.remarks.iter().cloned()).chain(estimated).collect()
    }
}

/// A number with what it counts: `1 rule`, `2 rules`.
fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// How a fluent is defined, in words.
fn defined(kind: DefinitionKind) -> &'static str {
    match kind {
        DefinitionKind::Persists => "persists",
        DefinitionKind::While => "holds while",
    }
}

/// A price, to four decimal places.
fn rounded(price: f64) -> f64 {
    (price * 1e4).round() / 1e4
}

/// F1 of the rules of a fluent; a dash where nothing starts it.
fn f1(fit: &FluentFit) -> String {
    fit.f1().map_or_else(|| "–".into(), |f1| format!("{f1:.3}"))
}

/// As a comment has it.
impl std::fmt::Display for RuleEvidence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RuleEvidence::Counts(counted) => {
                let counts = |c: &Counts| format!("TP {} FP {} FN {}", c.tp, c.fp, c.fn_);
                let RuleCounts { counts: own, score, stream, n, epsilon, .. } = counted;
                let (own, stream) = (counts(own), counts(stream));
                write!(f, "score {score:.3} ({own}), N {n}, bound {epsilon:.4}; over the whole stream {stream}")
            }
            RuleEvidence::Ablation(trust) => write!(f, "{trust}"),
            RuleEvidence::Firings(Firings { right, wrong }) => {
                write!(f, "fires rightly at {}, wrongly at {wrong}", counted(*right, "time point"))
            }
        }
    }
}

/// As a comment has it.
impl std::fmt::Display for Ablation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Ablation { gain, helps, harms, refits } = self;
        let segments = if *helps == 1 { "segment" } else { "segments" };
        write!(f, "gain {gain:.3}; helps in {helps} {segments}, harms in {harms}")?;
        match refits {
            Some((found, of)) => write!(f, "; refits {found} of {of}"),
            None => Ok(()),
        }
    }
}
