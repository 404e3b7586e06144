//! The predicates of the Event Calculus, as they are written.

/// An event occurs.
pub const HAPPENS: &str = "happensAt";
/// A fluent holds.
pub const HOLDS: &str = "holdsAt";
/// A fluent is started.
pub const INITIATED: &str = "initiatedAt";
/// A fluent is ended.
pub const TERMINATED: &str = "terminatedAt";
/// The annotation does not know whether a fluent holds: it counts for nothing.
pub const UNKNOWN: &str = "unknown";
/// A fluent holds at the start of each segment.
pub const INITIALLY: &str = "initially";
