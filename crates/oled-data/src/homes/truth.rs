//! Truth: the rules of `tasks/homes/theories/true.lp`, transcribed.
//!
//! The same rules twice, so that the recogniser and this file check each other: a test runs `true.lp` over the narrative
//! and expects these labels. The first six activities persist: what begins goes on until something ends it. The last three
//! are there exactly while their conditions are.

use super::house::Minute;
use super::house::Sensor::{
    BathroomLight, Bed, Closet, Fridge, FrontDoor, HallMotion, KitchenMotion, Lid, Shower, Sofa, Stove, Tv,
};

/// What is labelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activity {
    Sleeping,
    Out,
    WatchingTv,
    Cooking,
    Snack,
    Showering,
    Toileting,
    MakingTea,
    Tidying,
}

impl Activity {
    /// All activities, with the names that they have in the stream.
    pub(super) const ALL: [(Activity, &str); 9] = [
        (Activity::Sleeping, "sleeping"),
        (Activity::Out, "out"),
        (Activity::WatchingTv, "watching_tv"),
        (Activity::Cooking, "cooking"),
        (Activity::Snack, "snack"),
        (Activity::Showering, "showering"),
        (Activity::Toileting, "toileting"),
        (Activity::MakingTea, "making_tea"),
        (Activity::Tidying, "tidying"),
    ];

    /// At which minutes of a day it is the case.
    pub(super) fn holds(self, day: &[Minute]) -> Vec<bool> {
        let mut holds = false;
        let mut before = day.first();
        let mut all = Vec::with_capacity(day.len());
        for now in day {
            let moment = Moment { before: before.unwrap_or(now), now };
            all.push(moment.during(self).unwrap_or(holds));
            // What begins in this minute holds from the next one on.
            holds = moment.begins(self) || holds && !moment.ends(self);
            before = Some(now);
        }
        all
    }
}

/// A minute and the one before it, by which changes are known.
struct Moment<'a> {
    before: &'a Minute,
    now: &'a Minute,
}

impl Moment<'_> {
    fn during(&self, activity: Activity) -> Option<bool> {
        let on = self.now.on;
        match activity {
            // on(bathroom_light), on(lid)
            Activity::Toileting => Some(on.has(BathroomLight) && on.has(Lid)),
            // draws 1000, on(kitchen_motion)
            Activity::MakingTea => Some(self.now.power >= 1000 && on.has(KitchenMotion)),
            // on(closet), on(hall_motion), not on(front_door)
            Activity::Tidying => Some(on.has(Closet) && on.has(HallMotion) && !on.has(FrontDoor)),
            _ => None,
        }
    }

    fn begins(&self, activity: Activity) -> bool {
        let (before, on) = (self.before.on, self.now.on);
        match activity {
            // on(bed), dark 30
            Activity::Sleeping => on.has(Bed) && self.now.lux <= 30,
            // off(front_door), not on(hall_motion)
            Activity::Out => before.has(FrontDoor) && !on.has(FrontDoor) && !on.has(HallMotion),
            // on(tv), on(sofa)
            Activity::WatchingTv => on.has(Tv) && on.has(Sofa),
            // on(stove), on(kitchen_motion)
            Activity::Cooking => on.has(Stove) && on.has(KitchenMotion),
            // happens: on(fridge); not on(stove)
            Activity::Snack => !before.has(Fridge) && on.has(Fridge) && !on.has(Stove),
            // on(shower), humid 70
            Activity::Showering => on.has(Shower) && self.now.humidity >= 700,
            Activity::Toileting | Activity::MakingTea | Activity::Tidying => false,
        }
    }

    fn ends(&self, activity: Activity) -> bool {
        let (before, on) = (self.before.on, self.now.on);
        match activity {
            // happens: off(bed)  |  bright 60
            Activity::Sleeping => before.has(Bed) && !on.has(Bed) || self.now.lux > 60,
            // on(hall_motion)
            Activity::Out => on.has(HallMotion),
            // happens: off(tv)  |  on(bed)
            Activity::WatchingTv => before.has(Tv) && !on.has(Tv) || on.has(Bed),
            // happens: off(stove)  |  on(sofa)
            Activity::Cooking => before.has(Stove) && !on.has(Stove) || on.has(Sofa),
            // happens: off(fridge)  |  not on(kitchen_motion)
            Activity::Snack => before.has(Fridge) && !on.has(Fridge) || !on.has(KitchenMotion),
            // happens: off(shower)  |  dry 60
            Activity::Showering => before.has(Shower) && !on.has(Shower) || self.now.humidity < 600,
            Activity::Toileting | Activity::MakingTea | Activity::Tidying => false,
        }
    }
}
