//! Activities: what a resident switches on and off in each room, and how long that takes.

use super::{FORGETS, Kettle, Resident, at, share_of_daylight};
use crate::homes::house::Room;
use crate::homes::house::Sensor::{
    BathroomLight, BathroomTap, Bed, Closet, Flush, Fridge, FrontDoor, KitchenTap, Lid, Shower, Sofa, Stove, Tv,
};

impl Resident {
    // ---- in bed

    /// Lies in the dark up to a minute of the day, with a way to the bathroom now and then.
    pub(super) fn sleep(&mut self, until: i64) {
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

    pub(super) fn get_up(&mut self) {
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
    pub(super) fn sit_on_bed(&mut self) {
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

    pub(super) fn go_to_bed(&mut self) {
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

    pub(super) fn nap(&mut self) {
        self.enter(Room::Bedroom);
        self.curtains_open = false;
        self.on(Bed);
        self.spend(20, 60);
        self.get_up();
    }

    // ---- in the bathroom

    pub(super) fn toilet(&mut self) {
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

    pub(super) fn shower(&mut self) {
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
    pub(super) fn rinse(&mut self) {
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

    pub(super) fn cook(&mut self) {
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

    pub(super) fn snack(&mut self) {
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

    pub(super) fn tea(&mut self) {
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

    pub(super) fn wash_up(&mut self) {
        self.enter(Room::Kitchen);
        self.on(KitchenTap);
        self.spend(1, 5);
        self.off(KitchenTap);
        self.leave();
    }

    /// Moves about in the kitchen while the television runs next door.
    pub(super) fn radio(&mut self) {
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

    pub(super) fn watch(&mut self) {
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
    pub(super) fn sit(&mut self) {
        self.enter(Room::Living);
        self.on(Sofa);
        self.spend(8, 40);
        self.off(Sofa);
        self.pass(1);
    }

    pub(super) fn potter(&mut self) {
        let living = self.random.chance(0.7);
        self.enter(if living { Room::Living } else { Room::Bedroom });
        self.spend(5, 30);
    }

    // ---- in the hall

    pub(super) fn tidy(&mut self) {
        self.enter(Room::Hall);
        self.pass(1);
        self.on(Closet);
        self.spend(4, 12);
        self.off_or_forgotten(Closet);
        self.leave();
    }

    pub(super) fn go_out(&mut self) {
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

    pub(super) fn open_to_somebody(&mut self) {
        self.enter(Room::Hall);
        self.on(FrontDoor);
        self.spend(1, 4);
        self.off(FrontDoor);
        self.spend(1, 2);
        self.leave();
    }
}
