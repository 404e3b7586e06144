//! Threads: so many work at a time; whoever has several things to do that do not wait for each other shares them with those that are
//! free.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};
use std::thread;

/// The threads that have nothing to do. What is worked out does not depend on how many there are.
#[derive(Debug)]
pub(crate) struct Threads {
    free: AtomicIsize,
}

impl Threads {
    /// So many may work, among them whoever asks for this.
    pub(crate) fn new(count: usize) -> Threads {
        Threads { free: AtomicIsize::new(count.max(1) as isize - 1) }
    }

    /// What a function gives for each number up to a count, in their order. Each time that it goes on to the next one, a thread that has
    /// become free meanwhile comes to help.
    pub(crate) fn side_by_side<T: Send>(&self, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let next = AtomicUsize::new(0);
        let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < count);
        let is_left = || next.load(Ordering::Relaxed) < count;
        let help = || {
            let done: Vec<(usize, T)> = std::iter::from_fn(take).map(|number| (number, work(number))).collect();
            self.free.fetch_add(1, Ordering::Relaxed);
            done
        };
        let mut done = thread::scope(|scope| {
            let (mut own, mut helpers) = (Vec::new(), Vec::new());
            while let Some(number) = take() {
                while is_left() && self.is_one_free() {
                    helpers.push(scope.spawn(help));
                }
                own.push((number, work(number)));
            }
            // Whoever waits leaves its place to others.
            self.free.fetch_add(1, Ordering::Relaxed);
            for helper in helpers {
                own.extend(helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            self.free.fetch_sub(1, Ordering::Relaxed);
            own
        });
        done.sort_by_key(|(number, _)| *number);
        done.into_iter().map(|(_, result)| result).collect()
    }

    /// Takes a thread that has nothing to do, if there is one.
    fn is_one_free(&self) -> bool {
        let taken = self.free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |free| (free > 0).then_some(free - 1));
        taken.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_threads_gives_the_same_and_no_more_work_than_may() {
        for count in [1, 2, 5] {
            let threads = Threads::new(count);
            let (at_work, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let work = |number: usize| {
                most.fetch_max(at_work.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                let sum = (0..10_000 * (number as u64 % 3)).fold(0_u64, |sum, n| std::hint::black_box(sum + n));
                at_work.fetch_sub(1, Ordering::SeqCst);
                (number, sum)
            };
            let outer = threads.side_by_side(7, |a| threads.side_by_side(a % 4, |b| work(10 * a + b)));
            let expected: Vec<Vec<_>> = (0..7).map(|a| (0..a % 4).map(|b| work(10 * a + b)).collect()).collect();
            assert_eq!(outer, expected);
            // Whoever waited goes on at once when its helpers have ended, while another may have its place for a moment.
            assert!(most.load(Ordering::SeqCst) <= 2 * count, "{count}");
            assert_eq!(threads.free.load(Ordering::SeqCst), count as isize - 1, "all are free again");
        }
    }

    #[test]
    #[should_panic(expected = "three")]
    fn a_panic_is_handed_on() {
        Threads::new(4).side_by_side(8, |number| assert!(number != 3, "three"));
    }
}
