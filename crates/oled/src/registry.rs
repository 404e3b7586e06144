//! Registry: the learners there are, as data: their names, settings and capabilities, and how each is made.
//!
//! A learner of another crate is one more [`LearnerSpec`]; whoever offers several joins the lists.

use crate::calculus::label_name;
use crate::induce::{LiteralTable, PRESETS, SETTINGS, Settings, preset_name};
use crate::lang::{Diagnostic, Problems, Symbol, Theory};
use crate::learn::{Capabilities, Learner, OLED, Oled};
use crate::replay::{REPLAY_SETTINGS, Replay, ReplaySettings};
use crate::task::Task;

/// Settings by name, in the order in which they count; the last word counts.
pub type Named = Vec<(String, String)>;

/// A learner, and everything that can be known of it before it is made.
///
/// ```
/// use oled::registry::{LEARNERS, Wishes};
/// use oled::{Learner, Source, Task};
/// let modes = Source::new("modes.lp", "
///     input(happensAt(opens(+door), +time)). example(holdsAt(open(+door), +time)).
///     modeh(initiatedAt(open(+door), +time)). modeb(happensAt(opens(+door), +time)).");
/// let task = Task::parse(&modes, &Source::new("background.lp", "")).unwrap();
/// for spec in &LEARNERS {
///     let mut learner = spec.make(&task, &Wishes::default()).unwrap();
///     assert!(learner.learned(&mut ()).rules.is_empty());
/// }
/// assert_eq!(LEARNERS[0].check_setting("windov", "3").unwrap_err().lines().next(),
///     Some("the learner `replay` has no setting `windov`: did you mean `window`?"));
/// ```
#[derive(Debug)]
pub struct LearnerSpec {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// The names, meanings and ranges of its settings.
    pub settings: &'static [(&'static str, &'static str, &'static str)],
    /// Its presets, if it has any, and the one where none is named.
    pub presets: &'static [&'static str],
    /// The preset where none is named.
    pub usual_preset: Option<&'static str>,
    /// What a task calls the part of it that has settings of this learner, if there can be one.
    pub section: Option<&'static str>,
    /// What a preset and settings come to, or what is wrong with them.
    pub effective: Evaluate,
    /// Makes it. Callers use [`LearnerSpec::make`].
    pub maker: Make,
}

/// What a preset and settings come to, or what is wrong with them.
pub type Evaluate = fn(Option<&str>, &[(String, String)]) -> Result<Effective, String>;

/// Makes a learner for a task.
pub type Make = fn(&Task, &Wishes<'_>) -> Result<Box<dyn Learner>, NotMade>;

/// What settings come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effective {
    /// All of them, as `{:?}` writes their structure: whatever changes one changes this.
    pub text: String,
    /// What can be relied on with them.
    pub capabilities: Capabilities,
}

/// What somebody wants of a learner.
pub struct Wishes<'a> {
    /// The preset, where the learner has presets.
    pub preset: Option<&'a str>,
    /// The settings for a target, by its name; for all of them where none is named.
    pub settings: &'a dyn Fn(Option<Symbol>) -> Named,
    /// The threads to work on. What is learned does not depend on it.
    pub threads: usize,
}

/// Nothing but a learner.
impl Default for Wishes<'_> {
    fn default() -> Self {
        Wishes { preset: None, settings: &|_| Named::new(), threads: 1 }
    }
}

/// Why a learner was not made.
#[derive(Debug, thiserror::Error)]
pub enum NotMade {
    /// Its settings are wrong, or it is no part of this program.
    #[error("{0}")]
    Wishes(String),
    /// It cannot learn the task.
    #[error(transparent)]
    Task(#[from] Problems),
}

/// The learners of this library; the first is the default.
pub static LEARNERS: [LearnerSpec; 2] = [
    LearnerSpec {
        name: "replay",
        about: "remembers the stream, and chooses the rules whose recognition fits best",
        settings: &REPLAY_SETTINGS,
        presets: &[],
        usual_preset: None,
        section: Some("replay"),
        effective: |_, named| {
            let settings = replay_settings(named)?;
            Ok(Effective { text: format!("{settings:?}"), capabilities: settings.capabilities() })
        },
        maker: |task, wishes| {
            let settings = replay_settings(&(wishes.settings)(None)).map_err(NotMade::Wishes)?;
            Ok(Box::new(Replay::new(task, settings)?.with_threads(wishes.threads)))
        },
    },
    LearnerSpec {
        name: "oled",
        about: "that of the paper: one pass, decisions by the Hoeffding bound",
        settings: &SETTINGS,
        presets: &PRESETS,
        usual_preset: Some(USUAL_PRESET),
        section: Some("learn"),
        effective: |preset, named| {
            let settings = oled_settings(preset, named)?;
            Ok(Effective { text: format!("{settings:?}"), capabilities: OLED })
        },
        maker: |task, wishes| {
            let of = |target: Symbol| oled_settings(wishes.preset, &(wishes.settings)(Some(target)));
            // Wrong settings are told of all targets before any is learned.
            targets(task).into_iter().try_for_each(|target| of(target).map(|_| ())).map_err(NotMade::Wishes)?;
            let learner = Oled::new(task, |target| of(target).unwrap_or_default())?;
            Ok(Box::new(learner.with_threads(wishes.threads)))
        },
    },
];

/// The preset of the paper's learner where none is named.
const USUAL_PRESET: &str = "default";

fn replay_settings(named: &[(String, String)]) -> Result<ReplaySettings, String> {
    let mut settings = ReplaySettings::default();
    named.iter().try_for_each(|(name, value)| settings.set(name, value))?;
    Ok(settings)
}

fn oled_settings(preset: Option<&str>, named: &[(String, String)]) -> Result<Settings, String> {
    let mut settings = Settings::preset(preset.unwrap_or(USUAL_PRESET))?;
    named.iter().try_for_each(|(name, value)| settings.set(name, value))?;
    Ok(settings)
}

/// What people call the targets of a task: the names of their fluents, or of their predicates.
pub fn targets(task: &Task) -> Vec<Symbol> {
    task.labels().into_iter().map(|target| label_name(target).unwrap_or(target.name())).collect()
}

/// What is wrong with a task for learners that need listed thresholds, where that is a threshold that is open.
pub fn open_threshold(task: &Task) -> Option<Diagnostic> {
    let (vocabulary, _) = task.compile(&task.rules(&Theory::default()), |_| Vec::new()).ok()?;
    LiteralTable::check_listed(&task.bias, &vocabulary).err()
}

impl LearnerSpec {
    /// Makes it for a task.
    pub fn make(&self, task: &Task, wishes: &Wishes<'_>) -> Result<Box<dyn Learner>, NotMade> {
        self.check_preset(wishes.preset).map_err(NotMade::Wishes)?;
        (self.maker)(task, wishes)
    }

    /// What can be relied on where nothing is set.
    pub fn capabilities(&self) -> Capabilities {
        (self.effective)(None, &[]).expect("a learner needs no settings").capabilities
    }

    /// Whether it has a setting of this name.
    pub fn has_setting(&self, name: &str) -> bool {
        self.settings.iter().any(|(own, ..)| *own == name)
    }

    /// Whether it has such a setting, with such a value.
    pub fn check_setting(&self, name: &str, value: &str) -> Result<(), String> {
        (self.effective)(None, &[(name.to_string(), value.to_string())]).map(|_| ())
    }

    /// Whether it has such a preset, if one is named.
    pub fn check_preset(&self, preset: Option<&str>) -> Result<(), String> {
        match preset {
            Some(_) if self.presets.is_empty() => Err(format!("the learner `{}` has no presets", self.name)),
            preset => (self.effective)(preset, &[]).map(|_| ()),
        }
    }

    /// The preset that counts where this one is named, by the name that it has now, or none.
    pub fn preset<'a>(&self, named: Option<&'a str>) -> Option<&'a str> {
        self.usual_preset.map(|usual| preset_name(named.unwrap_or(usual)))
    }

    /// What people call it, with its preset.
    pub fn title(&self, preset: Option<&str>) -> String {
        match self.preset(preset) {
            Some(preset) => format!("{}, preset {preset}", self.name),
            None => self.name.to_string(),
        }
    }
}
