//! Shards: the segments of one worker, by shards that are the same for any number of workers.

use std::collections::BTreeMap;

use oled::Symbol;
use oled::partition::{Worker, owner};

use crate::flow::Make;
use crate::parcel::{Answer, Deed, Parcel};

/// As many workers can be of use. With more a shard costs more than it spreads: each has rules and a memory of its own.
pub const SHARDS: usize = 64;

/// The shard of a segment.
pub fn shard(segment: Symbol) -> u64 {
    owner(segment, SHARDS) as u64
}

/// The shards of one worker that have seen a frame.
pub(crate) struct Shards {
    make: Make,
    shards: BTreeMap<u64, Box<dyn Worker>>,
}

impl Shards {
    pub(crate) fn new(make: Make) -> Shards {
        Shards { make, shards: BTreeMap::new() }
    }

    /// Does what there is to do in an epoch. What comes after an error is not done.
    pub(crate) fn work(&mut self, mut parcels: Vec<Parcel>, mut answer: impl FnMut(Answer)) {
        parcels.sort_by_key(|parcel| parcel.shard);
        let mut told = Vec::new();
        for Parcel { shard, deeds } in parcels {
            for deed in deeds {
                let deed = match deed {
                    Deed::Pass(piece) => {
                        answer(Answer::Piece(piece));
                        continue;
                    }
                    // A shard that has seen nothing has nothing to say.
                    Deed::Save | Deed::End if !self.shards.contains_key(&shard) => continue,
                    deed => deed,
                };
                let worker = self.shards.entry(shard).or_insert_with(|| (self.make)());
                let failed = match deed {
                    Deed::Restore(state) => worker.restore(&state).err().map(|error| (0, error.to_string())),
                    Deed::Over(segment, place) => {
                        worker.over(segment, &place, &mut told);
                        None
                    }
                    Deed::Frame(frame, place) => {
                        worker.frame(&frame, &place, &mut told).err().map(|error| (place.frame, error))
                    }
                    Deed::End => {
                        worker.end(&mut told);
                        None
                    }
                    Deed::Save => {
                        answer(Answer::State(shard, worker.save()));
                        None
                    }
                    Deed::Pass(_) => None,
                };
                if let Some((frame, error)) = failed {
                    answer(Answer::Failed(frame, error));
                    break;
                }
            }
            told.drain(..).for_each(|told| answer(Answer::Told(told)));
        }
    }
}
