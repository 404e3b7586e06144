//! Unknown: what of a stream means nothing to its task is passed over, and counted: a misspelt name is told at the end.

use std::hash::Hash;
use std::sync::Arc;

use indexmap::IndexMap;
use oled::lang::{did_you_mean, nearest_path, printable};
use oled::{Frame, Signature};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use crate::declarations::Declarations;

/// How many facts, labels and keys of a stream the task does not know. Nothing is counted where there is no task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unknown {
    #[serde(skip)]
    declarations: Option<Arc<Declarations>>,
    facts: Counts<Signature>,
    labels: Counts<Signature>,
    /// Keys of frames that are JSON objects.
    keys: Counts<String>,
    /// Frames, those without any declared fact, and among these the ones that have others.
    frames: u64,
    bare: u64,
    strange: u64,
}

/// How often each of some things came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Counts<K: Hash + Eq> {
    counts: IndexMap<K, u64, FxBuildHasher>,
    /// How often others came, which are too many to be told apart.
    others: u64,
}

/// So many things are named in a message.
const NAMED: usize = 3;
/// So many are counted each, so that a stream of ever new names takes no more memory than this.
const COUNTED: usize = 1000;
/// Names are cut to so many letters: a fact may have a million arguments.
const LETTERS: usize = 80;
/// The keys of a frame.
const KEYS: [&str; 4] = ["segment", "time", "narrative", "annotation"];

impl<K: Hash + Eq> Default for Counts<K> {
    fn default() -> Counts<K> {
        Counts { counts: IndexMap::default(), others: 0 }
    }
}

impl<K: Hash + Eq> Counts<K> {
    fn add<Q: Hash + indexmap::Equivalent<K> + ?Sized>(&mut self, thing: &Q, own: impl FnOnce() -> K) {
        if let Some(count) = self.counts.get_mut(thing) {
            *count = count.saturating_add(1);
        } else if self.counts.len() < COUNTED {
            self.counts.insert(own(), 1);
        } else {
            self.others = self.others.saturating_add(1);
        }
    }

    /// Adds the counts of others.
    fn merge(&mut self, other: &Counts<K>)
    where
        K: Clone,
    {
        self.others = self.others.saturating_add(other.others);
        for (thing, count) in &other.counts {
            if let Some(own) = self.counts.get_mut(thing) {
                *own = own.saturating_add(*count);
            } else if self.counts.len() < COUNTED {
                self.counts.insert(thing.clone(), *count);
            } else {
                self.others = self.others.saturating_add(*count);
            }
        }
    }

    fn total(&self) -> u64 {
        self.counts.values().fold(self.others, |sum, count| sum.saturating_add(*count))
    }

    /// Those that came most often first.
    fn sorted(&self) -> Vec<(&K, u64)> {
        let mut sorted: Vec<(&K, u64)> = self.counts.iter().map(|(thing, count)| (thing, *count)).collect();
        sorted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        sorted
    }

    /// The first ones by name, with their counts.
    fn named(&self, name: impl Fn(&K) -> String) -> String {
        let mut names: Vec<String> = self
            .sorted()
            .iter()
            .take(NAMED)
            .map(|(thing, count)| format!("`{}` ({count})", short(&name(thing))))
            .collect();
        if self.counts.len() > NAMED {
            names.push("…".into());
        }
        names.join(", ")
    }

    /// How many different ones there are, as far as they were told apart.
    fn kinds(&self, one: &str, many: &str) -> String {
        match (self.counts.len(), self.others) {
            (1, 0) => format!("a {one}"),
            (n, 0) => format!("{n} {many}"),
            (n, _) => format!("more than {n} {many}"),
        }
    }
}

fn short(name: &str) -> String {
    let name = printable(name);
    match name.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.into_owned(),
    }
}

fn counted(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

impl Unknown {
    /// Nothing counted yet, of a stream of this task. A task that declares nothing has no opinion.
    pub(crate) fn new(declarations: Option<Arc<Declarations>>) -> Unknown {
        let declarations = declarations.filter(|d| !(d.inputs.is_empty() && d.labels.is_empty()));
        Unknown { declarations, ..Unknown::default() }
    }

    /// The same counts with what another one knows of the task.
    pub(crate) fn with_declarations_of(self, other: &Unknown) -> Unknown {
        Unknown { declarations: other.declarations.clone(), ..self }
    }

    /// Adds what another part of the same stream has.
    pub(crate) fn merge(&mut self, other: &Unknown) {
        self.facts.merge(&other.facts);
        self.labels.merge(&other.labels);
        self.keys.merge(&other.keys);
        self.frames = self.frames.saturating_add(other.frames);
        self.bare = self.bare.saturating_add(other.bare);
        self.strange = self.strange.saturating_add(other.strange);
    }

    /// Whether nothing was counted.
    pub(crate) fn is_nothing(&self) -> bool {
        self.frames == 0 && self.keys.counts.is_empty() && self.facts.counts.is_empty()
    }

    /// Counts the facts of a frame; its labels too, unless the format always has labels of its own.
    pub(crate) fn see(&mut self, frame: &Frame, labels: bool) {
        let Some(declarations) = &self.declarations else { return };
        let mut known = 0;
        for signature in frame.narrative.signatures() {
            if declarations.has_fact(signature) {
                known += 1;
            } else {
                self.facts.add(&signature, || signature);
            }
        }
        for signature in frame.annotation.signatures().filter(|s| labels && !declarations.has_label(*s)) {
            self.labels.add(&signature, || signature);
        }
        self.frames = self.frames.saturating_add(1);
        if known == 0 {
            self.bare = self.bare.saturating_add(1);
            self.strange = self.strange.saturating_add(u64::from(!frame.narrative.is_empty()));
        }
    }

    /// Counts a key that frames do not have. That of the documents of a data base is nobody's mistake.
    pub(crate) fn key(&mut self, key: &str) {
        if self.declarations.is_some() && key != "_id" {
            self.keys.add(key, || key.into());
        }
    }

    /// What to tell of it, each with what to do about it; of labels only where they are used.
    pub fn warnings(&self, labels: bool) -> Vec<String> {
        let Some(declarations) = &self.declarations else { return Vec::new() };
        let mut warnings = Vec::new();
        warnings.extend(self.keys_warning(declarations));
        warnings.extend(self.facts_warning(declarations));
        if warnings.is_empty() && self.bare == self.frames && self.frames > 0 {
            let frames = counted(self.frames, "frame has", "frames have");
            warnings.push(format!("warning: {frames} no facts at all\nhint: {}", example_of_frame(declarations)));
        }
        if labels {
            warnings.extend(self.labels_warning(declarations));
        }
        warnings
    }

    fn keys_warning(&self, declarations: &Declarations) -> Option<String> {
        let keys = self.keys.named(String::clone);
        let have = match self.keys.counts.len() {
            0 => return None,
            1 => "a key that means",
            _ => "keys that mean",
        };
        let hint = match self.keys.sorted().iter().find_map(|(key, _)| did_you_mean(key, KEYS)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => example_of_frame(declarations),
        };
        Some(format!("warning: frames have {have} nothing there: {keys}\nhint: {hint}"))
    }

    fn facts_warning(&self, declarations: &Declarations) -> Option<String> {
        let (first, _) = *self.facts.sorted().first()?;
        let total = self.facts.total();
        let (facts, were) = (counted(total, "fact", "facts"), if total == 1 { "was" } else { "were" });
        let predicates = self.facts.kinds("predicate", "predicates");
        let names = self.facts.named(ToString::to_string);
        let only = match self.strange {
            0 => String::new(),
            n if n == self.frames => "; no frame has any others".into(),
            n => format!("; {} no others", counted(n, "frame has", "frames have")),
        };
        let known: Vec<Signature> = declarations.inputs.iter().chain(&declarations.labels).copied().collect();
        let hint = match self.facts.sorted().iter().find_map(|(s, _)| nearest(**s, &known)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                let form = short(&first.fill(first.markers()).to_string());
                format!("if rules need such facts, declare them: `input({form}).`")
            }
        };
        Some(format!(
            "warning: {facts} of {predicates} that the task does not declare {were} passed over: {names}{only}\nhint: {hint}"
        ))
    }

    /// Labels that are like a declared one are probably meant to be; others may be of no concern.
    fn labels_warning(&self, declarations: &Declarations) -> Option<String> {
        let (first, _) = *self.labels.sorted().first()?;
        let total = self.labels.total();
        let (labels, were) = (counted(total, "label", "labels"), if total == 1 { "was" } else { "were" });
        let predicates = self.labels.kinds("predicate", "predicates");
        let names = self.labels.named(ToString::to_string);
        let near = self.labels.sorted().iter().find_map(|(s, _)| nearest(**s, &declarations.labels));
        let (word, hint) = match near {
            Some(near) => ("warning", format!("did you mean `{near}`?")),
            None => {
                let form = short(&first.fill(first.markers()).to_string());
                ("remark", format!("if it is to be learned or compared with, declare it: `example({form}).`"))
            }
        };
        Some(format!(
            "{word}: {labels} of {predicates} that the task does not declare {were} passed over: {names}\nhint: {hint}"
        ))
    }
}

/// How a frame is written that the task understands.
fn example_of_frame(declarations: &Declarations) -> String {
    let fact = short(declarations.example.as_deref().unwrap_or("happensAt(walking(id1), 680)"));
    format!(r#"facts stand in the narrative of their frame, as in {{"time":…,"narrative":["{fact}"]}}"#)
}

/// What a misspelt signature may be meant to be. The same names with another number of arguments are nearest of all.
fn nearest(signature: Signature, known: &[Signature]) -> Option<Signature> {
    let paths: Vec<String> = known.iter().map(|s| s.path()).collect();
    let path = signature.path();
    let near =
        if paths.contains(&path) { path.as_str() } else { nearest_path(&path, paths.iter().map(String::as_str))? };
    known.iter().copied().find(|s| s.path() == near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use oled::{FactReader, Source, Task};

    fn task() -> Task {
        let modes = "input(happensAt(walking(+person), +time)). input(seen(+person, +time)). example(holdsAt(alone(+person), +time)).";
        Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap()
    }

    fn unknown(facts: &[&str], labels: &[&str]) -> Unknown {
        let mut unknown = Unknown::new(Some(Declarations::new(&task()).into()));
        let mut frame = Frame::new("main".into(), 1);
        for fact in facts {
            FactReader::default().read(fact, &mut frame.narrative).unwrap();
        }
        for label in labels {
            FactReader::default().read(label, &mut frame.annotation).unwrap();
        }
        unknown.see(&frame, true);
        unknown
    }

    #[test]
    fn what_is_declared_is_not_told() {
        let facts = ["happensAt(walking(p1), 1)", "holdsAt(alone(p1), 1)", "unknown(alone(p2), 1)"];
        assert_eq!(unknown(&facts, &facts[1..]).warnings(true), [""; 0]);
    }

    #[test]
    fn a_misspelt_name_gets_a_suggestion() {
        assert_eq!(
            unknown(&["weather(rain, 1)", "happensAt(wlking(p1), 1)", "happensAt(wlking(p2), 1)"], &[]).warnings(true),
            ["warning: 3 facts of 2 predicates that the task does not declare were passed over: \
              `happensAt(wlking(_), _)` (2), `weather(_, _)` (1); no frame has any others\n\
              hint: did you mean `happensAt(walking(_), _)`?"]
        );
        assert!(unknown(&["seen(p1, near, 1)"], &[]).warnings(true)[0].ends_with("hint: did you mean `seen(_, _)`?"));
    }

    #[test]
    fn what_is_like_nothing_can_be_declared() {
        assert_eq!(
            unknown(&["weather(rain, 1)", "seen(p1, 1)"], &[]).warnings(true),
            ["warning: 1 fact of a predicate that the task does not declare was passed over: `weather(_, _)` (1)\n\
              hint: if rules need such facts, declare them: `input(weather(+type, +time)).`"]
        );
    }

    #[test]
    fn a_label_that_nothing_declares_is_told_where_labels_are_used() {
        let misspelt = unknown(&["seen(p1, 1)"], &["holdsAt(alome(p1), 1)"]);
        assert_eq!(misspelt.warnings(false), [""; 0]);
        assert_eq!(
            misspelt.warnings(true),
            [
                "warning: 1 label of a predicate that the task does not declare was passed over: `holdsAt(alome(_), _)` (1)\n\
              hint: did you mean `holdsAt(alone(_), _)`?"
            ]
        );
        assert!(unknown(&["seen(p1, 1)"], &["holdsAt(fighting(p1), 1)"]).warnings(true)[0].starts_with("remark: "));
    }

    #[test]
    fn ever_new_names_take_no_more_memory_and_long_ones_are_cut() {
        let mut keys = Unknown::new(Some(Declarations::new(&task()).into()));
        (0..5000).for_each(|i| keys.key(&format!("key{i}{}", "x".repeat(1000))));
        assert_eq!((keys.keys.counts.len(), keys.keys.total()), (COUNTED, 5000));
        assert!(keys.warnings(true)[0].len() < 600, "{:?}", keys.warnings(true));
    }
}
