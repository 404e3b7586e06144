//! Learners: those there are, made by their names.

use oled::induce::PRESETS;
use oled::{Diagnostic, Learner, Oled, Problems, Replay, ReplaySettings, Settings, Symbol};
use oled_asp::{IledSettings, XhailSettings};
use oled_data::task_folder::TaskFolder;

use crate::Error;
use crate::row::name;

/// The learners there are; the first is the default. The last two need clingo.
pub const LEARNERS: [&str; 4] = ["replay", "oled", "xhail", "iled"];

/// The preset of the learner `oled` where none is named.
pub const USUAL_PRESET: &str = "sane";

/// Settings by name, in the order in which they count; the last word counts.
pub type Named = Vec<(String, String)>;

/// Makes a learner. `more` gives the settings beside the task's own ones for each target; those of `replay` are for all
/// targets, so it is asked for none.
pub fn learner(
    folder: &TaskFolder,
    learner: &str,
    preset: Option<&str>,
    more: &dyn Fn(Option<&str>) -> Named,
    threads: usize,
) -> Result<Box<dyn Learner>, Error> {
    check(learner, preset)?;
    match learner {
        "oled" => Ok(Box::new(oled(folder, preset, more)?.with_threads(threads))),
        "xhail" | "iled" => with_clingo(folder, learner, &more(None)),
        _ => {
            let settings = folder.replay_settings(&more(None)).map_err(Error::Plan)?;
            Ok(Box::new(Replay::new(&folder.task, settings)?.with_threads(threads)))
        }
    }
}

/// The learners that need clingo.
#[cfg(feature = "clingo")]
fn with_clingo(folder: &TaskFolder, learner: &str, settings: &Named) -> Result<Box<dyn Learner>, Error> {
    let listed = |problems| Error::Rules(with_listed(&folder.name, problems));
    if learner == "iled" {
        let settings = iled_settings(settings).map_err(Error::Plan)?;
        return Ok(Box::new(oled_asp::Iled::new(&folder.task, settings).map_err(listed)?));
    }
    let settings = xhail_settings(settings).map_err(Error::Plan)?;
    Ok(Box::new(oled_asp::Xhail::new(&folder.task, settings).map_err(listed)?))
}

#[cfg(not(feature = "clingo"))]
fn with_clingo(_: &TaskFolder, learner: &str, _: &Named) -> Result<Box<dyn Learner>, Error> {
    let how = oled_asp::HOW_TO_SWITCH_ON;
    Err(Error::Plan(format!("the learner `{learner}` needs clingo, which this program is built without\nhint: {how}")))
}

fn xhail_settings(named: &Named) -> Result<XhailSettings, String> {
    let mut settings = XhailSettings::default();
    named.iter().try_for_each(|(name, value)| settings.set(name, value))?;
    Ok(settings)
}

fn iled_settings(named: &Named) -> Result<IledSettings, String> {
    let mut settings = IledSettings::default();
    named.iter().try_for_each(|(name, value)| settings.set(name, value))?;
    Ok(settings)
}

/// What the settings of a learner come to, those of `oled` left out, which has them by target: whatever changes them
/// changes this.
pub(crate) fn described(folder: &TaskFolder, learner: &str, named: &Named) -> String {
    match learner {
        "xhail" => format!("{:?}", xhail_settings(named)),
        "iled" => format!("{:?}", iled_settings(named)),
        _ => format!("{:?}", folder.replay_settings(named)),
    }
}

/// What the settings of a learner come to, each with its value: those of the task, of a preset, and `more`. Those of `oled`
/// are told for each target.
pub fn effective_settings(
    folder: &TaskFolder,
    learner: &str,
    preset: Option<&str>,
    more: &dyn Fn(Option<&str>) -> Named,
) -> Result<Named, Error> {
    if learner != "oled" {
        return Ok(fields(&described(folder, learner, &more(None))));
    }
    let mut all = Named::new();
    for target in folder.task.labels() {
        let target = name(target);
        let more = more(Some(target.as_str()));
        let settings = folder.settings(preset.unwrap_or(USUAL_PRESET), target.as_str(), &more).map_err(Error::Plan)?;
        let of_target = |(name, value)| (format!("{name} of {target}"), value);
        all.extend(fields(&format!("{settings:?}")).into_iter().map(of_target));
    }
    Ok(all)
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

/// The paper's learner.
pub(crate) fn oled(
    folder: &TaskFolder,
    preset: Option<&str>,
    more: &dyn Fn(Option<&str>) -> Named,
) -> Result<Oled, Error> {
    let preset = preset.unwrap_or(USUAL_PRESET);
    // Wrong settings are told of all targets before any is learned.
    for target in folder.task.labels() {
        let target = name(target);
        folder.settings(preset, target.as_str(), &more(Some(target.as_str()))).map_err(Error::Plan)?;
    }
    let settings = |target: Symbol| {
        let more = more(Some(target.as_str()));
        folder.settings(preset, target.as_str(), &more).unwrap_or_default()
    };
    Oled::new(&folder.task, settings).map_err(|problems| Error::Rules(with_listed(&folder.name, problems)))
}

/// Whether there is such a learner, and it has such a preset.
pub fn check(learner: &str, preset: Option<&str>) -> Result<(), Error> {
    if !LEARNERS.contains(&learner) {
        return Err(Error::Plan(format!("unknown learner `{learner}`: learners are {}", LEARNERS.join(", "))));
    }
    match preset {
        Some(preset) if learner == "oled" => Settings::preset(preset).map(|_| ()).map_err(Error::Plan),
        Some(_) => Err(Error::Plan(format!(
            "the learner `{learner}` has no presets\nhint: leave the preset out; {} are presets of the learner `oled`",
            PRESETS.join(", ")
        ))),
        None => Ok(()),
    }
}

/// Whether a learner has such a setting, with such a value.
pub fn check_setting(learner: &str, name: &str, value: &str) -> Result<(), String> {
    match learner {
        "oled" => Settings::default().set(name, value),
        "xhail" => XhailSettings::default().set(name, value),
        "iled" => IledSettings::default().set(name, value),
        _ => ReplaySettings::default().set(name, value),
    }
}

/// What people call a learner with its preset.
pub fn title(learner: &str, preset: Option<&str>) -> String {
    match learner {
        "oled" => format!("oled, preset {}", preset.unwrap_or(USUAL_PRESET)),
        learner => learner.to_string(),
    }
}

/// Tasks with open thresholds of which there is another with listed ones.
const LISTED: [(&str, &str); 2] = [("caviar", "caviar-listed"), ("lobby", "lobby-listed")];

/// The same problems; where thresholds are open, a hint names the task that lists them.
fn with_listed(task: &str, problems: Problems) -> Problems {
    let Some((_, listed)) = LISTED.iter().find(|(open, _)| *open == task) else { return problems };
    let told = |mut problem: Diagnostic| {
        if problem.message.contains("are open: this learner needs them listed") {
            let more = format!("the task `{listed}` lists them; the learner `replay` takes them as they are");
            problem.hint = Some(problem.hint.map_or_else(|| more.clone(), |hint| format!("{hint}; {more}")));
        }
        problem
    };
    let told: Vec<Diagnostic> = Vec::from(problems.clone()).into_iter().map(told).collect();
    Problems::check(told).err().unwrap_or(problems)
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
        assert_eq!(value(&replay, "penalty").as_deref(), Some("0.002"));
        let more = |_: Option<&str>| vec![("depth".to_string(), "1".to_string())];
        let oled = effective_settings(&TaskFolder::lobby_listed(), "oled", Some("paper"), &more).unwrap();
        assert_eq!(value(&oled, "depth of meeting").as_deref(), Some("1"), "{oled:?}");
    }
}
