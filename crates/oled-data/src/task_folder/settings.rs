//! Settings of learning in `task.toml`, as texts that learners read.

use std::sync::Arc;

use oled::induce::{PRESETS, preset_name};
use oled::{Diagnostic, ReplaySettings, Settings, Source};

use super::manifest::span;

/// The settings of tables, each followed by what it has for a target.
pub(super) fn texts<'a>(
    tables: impl IntoIterator<Item = &'a toml::Table>,
    target: Option<&str>,
) -> Vec<(String, String)> {
    let of_target = |table: &'a toml::Table| target.and_then(|target| table.get(target)?.as_table());
    let tables = tables.into_iter().flat_map(|table| [Some(table), of_target(table)]).flatten();
    let settings = tables.flat_map(|table| table.iter().filter(|(_, value)| !value.is_table()));
    settings.map(|(name, value)| (name.clone(), as_text(value))).collect()
}

/// A value as settings are written.
pub fn as_text(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::Float(number) => number.to_string(),
        toml::Value::Boolean(truth) => truth.to_string(),
        _ => String::new(),
    }
}

/// What is wrong with the settings of learning.
pub(super) fn learning_problems(
    manifest: &Arc<Source>,
    (general, presets): &(toml::Table, toml::Table),
) -> Vec<Diagnostic> {
    let whole = span(manifest, 0..manifest.text.len());
    let mut problems = Vec::new();
    for name in presets.keys().filter(|name| !PRESETS.contains(&preset_name(name))) {
        let problem = Diagnostic::new(&whole.find_word(name), format!("there is no preset `{name}`"));
        problems.push(problem.hint(format!("presets are {}", PRESETS.join(", "))));
    }
    let mut tables: Vec<&toml::Table> = vec![general];
    tables.extend(presets.values().filter_map(toml::Value::as_table));
    while let Some(table) = tables.pop() {
        for (name, value) in table {
            match value.as_table() {
                Some(inner) => tables.push(inner),
                None => {
                    if let Err(problem) = Settings::default().set(name, &as_text(value)) {
                        problems.push(Diagnostic::new(&whole.find_word(name), problem));
                    }
                }
            }
        }
    }
    problems
}

/// What is wrong with the settings of learning by replay.
pub(super) fn replay_problems(manifest: &Arc<Source>, table: &toml::Table) -> Vec<Diagnostic> {
    let whole = span(manifest, 0..manifest.text.len());
    let problem = |(name, value): (&String, &toml::Value)| {
        let place = whole.find_word(name);
        if value.is_table() {
            let text = format!("settings of the learner `replay` are for all targets, not for `{name}` alone");
            return Some(Diagnostic::new(&place, text).hint("write them into `[replay]` itself"));
        }
        let problem = ReplaySettings::default().set(name, &as_text(value)).err()?;
        Some(Diagnostic::new(&place, problem))
    };
    table.iter().filter_map(problem).collect()
}
