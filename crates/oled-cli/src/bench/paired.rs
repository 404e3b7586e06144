//! Paired: two ways of spending time, measured in turn, and their ratio.
//!
//! What else a machine does changes from second to second. A ratio of the fastest runs compares a quiet second of one with a
//! quiet second of the other, if both had any: the same program then gave 1.8 and 3.3. Two that are measured one right after
//! the other share their second, so the median of many such ratios says what it should, and the quartiles how sure it is.
//!
//! Seconds are those of the processor, where the system tells: on a busy machine whatever takes long waits more often, and
//! by the clock on the wall it would look dearer than it is.

use std::time::{Duration, Instant};

/// The seconds of the processor that something takes, on all threads together.
pub(super) fn seconds(run: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<f64> {
    let (start, wall) = (processor(), Instant::now());
    run()?;
    let spent = match (start, processor()) {
        (Some(start), Some(end)) => end.saturating_sub(start),
        _ => wall.elapsed(),
    };
    Ok(spent.as_secs_f64())
}

/// The seconds on the wall that something takes: for what is done by several threads at once.
fn wall_seconds(run: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<f64> {
    let start = Instant::now();
    run()?;
    Ok(start.elapsed().as_secs_f64())
}

/// The time that the processor has spent on this program so far.
#[cfg(unix)]
pub(super) fn processor() -> Option<Duration> {
    spent(rustix::time::ClockId::ProcessCPUTime)
}

/// The same for the thread that asks.
#[cfg(unix)]
pub(super) fn of_thread() -> Option<Duration> {
    spent(rustix::time::ClockId::ThreadCPUTime)
}

#[cfg(unix)]
fn spent(clock: rustix::time::ClockId) -> Option<Duration> {
    let time = rustix::time::clock_gettime(clock);
    Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
}

#[cfg(not(unix))]
pub(super) fn processor() -> Option<Duration> {
    None
}

#[cfg(not(unix))]
pub(super) fn of_thread() -> Option<Duration> {
    None
}

/// What was measured in turn: what it is compared with, then the thing itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs(Vec<[f64; 2]>);

impl Pairs {
    /// Measures both once more.
    pub(super) fn measure(
        &mut self,
        base: impl FnOnce() -> anyhow::Result<()>,
        other: impl FnOnce() -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.add(seconds(base)?, seconds(other)?);
        Ok(())
    }

    /// Measures both once more, by the clock on the wall.
    pub(super) fn measure_by_wall(
        &mut self,
        base: impl FnOnce() -> anyhow::Result<()>,
        other: impl FnOnce() -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.add(wall_seconds(base)?, wall_seconds(other)?);
        Ok(())
    }

    /// Adds what was measured elsewhere, one right after the other.
    pub(super) fn add(&mut self, base: f64, other: f64) {
        self.0.push([base, other]);
    }

    /// The seconds of what it is compared with.
    pub(super) fn base(&self) -> Quartiles {
        Quartiles::of(self.0.iter().map(|pair| pair[0]))
    }

    /// The seconds of the thing itself.
    pub(super) fn other(&self) -> Quartiles {
        Quartiles::of(self.0.iter().map(|pair| pair[1]))
    }

    /// How many times as long it takes.
    pub(super) fn ratio(&self) -> Quartiles {
        Quartiles::of(self.0.iter().map(|[base, other]| other / base))
    }
}

/// The middle of some numbers, and between which numbers half of them are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Quartiles {
    pub(super) low: f64,
    pub(super) median: f64,
    pub(super) high: f64,
}

impl Quartiles {
    /// Between two neighbours, quartiles are in proportion. Of no numbers they are none.
    pub(super) fn of(numbers: impl IntoIterator<Item = f64>) -> Quartiles {
        let mut sorted: Vec<f64> = numbers.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
            let place = share * last as f64;
            let (below, part) = (place.floor() as usize, place.fract());
            sorted[below] * (1.0 - part) + sorted[(below + 1).min(last)] * part
        };
        Quartiles { low: at(0.25), median: at(0.5), high: at(0.75) }
    }
}

impl std::fmt::Display for Quartiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2} ({:.2} to {:.2})", self.median, self.low, self.high)
    }
}

impl From<Quartiles> for serde_json::Value {
    fn from(Quartiles { low, median, high }: Quartiles) -> serde_json::Value {
        serde_json::json!({ "median": median, "quartiles": [low, high] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_that_of_pairs_and_not_of_the_fastest() {
        let mut pairs = Pairs::default();
        // A machine that becomes slower and slower: each pair says 2, the fastest of each would say so by luck only.
        for load in [1.0, 3.0, 9.0] {
            pairs.add(load, 2.0 * load);
        }
        assert_eq!(pairs.ratio(), Quartiles { low: 2.0, median: 2.0, high: 2.0 });
        assert_eq!(pairs.base(), Quartiles { low: 2.0, median: 3.0, high: 6.0 });
    }
}
