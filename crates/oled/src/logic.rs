//! Stratified rules: a small Datalog with negation and arithmetic, evaluated natively for each time point.

mod aggregate;
mod bounds;
mod builtin;
mod candidates;
mod cells;
mod check;
mod depends;
mod history;
mod latest;
mod model;
mod near;
mod open;
mod past;
mod plan;
mod program;
mod quiet;
mod relation;
mod rewrite;

pub use aggregate::{Aggregate, Operation};
pub(crate) use builtin::{apply, compare as compare_values};
pub(crate) use candidates::{candidates, kept};
pub use check::{Predicate, Role, Vocabulary};
pub(crate) use depends::Dependence;
pub use latest::{Class, Member};
pub(crate) use model::{Histories, Limits};
pub use model::{Model, Stop};
pub use open::{Measure, spans_of};
pub(crate) use open::{find as find_open, measures as measures_of};
pub(crate) use past::asked_for;
pub use past::{Look, Past, plain};
pub use program::{MAX_STEPS, NARROW, Pred, Program};
pub use quiet::Quiet;
pub(crate) use quiet::quiet;
pub use relation::Relation;
pub(crate) use rewrite::{guard_terminations, implied_conditions, substitute, substitute_literal};
