//! What was counted, as data: what `oled evaluate --json` writes, for any format that serde knows.

use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Serialize, Serializer};

use super::{Confusion, Evaluation};
use crate::lang::Symbol;

/// The counts, and what follows from them.
impl Serialize for Confusion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut counts = serializer.serialize_struct("Confusion", 6)?;
        counts.serialize_field("tp", &self.tp)?;
        counts.serialize_field("fp", &self.fp)?;
        counts.serialize_field("fn", &self.fn_)?;
        counts.serialize_field("precision", &self.precision())?;
        counts.serialize_field("recall", &self.recall())?;
        counts.serialize_field("f1", &self.f1())?;
        counts.end()
    }
}

/// The counts of each fluent, of all together, and of frames.
impl Serialize for Evaluation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut evaluation = serializer.serialize_struct("Evaluation", 3)?;
        evaluation.serialize_field("fluents", &ByFluent(self))?;
        evaluation.serialize_field("micro", &self.total())?;
        evaluation.serialize_field("frames", &self.frames())?;
        evaluation.end()
    }
}

/// The counts of each fluent, under its name.
struct ByFluent<'a>(&'a Evaluation);

impl Serialize for ByFluent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counts = self.0.by_fluent();
        let mut map = serializer.serialize_map(Some(counts.len()))?;
        counts.iter().try_for_each(|(name, counts): (&Symbol, _)| map.serialize_entry(name, counts))?;
        map.end()
    }
}
