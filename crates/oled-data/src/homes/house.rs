//! House: its rooms, what is measured in them, and what all of it says in one minute.

/// Where the resident is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    Bedroom,
    Bathroom,
    Kitchen,
    Living,
    Hall,
    Outside,
}

/// What is either on or off: open, occupied, running, lit, or with somebody moving in front of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sensor {
    BedroomMotion,
    BathroomMotion,
    KitchenMotion,
    LivingMotion,
    HallMotion,
    Bed,
    Sofa,
    Tv,
    FrontDoor,
    Closet,
    Fridge,
    Stove,
    KitchenTap,
    BathroomLight,
    BathroomTap,
    Lid,
    Flush,
    Shower,
}

impl Sensor {
    /// All sensors, with the names that they have in the stream.
    pub(super) const ALL: [(Sensor, &str); 18] = [
        (Sensor::BedroomMotion, "bedroom_motion"),
        (Sensor::BathroomMotion, "bathroom_motion"),
        (Sensor::KitchenMotion, "kitchen_motion"),
        (Sensor::LivingMotion, "living_motion"),
        (Sensor::HallMotion, "hall_motion"),
        (Sensor::Bed, "bed"),
        (Sensor::Sofa, "sofa"),
        (Sensor::Tv, "tv"),
        (Sensor::FrontDoor, "front_door"),
        (Sensor::Closet, "closet"),
        (Sensor::Fridge, "fridge"),
        (Sensor::Stove, "stove"),
        (Sensor::KitchenTap, "kitchen_tap"),
        (Sensor::BathroomLight, "bathroom_light"),
        (Sensor::BathroomTap, "bathroom_tap"),
        (Sensor::Lid, "lid"),
        (Sensor::Flush, "flush"),
        (Sensor::Shower, "shower"),
    ];

    /// Where it can be reached.
    pub(super) fn room(self) -> Room {
        match self {
            Sensor::BedroomMotion | Sensor::Bed => Room::Bedroom,
            Sensor::KitchenMotion | Sensor::Fridge | Sensor::Stove | Sensor::KitchenTap => Room::Kitchen,
            Sensor::LivingMotion | Sensor::Sofa | Sensor::Tv => Room::Living,
            Sensor::HallMotion | Sensor::FrontDoor | Sensor::Closet => Room::Hall,
            Sensor::BathroomMotion
            | Sensor::BathroomLight
            | Sensor::BathroomTap
            | Sensor::Lid
            | Sensor::Flush
            | Sensor::Shower => Room::Bathroom,
        }
    }

    /// The one that sees somebody move in a room; nobody is watched outside.
    pub(super) fn motion(room: Room) -> Option<Sensor> {
        match room {
            Room::Bedroom => Some(Sensor::BedroomMotion),
            Room::Bathroom => Some(Sensor::BathroomMotion),
            Room::Kitchen => Some(Sensor::KitchenMotion),
            Room::Living => Some(Sensor::LivingMotion),
            Room::Hall => Some(Sensor::HallMotion),
            Room::Outside => None,
        }
    }
}

/// Sensors that are on: one bit each, in the order of [`Sensor::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sensors(u32);

impl Sensors {
    pub(super) fn has(self, sensor: Sensor) -> bool {
        self.0 >> sensor as u32 & 1 == 1
    }

    pub(super) fn set(&mut self, sensor: Sensor, on: bool) {
        self.0 = self.0 & !(1 << sensor as u32) | u32::from(on) << sensor as u32;
    }

    pub(super) fn toggle(&mut self, sensor: Sensor) {
        self.0 ^= 1 << sensor as u32;
    }
}

/// What a house says in one minute.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Minute {
    pub(super) on: Sensors,
    /// Of the air in the bathroom, in tenths of a percent: a whole number, so that rules see what the truth sees.
    pub(super) humidity: i64,
    /// Of the kettle, in watts.
    pub(super) power: i64,
    /// Of the light in the bedroom.
    pub(super) lux: i64,
}
