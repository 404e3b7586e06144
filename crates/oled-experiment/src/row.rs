//! Row: what is compared: a learner with its options, or a theory that is given.

use std::sync::Arc;

use oled::calculus::label_name;
use oled::{Learner, Settings, Signature, Source, Symbol, Theory, parse_theory};
use oled_data::task_folder::TaskFolder;

use crate::Error;
use crate::digest::Digest;

/// The learners there are.
pub const LEARNERS: [&str; 1] = ["oled"];

/// A row of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// What makes its theory.
    pub source: TheorySource,
}

/// What makes a theory.
#[derive(Clone, Debug)]
pub enum TheorySource {
    /// A learner.
    Learner {
        /// Which one.
        learner: String,
        /// The preset.
        preset: String,
        /// Options that are set beside it.
        options: Vec<Choice>,
    },
    /// A person: the text is the theory.
    Given(Arc<Source>),
}

/// An option, for all data sets and fluents or for one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The data set it is for.
    pub data: Option<String>,
    /// The fluent it is for.
    pub fluent: Option<String>,
    /// The setting.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl Row {
    /// A row that learns.
    pub fn learned(name: &str, learner: &str, preset: &str, options: Vec<Choice>) -> Result<Row, Error> {
        if !LEARNERS.contains(&learner) {
            let known = LEARNERS.join(", ");
            return Err(Error::Plan(format!("unknown learner `{learner}`: learners are {known}")));
        }
        Settings::preset(preset).map_err(Error::Plan)?;
        let source = TheorySource::Learner { learner: learner.into(), preset: preset.into(), options };
        Ok(Row { name: name.into(), source })
    }

    /// A row whose theory is given.
    pub fn given(name: &str, source: Arc<Source>) -> Row {
        Row { name: name.into(), source: TheorySource::Given(source) }
    }

    /// Whether it learns its theory.
    pub(crate) fn learns(&self) -> bool {
        matches!(self.source, TheorySource::Learner { .. })
    }

    /// The learner's name, and the preset's; of a theory that is given, `theory` and its name.
    pub fn names(&self) -> (&str, &str) {
        match &self.source {
            TheorySource::Learner { learner, preset, .. } => (learner, preset),
            TheorySource::Given(source) => {
                let name = source.name.rsplit('/').next().unwrap_or(&source.name);
                ("theory", name.strip_suffix(".lp").unwrap_or(name))
            }
        }
    }

    /// The theory, where it is given.
    pub(crate) fn theory(&self) -> Option<Result<Theory, Error>> {
        match &self.source {
            TheorySource::Learner { .. } => None,
            TheorySource::Given(source) => Some(parse_theory(&source.name, &source.text).map_err(Error::from)),
        }
    }

    /// A learner for a data set, on one thread: what is parallel is the experiment.
    pub(crate) fn learner(&self, folder: &TaskFolder, data: &str) -> Result<Learner, Error> {
        for target in folder.task.labels() {
            self.settings(folder, data, name(target).as_str()).map_err(Error::Plan)?;
        }
        let settings = |target: Symbol| self.settings(folder, data, target.as_str()).unwrap_or_default();
        Ok(Oled::new(&folder.task, settings)?)
    }

    fn settings(&self, folder: &TaskFolder, data: &str, fluent: &str) -> Result<Settings, String> {
        let TheorySource::Learner { preset, options, .. } = &self.source else { return Ok(Settings::default()) };
        let here = |choice: &&Choice| {
            choice.data.as_deref().is_none_or(|d| d == data) && choice.fluent.as_deref().is_none_or(|f| f == fluent)
        };
        let more: Vec<(String, String)> =
            options.iter().filter(here).map(|c| (c.name.clone(), c.value.clone())).collect();
        folder.settings(preset, fluent, &more)
    }

    pub(crate) fn digest(&self, folder: &TaskFolder, data: &str) -> u64 {
        let mut digest = Digest::default();
        let (learner, preset) = self.names();
        digest.text(learner);
        digest.text(preset);
        match &self.source {
            TheorySource::Given(source) => digest.text(&source.text),
            // What the options come to for each target, so that a change in `task.toml` counts and one elsewhere does not.
            TheorySource::Learner { .. } => folder.task.labels().iter().for_each(|target| {
                digest.text(&format!("{:?}", self.settings(folder, data, name(*target).as_str())));
            }),
        }
        digest.finish()
    }
}

/// What people call a target: the name of its fluent, or of its predicate.
pub(crate) fn name(target: Signature) -> Symbol {
    label_name(target).unwrap_or(target.name())
}
