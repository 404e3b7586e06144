//! Early: what holds and has not lasted long enough to be reported. It counts as missed until it has, and for all of its time
//! points then.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::lang::{Signature, Symbol, Value};
use crate::state::{StateError, ensure, ensure_counts};

/// Time points of intervals that may never be reported, by segment and fluent instance.
#[derive(Clone, Debug, Default)]
pub(super) struct Early {
    segments: IndexMap<Symbol, IndexMap<Instance, Points, FxBuildHasher>, FxBuildHasher>,
}

type Instance = (Signature, Box<[Value]>);

/// The time points of an interval so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Points {
    first: i64,
    pub(super) annotated: u64,
    pub(super) other: u64,
}

/// As it is written: segment, fluent, values, first time point, and how many are annotated and are not.
pub(super) type Saved = Vec<(Symbol, Signature, Vec<Value>, i64, [u64; 2])>;

/// What became of an interval that was early.
pub(super) enum Now {
    /// It is reported from now on.
    Reported,
    /// It holds, and is still too short.
    Early,
    /// It is over, and is never reported.
    Over,
}

impl Early {
    /// Tells of each instance of a segment that was early, by when it began, what it is now; `reported` is told of those that
    /// are reported.
    pub(super) fn settle(
        &mut self,
        segment: Symbol,
        now: impl Fn(Signature, &[Value], i64) -> Now,
        mut reported: impl FnMut(Signature, &[Value], Points),
    ) {
        let Some(instances) = self.segments.get_mut(&segment) else { return };
        instances.retain(|(signature, values), points| match now(*signature, values, points.first) {
            Now::Early => true,
            Now::Over => false,
            Now::Reported => {
                reported(*signature, values, *points);
                false
            }
        });
        if instances.is_empty() {
            self.segments.swap_remove(&segment);
        }
    }

    /// The time points of an interval that is early.
    pub(super) fn points(
        &mut self,
        segment: Symbol,
        signature: Signature,
        values: &[Value],
        first: i64,
    ) -> &mut Points {
        let instances = self.segments.entry(segment).or_default();
        instances.entry((signature, values.into())).or_insert(Points { first, annotated: 0, other: 0 })
    }

    /// Adds those of other segments, or of other instances.
    pub(super) fn merge(&mut self, other: Early) {
        for (segment, instances) in other.segments {
            self.segments.entry(segment).or_default().extend(instances);
        }
    }

    pub(super) fn save(&self) -> Saved {
        let all =
            self.segments.iter().flat_map(|(segment, of)| of.iter().map(move |(key, points)| (segment, key, points)));
        all.map(|(segment, (s, v), p)| (*segment, *s, v.to_vec(), p.first, [p.annotated, p.other])).collect()
    }

    pub(super) fn restore(saved: Saved) -> Result<Early, StateError> {
        ensure_counts(saved.iter().flat_map(|(.., counts)| *counts))?;
        let mut early = Early::default();
        for (segment, signature, values, first, [annotated, other]) in saved {
            ensure(values.len() + 1 == signature.arity(), "the values of what is not reported yet")?;
            *early.points(segment, signature, &values, first) = Points { first, annotated, other };
        }
        Ok(early)
    }
}
