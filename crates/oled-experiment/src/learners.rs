//! Learners: those of the library and those on clingo, made by their names with the settings of a task and a user.

use oled::registry::{self, Effective, LearnerSpec, NotMade, Wishes, open_threshold};
use oled::weights::Costs;
use oled::{Learner, Problems, Symbol};
use oled_data::task_folder::TaskFolder;

use crate::Error;

pub use oled::registry::Named;

/// The learners there are; the first is the default. The last two need clingo.
pub static LEARNERS: [&LearnerSpec; 4] = [
    &registry::LEARNERS[0],
    &registry::LEARNERS[1],
    &oled_asp::registry::LEARNERS[0],
    &oled_asp::registry::LEARNERS[1],
];

/// The names of learners, those that can do something, as a sentence has them: `` `replay` or `oled` ``.
pub fn named(can: impl Fn(&LearnerSpec) -> bool) -> String {
    let names: Vec<String> = LEARNERS.iter().filter(|spec| can(spec)).map(|spec| format!("`{}`", spec.name)).collect();
    names.join(" or ")
}

/// The learner of a name.
pub fn find(name: &str) -> Result<&'static LearnerSpec, Error> {
    let names = || LEARNERS.map(|spec| spec.name).join(", ");
    let found = LEARNERS.iter().copied().find(|spec| spec.name == name);
    found.ok_or_else(|| Error::Plan(format!("unknown learner `{name}`: learners are {}", names())))
}

/// Makes a learner. `more` gives the settings beside the task's own ones for each target; where settings are for all
/// targets, it is asked for none.
pub fn learner(
    folder: &TaskFolder,
    learner: &str,
    preset: Option<&str>,
    more: &dyn Fn(Option<&str>) -> Named,
    threads: usize,
) -> Result<Box<dyn Learner>, Error> {
    check(learner, preset)?;
    let spec = find(learner)?;
    let named = |target: Option<Symbol>| {
        let target = target.as_ref().map(|target| target.as_str());
        [folder.settings_of(spec, preset, target), more(target)].concat()
    };
    let made = spec.make(&folder.task, &Wishes { preset, settings: &named, threads });
    made.map_err(|error| match error {
        NotMade::Wishes(text) => Error::Plan(text),
        NotMade::Task(problems) => Error::Rules(with_listed(folder, spec, problems)),
    })
}

/// What the settings of a learner come to, those of the task, of a preset, and `more`: one for all targets, or one for each.
pub(crate) fn effective(
    folder: &TaskFolder,
    learner: &str,
    preset: Option<&str>,
    more: &dyn Fn(Option<&str>) -> Named,
) -> Result<Vec<(Option<Symbol>, Effective)>, Error> {
    let spec = find(learner)?;
    let targets = if spec.capabilities().settings_by_target {
        registry::targets(&folder.task).into_iter().map(Some).collect()
    } else {
        vec![None]
    };
    let of = |target: Option<Symbol>| {
        let name = target.as_ref().map(|target| target.as_str());
        let named = [folder.settings_of(spec, preset, name), more(name)].concat();
        Ok((target, (spec.effective)(preset, &named).map_err(Error::Plan)?))
    };
    targets.into_iter().map(of).collect()
}

/// The same, each setting with its value; where there are some for each target, it is named.
pub fn effective_settings(
    folder: &TaskFolder,
    learner: &str,
    preset: Option<&str>,
    more: &dyn Fn(Option<&str>) -> Named,
) -> Result<Named, Error> {
    let all = effective(folder, learner, preset, more)?;
    let of = |(target, Effective { text, .. }): &(Option<Symbol>, Effective)| {
        let named = |(name, value)| match target {
            Some(target) => (format!("{name} of {target}"), value),
            None => (name, value),
        };
        fields(text).into_iter().map(named).collect::<Vec<_>>()
    };
    Ok(all.iter().flat_map(of).collect())
}

/// What errors cost a learner, if that can be set.
pub fn costs(
    folder: &TaskFolder,
    learner: &str,
    preset: Option<&str>,
    more: &dyn Fn(Option<&str>) -> Named,
) -> Result<Option<Costs>, Error> {
    let all = effective_settings(folder, learner, preset, more)?;
    let value = |name: &str| all.iter().find(|(n, _)| n == name).and_then(|(_, value)| value.parse().ok());
    let costs = |miss: f64| Some(Costs { miss, false_alarm: value("false_alarm")? });
    Ok(value("miss").and_then(costs))
}

/// The fields of a structure as `{:?}` writes it, so that no setting can be forgotten; those of structures in it by
/// themselves.
fn fields(text: &str) -> Named {
    let inner = text.split_once('{').and_then(|(_, rest)| rest.rsplit_once('}')).map_or(text, |(inner, _)| inner);
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for c in inner.chars() {
        depth += i32::from(matches!(c, '{' | '(' | '[')) - i32::from(matches!(c, '}' | ')' | ']'));
        match parts.last_mut() {
            Some(part) if c != ',' || depth > 0 => part.push(c),
            _ => parts.push(String::new()),
        }
    }
    let named = parts.iter().filter_map(|part| part.split_once(':'));
    let value = |(name, value): (&str, &str)| {
        if value.contains('{') { fields(value) } else { vec![(name.trim().to_string(), plain(value.trim()))] }
    };
    named.flat_map(value).collect()
}

/// A value as people set it: `Some(7)` is 7, and no limit is none.
fn plain(value: &str) -> String {
    let inner = value.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or(value);
    if inner == usize::MAX.to_string() { "none".into() } else { inner.to_lowercase() }
}

/// Whether there is such a learner, and it has such a preset.
pub fn check(learner: &str, preset: Option<&str>) -> Result<(), Error> {
    let spec = find(learner)?;
    let others = LEARNERS.iter().find(|spec| !spec.presets.is_empty());
    let hint = others.filter(|_| spec.presets.is_empty()).map(|spec| {
        let presets = spec.presets.join(", ");
        format!("\nhint: leave the preset out; {presets} are presets of the learner `{}`", spec.name)
    });
    spec.check_preset(preset).map_err(|text| Error::Plan(text + &hint.unwrap_or_default()))
}

/// Whether a learner has such a setting, with such a value.
pub fn check_setting(learner: &str, name: &str, value: &str) -> Result<(), String> {
    find(learner).map_err(|error| error.to_string())?.check_setting(name, value)
}

/// What people call a learner with its preset.
pub fn title(learner: &str, preset: Option<&str>) -> String {
    find(learner).map_or_else(|_| learner.to_string(), |spec| spec.title(preset))
}

/// Tasks with open thresholds of which there is another with listed ones.
const LISTED: [(&str, &str); 2] = [("caviar", "caviar-listed"), ("lobby", "lobby-listed")];

/// The same problems; where thresholds are open that the learner needs listed, a hint names the task that lists them.
fn with_listed(folder: &TaskFolder, spec: &LearnerSpec, problems: Problems) -> Problems {
    let Some((_, listed)) = LISTED.iter().find(|(open, _)| *open == folder.name) else { return problems };
    let needs = |spec: &LearnerSpec| spec.capabilities().needs_listed_thresholds;
    let Some(mut problem) = open_threshold(&folder.task).filter(|_| needs(spec)) else { return problems };
    let others = named(|other| !needs(other));
    let more = format!("the task `{listed}` lists them; the learner {others} takes them as they are");
    problem.hint = Some(problem.hint.map_or_else(|| more.clone(), |hint| format!("{hint}; {more}")));
    problem.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effective_settings_are_those_of_the_task_and_of_the_user() {
        let folder = TaskFolder::embedded();
        let value = |named: &Named, name: &str| named.iter().find(|(n, _)| n == name).map(|(_, value)| value.clone());
        let more = |_: Option<&str>| vec![("window".to_string(), "7".to_string())];
        let replay = effective_settings(&folder, "replay", None, &more).unwrap();
        assert_eq!(value(&replay, "window").as_deref(), Some("7"));
        assert_eq!(value(&replay, "forget").as_deref(), Some("none"), "{replay:?}");
        assert_eq!(value(&replay, "max_rules").as_deref(), Some("none"));
        assert_eq!(value(&replay, "penalty").as_deref(), Some("none"));
        let more = |_: Option<&str>| vec![("miss".to_string(), "2.5".to_string())];
        let found = costs(&folder, "replay", None, &more).unwrap();
        assert_eq!(found, Some(Costs { false_alarm: 1.0, miss: 2.5 }));
        let more = |_: Option<&str>| vec![("depth".to_string(), "1".to_string())];
        assert_eq!(costs(&TaskFolder::lobby_listed(), "oled", Some("paper"), &more).unwrap(), None);
        let oled = effective_settings(&TaskFolder::lobby_listed(), "oled", Some("paper"), &more).unwrap();
        assert_eq!(value(&oled, "depth of meeting").as_deref(), Some("1"), "{oled:?}");
    }
}
