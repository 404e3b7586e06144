//! Faults: a stream with faults that are known exactly, to see whether whoever reads it counts them right.
//!
//! Lines of a stream come late, twice, or damaged, by a seed. A line has at most one fault, a late one stays within its
//! segment, and a damaged one is a copy: without the faults the stream is as it was.

use std::fmt;

use oled::{Frame, Symbol};

use super::random::Random;

/// Shares of the lines that have a fault.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Faults {
    /// Come late, by up to `delay` time units.
    pub late: f64,
    /// How late they are at most.
    pub delay: u64,
    /// Come twice.
    pub duplicate: f64,
    /// Come a second time, cut off in the middle.
    pub malformed: f64,
}

/// Spoils lines, one for each frame, and counts what it does.
#[derive(Debug)]
pub struct FaultInjector {
    faults: Faults,
    random: Random,
    /// The newest time that was written, and its segment.
    newest: Option<(Symbol, i64)>,
    /// Lines that are held back: when they come, their times, and they themselves.
    held: Vec<(i64, i64, String)>,
    counts: InjectedFaults,
}

/// What an injector did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InjectedFaults {
    /// Lines, those that came twice or damaged counted twice.
    pub lines: u64,
    /// How many lines were late, by how much: the number at place N is that of lines that were N time units late.
    pub late: Vec<u64>,
    /// Lines that came twice.
    pub duplicate: u64,
    /// Lines that were damaged.
    pub malformed: u64,
}

impl InjectedFaults {
    /// How many lines were late by at most so many time units, and by more.
    pub fn late_by(&self, lateness: u64) -> (u64, u64) {
        let bound = usize::try_from(lateness).unwrap_or(usize::MAX).saturating_add(1).min(self.late.len());
        let (within, beyond) = self.late.split_at(bound);
        (within.iter().sum(), beyond.iter().sum())
    }
}

impl fmt::Display for InjectedFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let late: u64 = self.late.iter().sum();
        write!(f, "{} lines: {late} late", self.lines)?;
        let by = self.late.iter().enumerate().filter(|(_, count)| **count > 0);
        let by: Vec<String> = by.map(|(units, count)| format!("{count} by {units}")).collect();
        if !by.is_empty() {
            write!(f, " ({})", by.join(", "))?;
        }
        write!(f, ", {} twice, {} malformed", self.duplicate, self.malformed)
    }
}

impl FaultInjector {
    /// An injector by a seed.
    pub fn new(faults: Faults, seed: u64) -> FaultInjector {
        FaultInjector {
            faults,
            random: Random::new(seed, &[0x5901]),
            newest: None,
            held: Vec::new(),
            counts: InjectedFaults::default(),
        }
    }

    /// Takes the line of a frame; `write` gets the lines that come now.
    pub fn take<E>(
        &mut self,
        frame: &Frame,
        line: &str,
        mut write: impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.newest.is_some_and(|(segment, _)| segment != frame.segment) {
            self.release(i64::MAX, &mut write)?;
            self.newest = None;
        }
        let Faults { late, delay, duplicate, malformed } = self.faults;
        let lot = self.random.unit();
        // The first line of a segment is never late: nothing would be before it.
        if lot < late && delay > 0 && self.newest.is_some() {
            let by = 1 + self.random.below(delay) as i64;
            self.held.push((frame.time.saturating_add(by), frame.time, line.to_string()));
            return Ok(());
        }
        // What comes before this frame comes now, or it would be later than it may be.
        self.release(frame.time.saturating_sub(1), &mut write)?;
        self.newest = Some((frame.segment, frame.time));
        self.put(line, &mut write)?;
        if (late..late + duplicate).contains(&lot) {
            self.counts.duplicate += 1;
            self.put(line, &mut write)?;
        } else if (late + duplicate..late + duplicate + malformed).contains(&lot) {
            self.counts.malformed += 1;
            let half: String = line.chars().take(line.chars().count() / 2).collect();
            self.put(&format!("{}\n", half.trim_end()), &mut write)?;
        }
        self.release(frame.time, &mut write)
    }

    /// Writes what is held back; returns what was done.
    pub fn finish<E>(mut self, mut write: impl FnMut(&str) -> Result<(), E>) -> Result<InjectedFaults, E> {
        self.release(i64::MAX, &mut write)?;
        Ok(self.counts)
    }

    /// Writes the lines that come by a time.
    fn release<E>(&mut self, time: i64, write: &mut impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        let (now, later) = std::mem::take(&mut self.held).into_iter().partition::<Vec<_>, _>(|(due, ..)| *due <= time);
        self.held = later;
        for (_, own, line) in now {
            let newest = self.newest.map_or(own, |(_, newest)| newest.max(own));
            let by = usize::try_from(newest - own).unwrap_or(0);
            // At the end of a segment there may be nothing later any more: then it is in order.
            if by > 0 {
                self.counts.late.resize(self.counts.late.len().max(by + 1), 0);
                self.counts.late[by] += 1;
            }
            self.newest = self.newest.map(|(segment, _)| (segment, newest));
            self.put(&line, write)?;
        }
        Ok(())
    }

    fn put<E>(&mut self, line: &str, write: &mut impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        self.counts.lines += 1;
        write(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_frame_is_later_than_the_delay_says() {
        for (seed, step) in (0..50).flat_map(|seed| [(seed, 1), (seed, 3)]) {
            let faults = Faults { late: 0.4, delay: 10, ..Faults::default() };
            let mut injector = FaultInjector::new(faults, seed);
            let mut written = 0;
            let mut count = |_: &str| -> Result<(), ()> {
                written += 1;
                Ok(())
            };
            for time in 0..300 {
                injector.take(&Frame::new("main".into(), time * step), "{}\n", &mut count).unwrap();
            }
            let spoilt = injector.finish(&mut count).unwrap();
            assert!(spoilt.late.len() <= 11, "seed {seed}: {spoilt}");
            assert!(spoilt.late.iter().sum::<u64>() > 0, "seed {seed}: {spoilt}");
            assert_eq!(written, 300);
        }
    }
}
