//! Resident: what somebody does at home from three in the morning to three in the morning, minute by minute.
//!
//! Every activity is written as what the resident switches on and off and how long that takes. Now and then the last step
//! is forgotten: something stays on until the resident comes by again, and the usual end of an activity does not come.

mod activities;

use super::house::Sensor::{Bed, Sofa};
use super::house::{Minute, Room, Sensor, Sensors};
use crate::world::random::Random;

/// Minutes in a day, and so frames in a segment.
pub(super) const DAY: usize = 1440;

/// How often something is left on, open or running: about one time in eight, so that in twenty days even what is done once
/// a day ends in its unusual way two or three times.
const FORGETS: f64 = 0.12;

/// How often somebody who sits or lies is seen to move: seldom, as with real detectors of motion.
const STIRS: f64 = 0.15;

/// The clock in minutes since three in the morning.
const fn at(hour: i64, minute: i64) -> i64 {
    (hour - 3) * 60 + minute
}

/// A day of one resident as it is lived.
#[derive(Debug)]
pub(super) struct Resident {
    random: Random,
    day: Vec<Minute>,
    on: Sensors,
    /// What was left on.
    forgotten: Sensors,
    room: Room,
    /// Whether hot water runs in the bathroom, and by which share per minute it brings the air nearer to steam.
    steam: Option<f64>,
    humidity: f64,
    /// Of this day, where no water runs.
    usual_humidity: f64,
    kettle: Kettle,
    lamp: i64,
    curtains_open: bool,
    /// In full daylight, on this day.
    brightest: f64,
    /// When the resident was in the bathroom last.
    relieved: i64,
    outings: usize,
    meals: usize,
}

#[derive(Clone, Copy, Debug)]
enum Kettle {
    Off,
    Boils,
    KeepsWarm,
}

impl Resident {
    /// All minutes of a day.
    pub(super) fn day(mut random: Random) -> Vec<Minute> {
        let usual_humidity = random.real(42.0, 50.0);
        let brightest = random.real(250.0, 600.0);
        let mut resident = Resident {
            random,
            day: Vec::with_capacity(DAY),
            on: Sensors::default(),
            forgotten: Sensors::default(),
            room: Room::Bedroom,
            steam: None,
            humidity: usual_humidity,
            usual_humidity,
            kettle: Kettle::Off,
            lamp: 0,
            curtains_open: false,
            brightest,
            relieved: 0,
            outings: 0,
            meals: 0,
        };
        resident.live();
        resident.day.truncate(DAY);
        resident.day
    }

    fn live(&mut self) {
        // The earliest at which there is enough daylight, behind open curtains, to be no longer taken for the night.
        let wakes = self.random.int(at(6, 45), at(8, 30));
        self.sleep(wakes);
        self.get_up();
        self.morning();
        let bedtime = self.random.int(at(22, 0), at(24, 0));
        while self.now() < bedtime {
            self.something();
        }
        self.go_to_bed();
        self.sleep(DAY as i64);
    }

    fn morning(&mut self) {
        self.toilet();
        if self.random.chance(0.7) {
            self.shower();
        }
        if self.random.chance(0.6) {
            self.sit_on_bed();
        }
        self.tea();
        if self.random.chance(0.5) {
            self.snack();
        }
    }

    /// Whatever comes next in the course of the day.
    fn something(&mut self) {
        let now = self.now();
        if now - self.relieved > 180 {
            self.toilet();
        } else if self.meals == 0 && now > at(11, 30) || self.meals == 1 && now > at(18, 0) {
            self.meals += 1;
            if self.random.chance(0.8) {
                self.cook();
            }
        } else {
            match self.random.below(100) {
                0..=8 => self.tea(),
                9..=18 => self.snack(),
                19..=21 => self.tidy(),
                22..=29 if self.outings < 2 && now < at(20, 0) => self.go_out(),
                30..=36 => self.watch(),
                37..=46 => self.sit(),
                47..=52 => self.toilet(),
                53..=56 => self.open_to_somebody(),
                57..=59 => self.rinse(),
                60..=63 => self.wash_up(),
                64..=67 if (at(13, 0)..at(16, 0)).contains(&now) => self.nap(),
                68..=70 => self.radio(),
                _ => self.potter(),
            }
        }
    }

    // ---- how time passes

    fn now(&self) -> i64 {
        self.day.len() as i64
    }

    fn on(&mut self, sensor: Sensor) {
        self.on.set(sensor, true);
        self.forgotten.set(sensor, false);
    }

    fn off(&mut self, sensor: Sensor) {
        self.on.set(sensor, false);
        self.forgotten.set(sensor, false);
    }

    /// Whether it was switched off. If not, it will be when the resident comes by again.
    fn off_or_forgotten(&mut self, sensor: Sensor) -> bool {
        let forgets = self.random.chance(FORGETS);
        self.on.set(sensor, forgets);
        self.forgotten.set(sensor, forgets);
        !forgets
    }

    /// Comes into a room, and sees what was left on in it.
    fn enter(&mut self, room: Room) {
        if room != self.room {
            for (sensor, _) in Sensor::ALL {
                if sensor.room() == room && self.forgotten.has(sensor) {
                    self.off(sensor);
                }
            }
        }
        self.room = room;
    }

    /// Goes on from a room for a moment, so that whatever is done next there begins with coming in.
    fn leave(&mut self) {
        self.enter(if self.room == Room::Living { Room::Bedroom } else { Room::Living });
        self.pass(1);
    }

    fn spend(&mut self, least: i64, most: i64) {
        let minutes = self.random.int(least, most);
        self.pass(minutes);
    }

    /// Lets so many minutes go by with everything as it is.
    fn pass(&mut self, minutes: i64) {
        for _ in 0..minutes {
            let minute = self.minute();
            self.day.push(minute);
        }
    }

    fn minute(&mut self) -> Minute {
        let mut on = self.on;
        let rests = on.has(Bed) && self.room == Room::Bedroom || on.has(Sofa) && self.room == Room::Living;
        let stirs = self.random.chance(STIRS);
        if let Some(motion) = Sensor::motion(self.room) {
            on.set(motion, !rests || stirs);
        }
        // The air takes on steam fast and loses it slowly: a bathroom is dry again after half an hour.
        self.humidity += match self.steam {
            Some(share) => (95.0 - self.humidity) * share,
            None => (self.usual_humidity - self.humidity) * 0.08,
        };
        let drift = self.random.real(-0.4, 0.4);
        let power = match self.kettle {
            Kettle::Off => self.random.int(0, 3),
            Kettle::Boils => self.random.int(1600, 2100),
            Kettle::KeepsWarm => self.random.int(200, 650),
        };
        let clouds = self.random.real(0.8, 1.0);
        let curtains = if self.curtains_open { 1.0 } else { 0.04 };
        let daylight = self.brightest * share_of_daylight(self.now()) * clouds * curtains;
        let lamp = if self.lamp == 0 { 0 } else { self.lamp + self.random.int(-5, 5) };
        let lux = daylight as i64 + lamp + self.random.int(0, 3);
        Minute { on, humidity: ((self.humidity + drift) * 10.0) as i64, power, lux }
    }
}

/// How light it is outside: dawn from six to eight, dusk from five to eight.
fn share_of_daylight(minute: i64) -> f64 {
    let (dawn, dusk) = ((minute - at(6, 0)) as f64 / 120.0, (at(20, 0) - minute) as f64 / 180.0);
    dawn.min(dusk).clamp(0.0, 1.0)
}
