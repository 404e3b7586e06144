//! Resident: what somebody does at home from three in the morning to three in the morning, minute by minute.
//!
//! Every activity is written as what the resident switches on and off and how long that takes. Now and then the last step
//! is forgotten: something stays on until the resident comes by again, and the usual end of an activity does not come.

use super::house::Sensor::{
    BathroomLight, BathroomTap, Bed, Closet, Flush, Fridge, FrontDoor, KitchenTap, Lid, Shower, Sofa, Stove, Tv,
};
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

    // ---- in bed

    /// Lies in the dark up to a minute of the day, with a way to the bathroom now and then.
    fn sleep(&mut self, until: i64) {
        while self.now() < until {
            self.enter(Room::Bedroom);
            self.on(Bed);
            let rest = self.random.int(60, 420).min(until - self.now());
            self.pass(rest);
            if self.now() < until {
                self.off(Bed);
                self.pass(1);
                self.toilet();
            }
        }
    }

    fn get_up(&mut self) {
        // Something heavy is put on the bed.
        self.off_or_forgotten(Bed);
        if !self.on.has(Bed) {
            self.pass(1);
        }
        self.curtains_open = true;
        self.spend(1, 2);
        if self.on.has(Bed) {
            self.spend(5, 30);
            self.off(Bed);
            self.pass(1);
        }
    }

    /// Sits on the bed in the light, to dress or to rest.
    fn sit_on_bed(&mut self) {
        self.enter(Room::Bedroom);
        if share_of_daylight(self.now()) < 0.5 {
            self.lamp = self.random.int(110, 180);
        }
        self.on(Bed);
        self.spend(2, 5);
        self.off(Bed);
        self.pass(1);
        self.lamp = 0;
    }

    fn go_to_bed(&mut self) {
        self.toilet();
        self.enter(Room::Bedroom);
        self.curtains_open = false;
        self.lamp = self.random.int(110, 180);
        self.spend(1, 3);
        self.on(Bed);
        // Reads, or not.
        let minutes = if self.random.chance(0.5) { self.random.int(5, 40) } else { 1 };
        self.pass(minutes);
        self.lamp = 0;
    }

    fn nap(&mut self) {
        self.enter(Room::Bedroom);
        self.curtains_open = false;
        self.on(Bed);
        self.spend(20, 60);
        self.get_up();
    }

    // ---- in the bathroom

    fn toilet(&mut self) {
        self.relieved = self.now();
        self.enter(Room::Bathroom);
        self.on(BathroomLight);
        if self.random.chance(0.2) {
            self.pass(1);
        }
        self.on(Lid);
        self.spend(1, 4);
        self.on(Flush);
        self.pass(1);
        self.off(Flush);
        // One of the two at most, so that the other one is the end.
        let lid_stays = !self.off_or_forgotten(Lid);
        if self.random.chance(0.7) {
            self.on(BathroomTap);
            self.pass(1);
            self.off(BathroomTap);
        }
        if lid_stays {
            self.off(BathroomLight);
        } else {
            self.off_or_forgotten(BathroomLight);
        }
        self.leave();
    }

    fn shower(&mut self) {
        self.enter(Room::Bathroom);
        self.on(BathroomLight);
        self.pass(1);
        self.on(Shower);
        self.steam = Some(self.random.real(0.18, 0.32));
        self.spend(5, 12);
        self.steam = None;
        // It may drip.
        self.off_or_forgotten(Shower);
        self.spend(2, 6);
        self.off(BathroomLight);
        self.leave();
    }

    /// Runs cold water in the shower, to clean it.
    fn rinse(&mut self) {
        self.enter(Room::Bathroom);
        self.on(BathroomLight);
        self.on(Shower);
        self.steam = Some(0.06);
        self.spend(1, 4);
        self.steam = None;
        self.off(Shower);
        self.pass(1);
        self.off(BathroomLight);
        self.leave();
    }

    // ---- in the kitchen

    fn cook(&mut self) {
        self.enter(Room::Kitchen);
        if self.random.chance(0.5) {
            self.spend(1, 3);
        }
        self.on(Stove);
        self.spend(3, 10);
        if self.random.chance(0.6) {
            // What is in the fridge now goes into the pot.
            self.on(Fridge);
            self.pass(1);
            self.off(Fridge);
        }
        self.spend(3, 10);
        if self.random.chance(0.25) {
            self.toilet();
            self.enter(Room::Kitchen);
        }
        self.spend(2, 10);
        if self.off_or_forgotten(Stove) {
            self.spend(2, 5);
        } else {
            self.sit();
        }
        self.wash_up();
    }

    fn snack(&mut self) {
        self.enter(Room::Kitchen);
        if self.random.chance(0.5) {
            self.pass(1);
        }
        self.on(Fridge);
        self.spend(2, 6);
        if self.off_or_forgotten(Fridge) {
            self.spend(1, 3);
        }
        self.leave();
    }

    fn tea(&mut self) {
        self.enter(Room::Kitchen);
        self.pass(1);
        self.kettle = Kettle::Boils;
        let minutes = self.random.int(2, 5);
        // Somebody who does not wait for the kettle does not hear it either.
        if self.random.chance(FORGETS) {
            self.pass(minutes - 1);
            self.enter(Room::Living);
            self.spend(1, 2);
        } else {
            self.pass(minutes);
        }
        self.kettle = if self.random.chance(0.3) { Kettle::KeepsWarm } else { Kettle::Off };
        self.enter(Room::Kitchen);
        self.spend(1, 8);
        self.kettle = Kettle::Off;
        self.leave();
    }

    fn wash_up(&mut self) {
        self.enter(Room::Kitchen);
        self.on(KitchenTap);
        self.spend(1, 5);
        self.off(KitchenTap);
        self.leave();
    }

    /// Moves about in the kitchen while the television runs next door.
    fn radio(&mut self) {
        self.enter(Room::Living);
        self.on(Tv);
        self.pass(1);
        self.enter(Room::Kitchen);
        self.spend(5, 20);
        self.enter(Room::Living);
        self.off(Tv);
        self.leave();
    }

    // ---- in the living room

    fn watch(&mut self) {
        self.enter(Room::Living);
        let sits_first = self.random.chance(0.5);
        self.on(if sits_first { Sofa } else { Tv });
        self.spend(1, 2);
        self.on(Tv);
        self.on(Sofa);
        self.spend(20, 70);
        if self.random.chance(0.5) {
            // Something else in between; the television goes on, and so does watching.
            self.off(Sofa);
            if self.random.chance(0.5) {
                self.toilet();
            } else {
                self.snack();
            }
            self.enter(Room::Living);
            self.on(Sofa);
            self.spend(10, 40);
        }
        self.off_or_forgotten(Tv);
        self.off(Sofa);
        if self.on.has(Tv) {
            self.sit_on_bed();
        }
        self.leave();
    }

    /// On the sofa, without television.
    fn sit(&mut self) {
        self.enter(Room::Living);
        self.on(Sofa);
        self.spend(8, 40);
        self.off(Sofa);
        self.pass(1);
    }

    fn potter(&mut self) {
        let living = self.random.chance(0.7);
        self.enter(if living { Room::Living } else { Room::Bedroom });
        self.spend(5, 30);
    }

    // ---- in the hall

    fn tidy(&mut self) {
        self.enter(Room::Hall);
        self.pass(1);
        self.on(Closet);
        self.spend(4, 12);
        self.off_or_forgotten(Closet);
        self.leave();
    }

    fn go_out(&mut self) {
        self.outings += 1;
        self.through_the_door();
        self.room = Room::Outside;
        let long = self.random.chance(0.4);
        let minutes = if long { self.random.int(150, 420) } else { self.random.int(15, 90) };
        self.pass(minutes.min((at(21, 30) - self.now()).max(15)));
        self.through_the_door();
        self.pass(1);
    }

    /// Takes or hangs up a coat while the front door is open; it is closed from where the resident goes.
    fn through_the_door(&mut self) {
        self.enter(Room::Hall);
        self.on(FrontDoor);
        let coat = self.random.chance(0.7);
        if coat {
            self.on(Closet);
        }
        self.spend(1, 2);
        self.off(FrontDoor);
        self.off(Closet);
    }

    fn open_to_somebody(&mut self) {
        self.enter(Room::Hall);
        self.on(FrontDoor);
        self.spend(1, 4);
        self.off(FrontDoor);
        self.spend(1, 2);
        self.leave();
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
