//! Extension: the items of which a condition is true, one bit each.
//!
//! Whether a rule may be, and where it fires, is asked of many bodies that share their conditions; so each condition is
//! looked up once, and a body is a matter of a few words.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::classes::{Classes, Condition};
use super::layout::set_bits;

/// A bit for each item.
pub(crate) type Bits = Rc<[u64]>;

/// The extensions of conditions in some classes, as far as somebody wanted to know them.
pub(crate) struct Extensions<'a> {
    classes: &'a Classes,
    /// The class of each item.
    class_of: Vec<u32>,
    /// The places of slots with few of them, item by item, once a threshold was asked for: in the classes they are as far from each
    /// other as items are long, and looking for them there was a fifth of what a search took. Half as much memory as there.
    places: Vec<OnceCell<Box<[u8]>>>,
    known: RefCell<IndexMap<Condition, Bits, FxBuildHasher>>,
}

/// A bit for each of at most sixty-four places that is below a cut.
fn below(places: &[u8], cut: u8) -> u64 {
    places.iter().enumerate().fold(0, |bits, (i, place)| bits | u64::from(*place < cut) << i)
}

impl<'a> Extensions<'a> {
    pub(crate) fn new(classes: &'a Classes) -> Extensions<'a> {
        let class_of = (0..classes.len() as u32).flat_map(|class| classes.items(class).map(move |_| class)).collect();
        let places = vec![OnceCell::new(); classes.slots()];
        Extensions { classes, class_of, places, known: RefCell::default() }
    }

    pub(crate) fn classes(&self) -> &'a Classes {
        self.classes
    }

    /// How many items there are.
    pub(crate) fn items(&self) -> usize {
        self.class_of.len()
    }

    /// The class of an item.
    pub(crate) fn class_of(&self, item: usize) -> u32 {
        self.class_of[item]
    }

    /// The items of which a condition is true.
    pub(crate) fn of(&self, condition: Condition) -> Bits {
        let mut known = self.known.borrow_mut();
        if let Some(bits) = known.get(&condition) {
            return bits.clone();
        }
        // No more memory than the items take themselves.
        if known.len() * self.words() > self.classes.size() {
            known.clear();
        }
        let bits = match self.places_of(condition) {
            Some((places, cut)) => places.chunks(64).map(|places| below(places, cut)).collect(),
            None => self.bits(|item| self.classes.meets(item, condition)),
        };
        known.insert(condition, bits.clone());
        bits
    }

    /// The places that the threshold of a condition is about, item by item, and where it cuts them.
    fn places_of(&self, condition: Condition) -> Option<(&[u8], u8)> {
        let Condition::Threshold(slot, cut) = condition else { return None };
        // The last place says that nothing was measured; it is below no cut.
        u8::try_from(self.classes.scales[slot as usize].len()).ok()?;
        let place = |item| self.classes.places(item)[slot as usize] as u8;
        let places = self.places[slot as usize].get_or_init(|| (0..self.items()).map(place).collect());
        Some((places, cut as u8))
    }

    /// The items of some classes.
    pub(crate) fn of_classes(&self, is: impl Fn(u32) -> bool) -> Bits {
        self.bits(|item| is(self.class_of[item]))
    }

    fn bits(&self, is: impl Fn(usize) -> bool) -> Bits {
        let word = |word: usize| {
            let items = word * 64..((word + 1) * 64).min(self.items());
            items.fold(0, |bits, item| bits | u64::from(is(item)) << (item % 64))
        };
        (0..self.words()).map(word).collect()
    }

    /// Those among some items of which all conditions of a body are true.
    pub(crate) fn among(&self, items: &[u64], body: &[Condition]) -> Vec<u64> {
        let mut left = items.to_vec();
        for condition in body {
            left.iter_mut().zip(&*self.of(*condition)).for_each(|(left, bits)| *left &= bits);
        }
        left
    }

    /// The items of which all conditions of a body are true.
    pub(crate) fn of_body(&self, body: &[Condition]) -> Vec<u64> {
        match body {
            [] => self.bits(|_| true).to_vec(),
            [first, rest @ ..] => self.among(&self.of(*first), rest),
        }
    }

    /// The classes of some items, each once.
    pub(crate) fn classes_of(&self, items: &[u64]) -> impl Iterator<Item = u32> {
        let mut last = None;
        let classes = set_bits(items).map(|item| self.class_of[item]);
        classes.filter(move |class| last.replace(*class) != Some(*class))
    }

    /// Whether a body is true in each class.
    pub(crate) fn cover(&self, body: &[Condition]) -> Vec<bool> {
        let mut cover = vec![false; self.classes.len()];
        self.classes_of(&self.of_body(body)).for_each(|class| cover[class as usize] = true);
        cover
    }

    fn words(&self) -> usize {
        self.items().div_ceil(64)
    }
}
