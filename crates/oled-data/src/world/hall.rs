//! A hall with doors, where people come and go and play their scenes: the world before any noise.

use super::body::{Body, Movement, Point};
use super::random::Random;
use super::scene::{Act, Stage};
use super::slots::Slots;

/// The size of a hall: a small camera image.
pub(super) const WIDTH: f64 = 384.0;
pub(super) const HEIGHT: f64 = 288.0;

const DOORS: [Point; 4] = [
    Point { x: 3.0, y: 150.0 },
    Point { x: 380.0, y: 110.0 },
    Point { x: 110.0, y: 3.0 },
    Point { x: 270.0, y: 284.0 },
];

/// Whoever is missing from the mean number of people comes at this rate per frame.
const ARRIVAL: f64 = 1.0 / 60.0;
/// How long people stay on average, waiting for the end of their last scene included.
const STAY: f64 = 1_100.0;

/// A person in the hall.
#[derive(Clone, Copy, Debug)]
pub(super) struct Person {
    pub(super) body: Body,
    pub(super) act: Act,
    /// Walking speed in pixels a frame.
    pub(super) pace: f64,
    /// When they have had enough of the place.
    pub(super) leaves: i64,
    appears: bool,
    pub(super) gone: bool,
}

/// An object that somebody put down.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bag {
    pub(super) at: Point,
    /// When somebody takes it away.
    pub(super) until: i64,
    appears: bool,
}

impl Bag {
    pub(super) fn new(at: Point, until: i64) -> Bag {
        Bag { at, until, appears: true }
    }
}

/// Who or what is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Who {
    Person(usize),
    Object(usize),
}

/// What is to be seen of one entity in one frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sighting {
    pub(super) who: Who,
    pub(super) movement: Movement,
    pub(super) appears: bool,
    pub(super) disappears: bool,
    /// The exact place; [`Sighting::pixel`] is what the narrative has.
    pub(super) at: Point,
    /// In degrees; objects have none.
    pub(super) heading: Option<i32>,
}

impl Sighting {
    /// The place in whole pixels.
    pub(super) fn pixel(&self) -> (i64, i64) {
        ((self.at.x + 0.5).floor() as i64, (self.at.y + 0.5).floor() as i64)
    }
}

/// One hall with everybody in it.
#[derive(Clone, Debug)]
pub(super) struct Hall {
    pub(super) random: Random,
    pub(super) now: i64,
    pub(super) people: Slots<Person>,
    pub(super) bags: Slots<Bag>,
    mean: f64,
}

impl Hall {
    /// A hall with so many people on average.
    pub(super) fn new(mean: f64, random: Random) -> Hall {
        let mut hall = Hall { random, now: 0, people: Slots::default(), bags: Slots::default(), mean };
        let whole = mean.floor();
        let first = whole as usize + usize::from(hall.random.chance(mean - whole));
        for _ in 0..first {
            let (at, stay) = (hall.spot(), hall.random.int(100, 1_200));
            hall.enter(at, stay);
        }
        if first >= 2 && hall.random.chance(0.6) {
            hall.start_in_conversation(0, 1);
        }
        hall
    }

    /// When the camera is switched on, these two are talking. They are active, since only objects appear inactive.
    fn start_in_conversation(&mut self, a: usize, b: usize) {
        let (until, middle) = (self.random.int(30, 200), self.spot());
        let half = self.random.real(6.0, 11.0);
        for (who, side) in [(a, -half), (b, half)] {
            let active = self.random.int(5, 40);
            if let Some(person) = self.people.get_mut(who) {
                person.body = Body::new(middle.plus(Point::new(side, side * 0.3), 1.0), middle);
                person.body.start_active(active);
            }
        }
        self.pair(a, b, Stage::Talk { until }, Stage::Talk { until });
    }

    /// One frame: everybody who is done decides anew, everybody moves, and all that is to be seen goes to `sightings`.
    pub(super) fn step(&mut self, sightings: &mut Vec<Sighting>) {
        if self.now > 0 {
            self.arrivals();
        }
        for i in self.people.numbers() {
            self.decide(i);
        }
        for i in self.people.numbers() {
            self.perform(i);
        }
        self.look(sightings);
        self.now += 1;
    }

    fn look(&mut self, sightings: &mut Vec<Sighting>) {
        sightings.clear();
        for who in self.people.numbers() {
            let Some(person) = self.people.get_mut(who) else { continue };
            let Person { body, appears, gone, .. } = *person;
            person.appears = false;
            let heading = Some(body.degrees());
            let who_is = Who::Person(who);
            sightings.push(Sighting {
                who: who_is,
                movement: body.movement,
                appears,
                disappears: gone,
                at: body.at,
                heading,
            });
            if gone {
                self.people.remove(self.now, who);
            }
        }
        for what in self.bags.numbers() {
            let Some(bag) = self.bags.get_mut(what) else { continue };
            let (Bag { at, appears, .. }, disappears) = (*bag, self.now >= bag.until);
            bag.appears = false;
            let (who, movement) = (Who::Object(what), Movement::Inactive);
            sightings.push(Sighting { who, movement, appears, disappears, at, heading: None });
            if disappears {
                self.bags.remove(self.now, what);
            }
        }
    }

    /// People come at a rate that keeps their number around the mean.
    fn arrivals(&mut self) {
        // In balance, arrivals `ARRIVAL * (wanted - present)` equal departures `present / STAY`.
        let wanted = self.mean * (1.0 + 1.0 / (ARRIVAL * STAY));
        let missing = wanted - self.people.len() as f64;
        // One draw a frame, whatever happens.
        let draw = self.random.unit();
        if draw >= ARRIVAL * missing {
            return;
        }
        let door = self.door();
        let stay = self.random.int(300, 1_200);
        let first = self.enter(door, stay);
        if missing > 1.5 && self.random.chance(0.3) {
            let inward = Body::new(door, Point::new(WIDTH / 2.0, HEIGHT / 2.0)).way;
            let beside = door.plus(inward.aside(), self.random.real(12.0, 20.0));
            let second = self.enter(beside, stay);
            self.together(first, second);
        }
    }

    fn enter(&mut self, at: Point, stay: i64) -> usize {
        let to = self.spot();
        let pace = self.random.real(1.0, 2.2);
        let leaves = self.now + stay;
        // Newcomers walk: only objects appear without moving.
        let act = Act::Walk { to };
        let body = Body::new(at, to);
        self.people.insert(self.now, Person { body, act, pace, leaves, appears: true, gone: false })
    }

    /// Lets two people walk side by side to a spot; the first leads.
    pub(super) fn together(&mut self, lead: usize, other: usize) {
        let (to, side) = (self.spot(), self.random.real(12.0, 24.0));
        let side = if self.random.chance(0.5) { side } else { -side };
        self.pair(lead, other, Stage::Lead { to }, Stage::Beside { side });
    }

    /// Lets two people act together.
    pub(super) fn pair(&mut self, lead: usize, other: usize, leads: Stage, others: Stage) {
        self.set(lead, Act::Pair { with: other, lead: true, stage: leads });
        self.set(other, Act::Pair { with: lead, lead: false, stage: others });
    }

    pub(super) fn set(&mut self, who: usize, act: Act) {
        if let Some(person) = self.people.get_mut(who) {
            person.act = act;
        }
    }

    /// Any place with some distance from the walls.
    pub(super) fn spot(&mut self) -> Point {
        Point::new(self.random.real(30.0, WIDTH - 30.0), self.random.real(30.0, HEIGHT - 30.0))
    }

    /// A place at some distance from another.
    pub(super) fn spot_away(&mut self, from: Point, nearest: f64, farthest: f64) -> Point {
        // Even from a corner, a good part of the hall lies between the two distances, so that this ends soon.
        debug_assert!(nearest <= 80.0 && farthest >= nearest + 40.0);
        loop {
            let spot = self.spot();
            if (nearest..farthest).contains(&spot.distance(from)) {
                return spot;
            }
        }
    }

    pub(super) fn door(&mut self) -> Point {
        DOORS[self.random.below(DOORS.len() as u64) as usize]
    }
}
