//! Reasoner: whoever derives facts that the library's own rules cannot, frame by frame.
//!
//! `reasoner = "clingo"` in `task.toml` says that the background is a program for clingo. This crate does not know clingo:
//! a program that does [provides](provide) it.

use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use oled::{Bias, Diagnostic, Frame, Source};

/// Derives facts from the background of a task.
pub trait Reasoner: Debug + Send + Sync {
    /// What does not depend on time, as facts of the language.
    fn always(&self) -> &str;

    /// Adds what follows at a time point, as far as it is declared, to what was observed there; or says why nothing does.
    fn extend(&self, frame: &mut Frame) -> Result<(), String>;
}

/// Makes a reasoner of declarations and a background, or says everything that is wrong with it.
pub type MakeReasoner = fn(&Bias, &Arc<Source>) -> Result<Arc<dyn Reasoner>, Vec<Diagnostic>>;

static CLINGO: OnceLock<MakeReasoner> = OnceLock::new();

/// Provides `reasoner = "clingo"` to all tasks that are loaded from now on. The first one stays.
pub fn provide(clingo: MakeReasoner) {
    let _ = CLINGO.set(clingo);
}

/// The one that was provided.
pub(crate) fn clingo() -> Option<MakeReasoner> {
    CLINGO.get().copied()
}
