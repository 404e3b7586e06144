//! Overrides: the settings of a learner that the command line sets, or why this learner does not have one.

use anyhow::bail;
use oled::LearnerSpec;
use oled_experiment::{LEARNERS, find};

use super::options::{LearnArgs, OledArgs, ReplayArgs};

/// What the command line sets, by name.
pub(crate) fn overrides(args: &LearnArgs) -> anyhow::Result<Vec<(String, String)>> {
    let OledArgs { preset, delta, depth, prune, warmup } = &args.oled;
    let ReplayArgs { penalty, runs, window, forget, no_refits } = &args.replay;
    let spec = find(&args.learner)?;
    let refits = no_refits.then(|| "false".to_string());
    // The name of the option, where it is another than that of the setting.
    let flags = [
        ("delta", None, delta),
        ("depth", None, depth),
        ("prune", None, prune),
        ("warmup", None, warmup),
        ("penalty", None, penalty),
        ("runs", None, runs),
        ("window", None, window),
        ("forget", None, forget),
        ("refits", Some("no-refits"), &refits),
    ];
    if preset.is_some() && spec.presets.is_empty() {
        bail!(for_another("preset", spec, |other| !other.presets.is_empty()));
    }
    let mut all = Vec::new();
    for (name, option, value) in flags {
        let Some(value) = value else { continue };
        if !spec.has_setting(name) {
            bail!(for_another(option.unwrap_or(name), spec, |other| other.has_setting(name)));
        }
        all.push((name.to_string(), value.clone()));
    }
    // What errors cost is of use for rules, for weights, or for both.
    for (name, value) in args.weights.costs.named() {
        if spec.has_setting(name) {
            all.push((name.to_string(), value));
        } else if args.weights.weights.is_none() {
            bail!(for_another(&name.replace('_', "-"), spec, |other| other.has_setting(name)));
        }
    }
    // Beside the limit of a search, which is for all learners, some have one of their own.
    if let Some(time) = args.time.filter(|_| spec.has_setting("time")) {
        all.push(("time".into(), time.to_string()));
    }
    let limits = [
        ("max_literals", &args.max_literals),
        ("max_rules", &args.max_rules),
        ("max_instances", &args.max_instances),
        ("max_steps", &args.max_steps),
    ];
    all.extend(limits.into_iter().filter_map(|(name, value)| Some((name.to_string(), value.clone()?))));
    for text in &args.set {
        let Some((name, value)) = text.split_once('=') else { bail!("`{text}` is not of the form NAME=VALUE") };
        all.push((name.trim().to_string(), value.trim().to_string()));
    }
    Ok(all)
}

/// What to say of an option that another learner has.
pub(crate) fn for_another(option: &str, spec: &LearnerSpec, has: impl Fn(&LearnerSpec) -> bool) -> String {
    let other = LEARNERS.iter().find(|other| has(other)).map_or("another", |other| other.name);
    format!(
        "`--{option}` is for the learner `{other}`, and this is `{}`\nhint: leave it out, or add `--learner {other}`",
        spec.name
    )
}
