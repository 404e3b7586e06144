//! What was learned, for people and as data.

use std::fmt::Write;

use oled::induce::Counts;
use oled::learn::{Counted, Fired, FluentFit, Grounds, HeldOut, LeftOut, Trust};
use oled::{Confusion, DefinitionKind, Learned, LearnedRule};
use serde_json::{Value, json};

use crate::output::counted;

/// Why writing to a string does not fail.
const FITS: &str = "strings can be written to";

/// The theory with the evidence for each rule as comments.
pub(super) fn theory(learned: &Learned) -> String {
    let mut text = String::new();
    let what = if learned.pairs { "interpretation" } else { "time point" };
    let rules = counted(learned.rules.len() as u64, "rule");
    let literals = counted(learned.theory().literals() as u64, "literal");
    writeln!(text, "% {rules}, {literals}, from {}", counted(learned.interpretations, what)).expect(FITS);
    for fit in &learned.fits {
        let (Confusion { tp, fp, fn_ }, f1) = (fit.counts, f1(fit));
        write!(text, "% {}: F1 {f1} (TP {tp}, FP {fp}, FN {fn_})", fit.fluent).expect(FITS);
        if !learned.estimated.is_empty() {
            text += " on what is remembered";
        }
        if let Some(HeldOut { kind, counts, other }) = &fit.held_out {
            write!(text, "; {:.3} on segments held out, where it {}", counts.f1(), defined(*kind)).expect(FITS);
            if let Some(other) = other {
                write!(text, " ({:.3} where it {})", other.f1(), defined(kind.other())).expect(FITS);
            }
        }
        if let Some(penalty) = fit.penalty {
            write!(text, "; a literal costs {}", rounded(penalty)).expect(FITS);
        }
        text += "\n";
    }
    for rule in &learned.rules {
        let grounds = match &rule.grounds {
            Grounds::Counted(counted) => counts(counted),
            Grounds::Replayed(trust) => trusted(trust),
            Grounds::Fired(Fired { right, wrong }) => {
                format!("fires rightly at {}, wrongly at {wrong}", counted(*right, "time point"))
            }
        };
        writeln!(text, "\n% {grounds}\n{}", rule.clause).expect(FITS);
    }
    text
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

/// What was learned, in a line.
pub(super) fn summary(learned: &Learned) -> String {
    let fits: Vec<String> = learned.fits.iter().map(|fit| format!("{} {}", fit.fluent, f1(fit))).collect();
    let fits = if fits.is_empty() { String::new() } else { format!(", F1 {}", fits.join(", ")) };
    format!("{}{fits}", counted(learned.rules.len() as u64, "rule"))
}

fn counts(counted: &Counted) -> String {
    let counts = |c: &Counts| format!("TP {} FP {} FN {}", c.tp, c.fp, c.fn_);
    let Counted { counts: own, score, stream, n, epsilon, .. } = counted;
    format!("score {score:.3} ({}), N {n}, bound {epsilon:.4}; over the whole stream {}", counts(own), counts(stream))
}

/// How far a rule can be trusted.
pub(crate) fn trusted(trust: &Trust) -> String {
    let Trust { gain, helps, harms, refits } = trust;
    let segments = if *helps == 1 { "segment" } else { "segments" };
    let mut text = format!("gain {gain:.3}; helps in {helps} {segments}, harms in {harms}");
    if let Some((found, of)) = refits {
        write!(text, "; refits {found} of {of}").expect(FITS);
    }
    text
}

/// All of it as data, without what the program was told.
pub(super) fn to_json(learned: &Learned) -> Value {
    let mut object = json!({
        "interpretations": learned.interpretations,
        "literals": learned.theory().literals(),
        "rules": learned.rules.iter().map(rule_json).collect::<Vec<_>>(),
    });
    if learned.pairs {
        let left_out = learned.left_out.iter().map(|(rule, why)| {
            let mut entry = rule_json(rule);
            entry["why"] = json!(why.to_string());
            entry
        });
        object["left_out"] = left_out.collect();
    }
    let fit = |fit: &FluentFit| {
        let Confusion { tp, fp, fn_ } = fit.counts;
        let mut object = json!({"fluent": fit.fluent.as_str(), "f1": fit.f1(), "tp": tp, "fp": fp, "fn": fn_});
        if let Some(penalty) = fit.penalty {
            object["penalty"] = json!(penalty);
        }
        if let Some(gap) = fit.gap {
            object["gap"] = json!(gap);
        }
        if let Some((search, folds)) = fit.looked_at {
            object["looked_at"] = json!({"search": search, "folds": folds});
        }
        if let Some(HeldOut { kind, counts: own, other }) = &fit.held_out {
            let counts = |c: &Confusion| json!({"f1": c.f1(), "tp": c.tp, "fp": c.fp, "fn": c.fn_});
            object["kind"] = json!(kind.to_string());
            object["held_out"] = counts(own);
            object["other_kind"] = json!(other.as_ref().map(counts));
        }
        object
    };
    object["fits"] = learned.fits.iter().map(fit).collect();
    object["estimated"] = json!(learned.estimated);
    object["remarks"] = json!(learned.remarks);
    object
}

fn rule_json(rule: &LearnedRule) -> Value {
    let counts = |c: &Counts| json!({"tp": c.tp, "fp": c.fp, "fn": c.fn_});
    let mut object = json!({
        "rule": rule.clause.to_string(),
        "head": rule.clause.head.to_string(),
        "body": rule.clause.body.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "process": rule.id.0,
        "id": rule.id.1,
    });
    let grounds = match &rule.grounds {
        Grounds::Counted(counted) => json!({
            "score": counted.score,
            "counts": counts(&counted.counts),
            "stream": counts(&counted.stream),
            "instances": counted.instances,
            "n": counted.n,
            "epsilon": counted.epsilon,
        }),
        Grounds::Replayed(trust) => trust_json(trust),
        Grounds::Fired(Fired { right, wrong }) => json!({ "right": right, "wrong": wrong }),
    };
    if let (Value::Object(object), Value::Object(grounds)) = (&mut object, grounds) {
        object.extend(grounds);
    }
    object
}

/// How far a rule can be trusted, as data.
pub(crate) fn trust_json(trust: &Trust) -> Value {
    let refits = trust.refits.map(|(found, of)| json!({"found": found, "of": of}));
    json!({"gain": trust.gain, "helps": trust.helps, "harms": trust.harms, "refits": refits})
}

/// What there is to remark: how many rules are alive and not printed, and why; what the learner has to say.
pub(super) fn remarks(learned: &Learned) -> Vec<String> {
    let count = |why: &LeftOut| learned.left_out.iter().filter(|(_, w)| w == why).count();
    let reasons: Vec<String> =
        LeftOut::ALL.iter().filter(|why| count(why) > 0).map(|why| format!("{} {why}", count(why))).collect();
    let left_out = match learned.left_out.as_slice() {
        [] => None,
        [(_, why)] => Some(format!("1 rule is not printed: {why}")),
        all => Some(format!("{} rules are not printed: {}", all.len(), reasons.join(", "))),
    };
    let estimated = learned.estimated.iter().map(|reason| format!("scores are estimates: {reason}"));
    left_out.into_iter().chain(learned.remarks.iter().cloned()).chain(estimated).collect()
}
