//! Zone: how far the clocks of a place are ahead of UTC, from when to when.
//!
//! Whoever knows a zone says what it is, once, and rules name it: the library has no list of places. As names are, zones are kept
//! for as long as the program runs.

use std::sync::{PoisonError, RwLock};

use super::Symbol;

/// The operation that tells the seconds of a place's clocks from those of UTC: `'local time'(S, 'Europe/Athens')`. Rules of a
/// text have it from `time_of_day` and `weekday` only.
pub(crate) const LOCAL_TIME: &str = "local time";

/// How far the clocks of a place are ahead of UTC, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone {
    name: Symbol,
    /// Before all changes.
    first: i64,
    /// Since when, in seconds since 1970 began in UTC, and how far from then on: in the order of time.
    changes: &'static [(i64, i64)],
}

static ZONES: RwLock<Vec<Zone>> = RwLock::new(Vec::new());

impl Zone {
    /// A zone by its name: how far its clocks are ahead before all changes, and each change with how far they are from then on.
    /// Who names a zone twice means the same.
    ///
    /// ```
    /// use oled::lang::Zone;
    /// let zone = Zone::new("Here", 3600, &[(1_000, 7200), (2_000, 3600)]);
    /// assert_eq!([999, 1_000, 1_999, 2_000].map(|seconds| zone.ahead(seconds)), [3600, 7200, 7200, 3600]);
    /// assert_eq!(zone.seconds(1_000 + 7200), 1_000);
    /// ```
    pub fn new(name: &str, first: i64, changes: &[(i64, i64)]) -> Zone {
        let name = Symbol::new(name);
        let mut zones = ZONES.write().unwrap_or_else(PoisonError::into_inner);
        let known = zones.iter().find(|zone| zone.name == name && zone.first == first && *zone.changes == *changes);
        if let Some(known) = known {
            return *known;
        }
        debug_assert!(changes.is_sorted_by(|a, b| a.0 < b.0), "changes are in the order of time");
        let zone = Zone { name, first, changes: Box::leak(changes.into()) };
        zones.retain(|known| known.name != name);
        zones.push(zone);
        zone
    }

    /// The zone of a name, if somebody said what it is.
    pub(crate) fn named(name: Symbol) -> Option<Zone> {
        let zones = ZONES.read().unwrap_or_else(PoisonError::into_inner);
        zones.iter().find(|zone| zone.name == name).copied()
    }

    /// Its name.
    pub fn name(&self) -> Symbol {
        self.name
    }

    /// How far its clocks are ahead before all changes.
    pub fn first(&self) -> i64 {
        self.first
    }

    /// Its changes.
    pub fn changes(&self) -> &'static [(i64, i64)] {
        self.changes
    }

    /// How far its clocks are ahead, so many seconds after 1970 began in UTC.
    pub fn ahead(&self, seconds: i64) -> i64 {
        let after = self.changes.partition_point(|(since, _)| *since <= seconds);
        after.checked_sub(1).map_or(self.first, |last| self.changes[last].1)
    }

    /// The seconds of UTC at which its clocks show so many. Where they show it twice it is the first time; where they never do,
    /// since they are put forward then, it is as if that came later.
    pub fn seconds(&self, local: i64) -> i64 {
        // No clock is more than a day away from UTC.
        let [from, to] = [-86_400, 86_400].map(|day: i64| local.saturating_add(day));
        let mut before = self.ahead(from);
        let near = self.changes.iter().filter(|(since, _)| (from..=to).contains(since));
        let mut found: Option<i64> = None;
        let mut skipped = local.saturating_sub(before);
        for ahead in std::iter::once(before).chain(near.clone().map(|(_, ahead)| *ahead)) {
            let seconds = local.saturating_sub(ahead);
            if self.ahead(seconds) == ahead && found.is_none_or(|known| seconds < known) {
                found = Some(seconds);
            }
        }
        for (since, after) in near {
            if (since + before..since + after).contains(&local) {
                skipped = local.saturating_sub(before);
            }
            before = *after;
        }
        found.unwrap_or(skipped)
    }
}
