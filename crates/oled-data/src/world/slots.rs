//! Slots: numbered places, whose numbers become names.

use std::collections::VecDeque;

/// A number is given again once it has been vacant for this long (ten seconds), so that an endless segment needs no
/// endless supply of names, and yet nobody is taken for the one who left just now.
const REST: i64 = 250;

/// Things under small numbers.
#[derive(Clone, Debug)]
pub(super) struct Slots<T> {
    items: Vec<Option<T>>,
    /// The vacant numbers, and since when; the longest vacant first.
    vacant: VecDeque<(i64, usize)>,
    present: usize,
}

impl<T> Default for Slots<T> {
    fn default() -> Slots<T> {
        Slots { items: Vec::new(), vacant: VecDeque::new(), present: 0 }
    }
}

impl<T: Copy> Slots<T> {
    /// Adds a thing and returns its number.
    pub(super) fn insert(&mut self, now: i64, item: T) -> usize {
        self.present += 1;
        match self.vacant.front() {
            Some(&(since, number)) if now - since > REST => {
                self.vacant.pop_front();
                self.items[number] = Some(item);
                number
            }
            _ => {
                self.items.push(Some(item));
                self.items.len() - 1
            }
        }
    }

    pub(super) fn remove(&mut self, now: i64, number: usize) {
        if self.items[number].take().is_some() {
            self.present -= 1;
            self.vacant.push_back((now, number));
        }
    }

    pub(super) fn get(&self, number: usize) -> Option<T> {
        self.items[number]
    }

    pub(super) fn get_mut(&mut self, number: usize) -> Option<&mut T> {
        self.items[number].as_mut()
    }

    /// All numbers ever given, vacant or not.
    pub(super) fn numbers(&self) -> std::ops::Range<usize> {
        0..self.items.len()
    }

    /// The things that are there, in the order of their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        self.items.iter().enumerate().filter_map(|(i, item)| Some((i, item.as_ref()?)))
    }

    /// How many things there are.
    pub(super) fn len(&self) -> usize {
        self.present
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_rests_before_it_is_given_again() {
        let mut slots = Slots::default();
        assert_eq!([slots.insert(0, 'a'), slots.insert(0, 'b')], [0, 1]);
        slots.remove(10, 0);
        assert_eq!(slots.insert(10 + REST, 'c'), 2);
        assert_eq!(slots.insert(11 + REST, 'd'), 0);
        assert_eq!(slots.iter().map(|(_, c)| *c).collect::<String>(), "dbc");
        assert_eq!((slots.len(), slots.numbers()), (3, 0..3));
    }
}
