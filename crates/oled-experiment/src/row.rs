//! Row: what is compared: a learner with its options, or a theory that is given.

use std::sync::Arc;

use oled::calculus::label_name;
use oled::registry::Effective;
use oled::weights::Method;
use oled::{Learner, Signature, Source, Symbol, Theory, parse_theory};
use oled_data::task_folder::TaskFolder;

use crate::Error;
use crate::digest::Digest;
use crate::learners::{self, Named, find, named};
use crate::weighted::RowWeights;

/// A row of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// What makes its theory.
    pub source: TheorySource,
    /// Its task, where it is not that of the data: another one over the same stream, with the same labels.
    pub task: Option<Arc<TaskFolder>>,
    /// How the rules of its theory are given weights, where they are.
    pub weights: Option<RowWeights>,
}

/// What makes a theory.
#[derive(Clone, Debug)]
pub enum TheorySource {
    /// A learner.
    Learner {
        /// Which one.
        learner: String,
        /// The preset, where the learner has presets.
        preset: Option<String>,
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
    pub fn learned(name: &str, learner: &str, preset: Option<&str>, options: Vec<Choice>) -> Result<Row, Error> {
        learners::check(learner, preset)?;
        let spec = find(learner)?;
        if !spec.capabilities().settings_by_target
            && let Some(choice) = options.iter().find(|choice| choice.fluent.is_some())
        {
            return Err(Error::Plan(format!(
                "settings of the learner `{learner}` are for all fluents\nhint: set `{}` without naming one",
                choice.name
            )));
        }
        let preset = spec.preset(preset).map(str::to_string);
        let source = TheorySource::Learner { learner: learner.into(), preset, options };
        Ok(Row { name: name.into(), source, task: None, weights: None })
    }

    /// A row whose theory is given.
    pub fn given(name: &str, source: Arc<Source>) -> Row {
        Row { name: name.into(), source: TheorySource::Given(source), task: None, weights: None }
    }

    /// The same row with a task of its own, over the same stream.
    #[must_use]
    pub fn with_task(mut self, task: Arc<TaskFolder>) -> Row {
        self.task = Some(task);
        self
    }

    /// The same row with weights for the rules of its theory, learned from the training set.
    #[must_use]
    pub fn with_weights(mut self, weights: RowWeights) -> Row {
        self.weights = Some(weights);
        self
    }

    /// The row's own task, or else that of the data.
    pub(crate) fn folder<'a>(&'a self, of_data: &'a TaskFolder) -> &'a TaskFolder {
        self.task.as_deref().unwrap_or(of_data)
    }

    /// Whether it learns its theory.
    pub(crate) fn learns(&self) -> bool {
        matches!(self.source, TheorySource::Learner { .. }) || self.weights.is_some()
    }

    /// Whether how its theory came about can be told: where a learner made it.
    pub(crate) fn has_story(&self) -> bool {
        matches!(self.source, TheorySource::Learner { .. })
    }

    /// The learner's name, and the preset's, if it has presets; of a theory that is given, `theory` and its name.
    pub fn names(&self) -> (&str, &str) {
        match &self.source {
            TheorySource::Learner { learner, preset, .. } => (learner, preset.as_deref().unwrap_or("")),
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
    pub(crate) fn learner(&self, folder: &TaskFolder, data: &str) -> Result<Box<dyn Learner>, Error> {
        let (learner, preset) = self.plan()?;
        learners::learner(folder, learner, preset, &|target| self.settings(data, target), 1)
    }

    /// The same of a learner that tells how much it looked at.
    pub(crate) fn counting_learner(&self, folder: &TaskFolder, data: &str) -> Result<Box<dyn Learner>, Error> {
        let learner = self.learner(folder, data)?;
        if learner.capabilities().counts_work {
            return Ok(learner);
        }
        let counts = named(|spec| spec.capabilities().counts_work);
        let (name, _) = self.names();
        Err(Error::Plan(format!("learning from copies is measured of the learner {counts}, not of `{name}`")))
    }

    fn plan(&self) -> Result<(&str, Option<&str>), Error> {
        match &self.source {
            TheorySource::Learner { learner, preset, .. } => Ok((learner, preset.as_deref())),
            TheorySource::Given(source) => {
                Err(Error::Plan(format!("the rules of `{}` are given, so nothing is learned", source.name)))
            }
        }
    }

    /// Whether the order of the segments makes a difference: not to rules that are given, nor to a learner that looks at
    /// all that it remembers at once, unless it forgets the older segments; but to weights that are learned in one pass.
    pub(crate) fn depends_on_order(&self, folder: &TaskFolder, data: &str) -> bool {
        let depends = |effective: &[_]| effective.iter().any(|(_, e): &(_, Effective)| !e.capabilities.order_free);
        self.weights.is_some_and(|weights| weights.method != Method::Margin)
            || self.effective(folder, data).is_ok_and(|effective| depends(&effective))
    }

    /// What the settings come to for a data set.
    fn effective(&self, folder: &TaskFolder, data: &str) -> Result<Vec<(Option<Symbol>, Effective)>, Error> {
        let (learner, preset) = self.plan()?;
        learners::effective(folder, learner, preset, &|target| self.settings(data, target))
    }

    /// What is set for a data set and a target beside what the task sets.
    fn settings(&self, data: &str, target: Option<&str>) -> Named {
        let TheorySource::Learner { options, .. } = &self.source else { return Named::new() };
        let here = |choice: &&Choice| {
            choice.data.as_deref().is_none_or(|d| d == data)
                && choice.fluent.as_deref().is_none_or(|f| target.is_none_or(|target| f == target))
        };
        options.iter().filter(here).map(|c| (c.name.clone(), c.value.clone())).collect()
    }

    pub(crate) fn digest(&self, folder: &TaskFolder, data: &str) -> u64 {
        let mut digest = Digest::default();
        let (learner, preset) = self.names();
        digest.text(learner);
        digest.text(preset);
        if let Some(weights) = self.weights {
            digest.text(&format!("{weights:?}"));
        }
        match &self.source {
            TheorySource::Given(source) => digest.text(&source.text),
            // What the options come to for each target, so that a change in `task.toml` counts and one elsewhere does not.
            TheorySource::Learner { .. } => match self.effective(folder, data) {
                Ok(all) => all.iter().for_each(|(_, effective)| digest.text(&effective.text)),
                Err(error) => digest.text(&error.to_string()),
            },
        }
        digest.finish()
    }
}

/// What people call a target: the name of its fluent, or of its predicate.
pub(crate) fn name(target: Signature) -> Symbol {
    label_name(target).unwrap_or(target.name())
}
