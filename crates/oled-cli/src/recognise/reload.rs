//! A theory whose file is changed while it is at work.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, bail};
use oled::calculus::label_name;
use oled::{Interval, Problems, Recogniser, Signature, Source, Task, Theory, parse_source};
use oled_data::task_folder::TaskFolder;
use oled_experiment::defines_nothing;

use crate::input::warn;
use crate::progress::say;
use crate::times::printed_time;

/// How often the file is looked at: as fast as a person expects it, and seldom enough that it costs nothing.
const LOOK: Duration = Duration::from_millis(200);

/// When a file was written and how long it is, which tells whether it changed.
type Stamp = (Option<SystemTime>, u64);

/// Looks after the file of a theory.
pub(super) struct Reloader {
    path: PathBuf,
    /// The text that is at work, and what it says.
    text: String,
    theory: Theory,
    /// The file as it was read last, and as it was seen last where it has changed since.
    read: Option<Stamp>,
    seen: Option<Stamp>,
    looked: Instant,
    /// Set by a signal.
    asked: Arc<AtomicBool>,
}

impl Reloader {
    /// `text`: the one that is at work, which need not be that of the file.
    pub(super) fn new(
        folder: &TaskFolder,
        path: &Path,
        text: &str,
        asked: Arc<AtomicBool>,
    ) -> anyhow::Result<Reloader> {
        let source = folder.theory(path)?;
        let path = Path::new(&source.name);
        if !path.is_file() {
            bail!(
                "the theory `{}` comes with the program and never changes\nhint: `--reload` is for a theory in a file",
                path.display()
            );
        }
        let theory = parse(&Source::new(&source.name, text))?;
        let (path, text) = (path.to_path_buf(), text.to_string());
        // A file that is not what is at work is read as soon as it is looked at.
        let read = if source.text == text { stamp(&path) } else { None };
        Ok(Reloader { path, text, theory, read, seen: stamp(&source.name), looked: Instant::now(), asked })
    }

    /// The text that is at work.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Takes a theory that was changed, if it is a good one; intervals of what does not go on are added to `closed`. Returns
    /// whether there is another theory now. `after`: the last time point, with its segment.
    pub(super) fn look(
        &mut self,
        task: &TaskFolder,
        recogniser: &mut Recogniser,
        closed: &mut Vec<Interval>,
        after: Option<(&str, i64)>,
        quiet: bool,
    ) -> bool {
        let text = match self.changed() {
            Ok(None) => return false,
            Ok(Some(text)) => text,
            Err(error) => {
                say(&format!("warning: {error:#}\n  hint: the rules that were read before go on"));
                return false;
            }
        };
        let source = Source::new(self.path.display().to_string(), text);
        match self.take(task, &source, recogniser, closed) {
            Ok(fluents) => {
                if !quiet {
                    let after = after.map(|(segment, time)| {
                        format!(" from the time point after {} of segment `{segment}` on", printed_time(time))
                    });
                    let (path, after) = (self.path.display(), after.unwrap_or_default());
                    say(&format!("remark: `{path}` has changed, and is used{after}: {}", told(&fluents)));
                }
                warn(task, &self.theory, quiet);
                true
            }
            Err(error) => {
                let path = self.path.display();
                say(&format!(
                    "warning: `{path}` has changed, and is not used: the rules that were read before go on\n{}",
                    crate::errors::in_words(&error)
                ));
                false
            }
        }
    }

    /// The text of the file, if it has changed and is not being written: it has been the same for two looks. Who asks gets
    /// it at once.
    fn changed(&mut self) -> anyhow::Result<Option<String>> {
        let is_asked = self.asked.swap(false, Ordering::Relaxed);
        if !is_asked && self.looked.elapsed() < LOOK {
            return Ok(None);
        }
        self.looked = Instant::now();
        let now = stamp(&self.path);
        let before = std::mem::replace(&mut self.seen, now);
        // Between removing a file and making a new one there is none.
        let is_settled = now.is_some() && now != self.read && now == before;
        if !is_asked && !is_settled {
            return Ok(None);
        }
        self.read = now;
        let text = std::fs::read_to_string(&self.path);
        let text = text.with_context(|| format!("cannot read `{}` again", self.path.display()))?;
        Ok((text != self.text).then_some(text))
    }

    /// Goes on with another theory, or says what is wrong with it.
    fn take(
        &mut self,
        folder: &TaskFolder,
        source: &Arc<Source>,
        recogniser: &mut Recogniser,
        closed: &mut Vec<Interval>,
    ) -> anyhow::Result<Vec<(Signature, bool)>> {
        let theory = parse(source)?;
        if theory.clauses.is_empty() {
            bail!("it has no rules");
        }
        if !defines_something(&folder.task, &theory)? {
            return Err(defines_nothing(&folder.task).into());
        }
        let known: Vec<Signature> = recogniser.fluents().collect();
        let mut fluents = recogniser.reload(&folder.task, (&self.theory, &theory), closed)?;
        let is_gone = |fluent: &Signature| !fluents.iter().any(|(other, _)| other == fluent);
        let gone: Vec<Signature> = known.into_iter().filter(is_gone).collect();
        fluents.extend(gone.into_iter().map(|fluent| (fluent, false)));
        (self.theory, self.text) = (theory, source.text.clone());
        Ok(fluents)
    }
}

/// Whether something is recognised by a theory.
fn defines_something(task: &Task, theory: &Theory) -> Result<bool, Problems> {
    Ok(Recogniser::new(task, theory)?.fluents().next().is_some())
}

fn parse(source: &Arc<Source>) -> Result<Theory, Problems> {
    let (theory, problems) = parse_source(source);
    Problems::check(problems).map(|()| theory)
}

fn stamp(path: impl AsRef<Path>) -> Option<Stamp> {
    let metadata = path.as_ref().metadata().ok()?;
    Some((metadata.modified().ok(), metadata.len()))
}

/// Which fluents go on, and which do not.
fn told(fluents: &[(Signature, bool)]) -> String {
    let listed = |goes_on: bool| {
        let names = fluents.iter().filter(|(_, kept)| *kept == goes_on).map(|(fluent, _)| match label_name(*fluent) {
            Some(name) => format!("`{name}`"),
            None => "what has no arguments".into(),
        });
        names.collect::<Vec<String>>().join(", ")
    };
    match (listed(true), listed(false)) {
        (kept, new) if new.is_empty() => format!("nothing starts anew, {kept} is defined as before"),
        (kept, new) if kept.is_empty() => format!("{new} starts anew"),
        (kept, new) => format!("{new} starts anew, {kept} is defined as before"),
    }
}
