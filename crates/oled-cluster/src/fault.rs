//! Faults: a process that ends without a word at a chosen point, so that a test of going on afterwards needs no clock.

/// Which process ends, in which epoch, and at what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    process: usize,
    epoch: u64,
    moment: Moment,
}

/// At what it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// When there is something to do in the epoch, or in one after it.
    Work,
    /// When what was told of it is written, and nothing is kept yet. Of the first process.
    Written,
    /// When something is kept, in the epoch or in one after it. Of the first process.
    Kept,
}

/// The variable that asks for one, as `PROCESS:EPOCH:MOMENT`.
pub const FAULT: &str = "OLED_CLUSTER_FAULT";

impl Fault {
    /// The fault that the environment asks for, if any.
    pub fn asked_for() -> Option<Fault> {
        Fault::read(&std::env::var(FAULT).ok()?)
    }

    fn read(text: &str) -> Option<Fault> {
        let mut parts = text.split(':');
        let (process, epoch, moment) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?);
        let moment = match moment {
            "work" => Moment::Work,
            "written" => Moment::Written,
            "kept" => Moment::Kept,
            _ => return None,
        };
        Some(Fault { process, epoch, moment })
    }

    /// Ends the process if it is time. It ends as if it were killed: nothing is told, and nothing is brought to an end.
    pub(crate) fn strike(fault: Option<Fault>, process: usize, epoch: u64, moment: Moment) {
        if fault.is_some_and(|f| f.process == process && f.moment == moment && epoch >= f.epoch) {
            std::process::abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_read_as_it_is_written() {
        assert_eq!(Fault::read("1:3:work"), Some(Fault { process: 1, epoch: 3, moment: Moment::Work }));
        assert_eq!(Fault::read("1:3"), None);
        assert_eq!(Fault::read("1:3:lunch"), None);
    }
}
