//! Scenes: what people do, one after the other or two at a time.
//!
//! ```text
//! walk · depart · pause · loiter · exit (walking or running) · stoop → rise → step away → fetch → mind
//!                                                                       └──→ exit
//! approach → talk → together → talk …      a pair of people, of whom one leads
//!      │       ├──→ quarrel → flee (and chase), or part
//!      └───────┴──→ part
//! ```

use super::body::{Movement, Point};
use super::hall::{Bag, HEIGHT, Hall, Person, WIDTH};

/// What a person is doing. Whoever acts in a pair never leaves the hall before the pair has parted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Act {
    /// Walks to a place.
    Walk { to: Point },
    /// Walks away from somebody, and is not to be held up.
    Depart { to: Point },
    /// Stands.
    Pause { until: i64 },
    /// Hangs about: stands or shuffles along, until the next turn.
    Loiter { until: i64, turn: i64, shuffle: Option<Shuffle> },
    /// Leaves by a door.
    Exit { door: Point, running: bool },
    /// Is about to put an object down.
    Stoop { until: i64 },
    /// Has put it down in this frame.
    Rise { bag: usize },
    /// Walks away from it.
    StepAway { to: Point, bag: usize },
    /// Goes back to it.
    Fetch { bag: usize },
    /// Stands with it, before taking it away.
    Mind { bag: usize, until: i64 },
    /// Does something with another person.
    Pair { with: usize, lead: bool, stage: Stage },
    /// Runs after somebody.
    Chase { after: usize, until: i64 },
}

/// Going somewhere so slowly that it is not called walking.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shuffle {
    to: Point,
    pace: f64,
}

/// What one does in a pair.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stage {
    /// Goes up to the other; they stop at this distance.
    Approach { gap: f64 },
    /// Waits for the other to come.
    Await,
    /// Stands face to face.
    Talk { until: i64 },
    /// Walks to a place, with the other beside.
    Lead { to: Point },
    /// Walks beside the other, at this distance to the left.
    Beside { side: f64 },
    /// Fights.
    Quarrel { until: i64 },
}

/// How near to an object one stops to take it.
const REACH: f64 = 9.0;

impl Hall {
    /// If a person's act is over, chooses the next; for a pair, the leader does.
    pub(super) fn decide(&mut self, i: usize) {
        let Some(person) = self.people.get(i) else { return };
        let (now, at) = (self.now, person.body.at);
        let arrived = |to: Point| at.distance(to) < 0.5;
        match person.act {
            Act::Walk { to } | Act::Depart { to } if arrived(to) => self.choose(i, &person),
            Act::Pause { until } | Act::Loiter { until, .. } if now >= until => self.choose(i, &person),
            Act::Loiter { until, turn, .. } if now >= turn => self.loiter(i, at, until),
            Act::Stoop { until } if now >= until => {
                let side = person.body.way.aside();
                let place =
                    at.plus(person.body.way, self.random.real(4.0, 9.0)).plus(side, self.random.real(-6.0, 6.0));
                let until = now + self.random.int(120, 500);
                let bag = self.bags.insert(now, Bag::new(within(place), until));
                self.set(i, Act::Rise { bag });
            }
            Act::Rise { bag } => {
                let act = if self.random.chance(0.5) {
                    if let Some(bag) = self.bags.get_mut(bag) {
                        // It waits for its owner.
                        bag.until = i64::MAX;
                    }
                    Act::StepAway { to: self.spot_away(at, 40.0, 120.0), bag }
                } else {
                    Act::Exit { door: self.door(), running: false }
                };
                self.set(i, act);
            }
            Act::StepAway { to, bag } if arrived(to) => self.set(i, Act::Fetch { bag }),
            Act::Fetch { bag } if self.bags.get(bag).is_none_or(|b| b.at.distance(at) <= REACH) => {
                let until = now + self.random.int(30, 150);
                self.set(i, Act::Mind { bag, until });
            }
            Act::Mind { bag, until } if now >= until => {
                if let Some(bag) = self.bags.get_mut(bag) {
                    bag.until = now;
                }
                self.choose(i, &person);
            }
            Act::Chase { after, until } if now >= until || self.people.get(after).is_none() => self.pause(i, 40, 120),
            Act::Pair { with, lead: true, stage } => self.lead(i, &person, with, stage),
            _ => {}
        }
    }

    /// What to do alone, or whom to join.
    fn choose(&mut self, i: usize, person: &Person) {
        if self.now >= person.leaves {
            let (door, running) = (self.door(), self.random.chance(0.25));
            return self.set(i, Act::Exit { door, running });
        }
        let draw = self.random.unit();
        if draw < 0.4
            && let Some(other) = self.company(i)
        {
            let gap = self.random.real(13.0, 23.0);
            let waits = matches!(self.people.get(other), Some(Person { act: Act::Pause { .. }, .. }));
            let others = if waits { Stage::Await } else { Stage::Approach { gap } };
            self.pair(i, other, Stage::Approach { gap }, others);
        } else if draw < 0.55 {
            let until = self.now + self.random.int(8, 25);
            self.set(i, Act::Stoop { until });
        } else if draw < 0.7 {
            self.pause(i, 30, 150);
        } else if draw < 0.86 {
            let until = self.now + self.random.int(150, 450);
            self.loiter(i, person.body.at, until);
        } else {
            self.walk(i);
        }
    }

    /// Somebody who walks or stands alone.
    fn company(&mut self, i: usize) -> Option<usize> {
        let alone = |&(k, p): &(usize, &Person)| k != i && matches!(p.act, Act::Walk { .. } | Act::Pause { .. });
        let count = self.people.iter().filter(alone).count() as u64;
        let pick = self.random.below(count.max(1)) as usize;
        self.people.iter().filter(alone).nth(pick).map(|(k, _)| k)
    }

    fn lead(&mut self, i: usize, person: &Person, with: usize, stage: Stage) {
        let Some(other) = self.people.get(with) else { return };
        let now = self.now;
        let at = person.body.at;
        match stage {
            Stage::Approach { gap } if at.distance(other.body.at) <= gap => {
                if self.random.chance(0.12) {
                    self.quarrel(i, with);
                } else {
                    self.talk(i, with);
                }
            }
            Stage::Talk { until } if now >= until => match self.random.unit() {
                u if u < 0.35 => self.together(i, with),
                u if u < 0.65 => self.quarrel(i, with),
                _ => self.part(i, with),
            },
            Stage::Lead { to } if at.distance(to) < 0.5 => {
                let leave = now >= person.leaves || now >= other.leaves;
                match self.random.unit() {
                    _ if leave => {
                        let door = self.door();
                        self.set(i, Act::Exit { door, running: false });
                        self.set(with, Act::Exit { door, running: false });
                    }
                    u if u < 0.35 => self.talk(i, with),
                    u if u < 0.6 => self.together(i, with),
                    _ => self.part(i, with),
                }
            }
            Stage::Quarrel { until } if now >= until => {
                let (flees, stays) = if self.random.chance(0.5) { (i, with) } else { (with, i) };
                if self.random.chance(0.7) {
                    let door = self.far_door(at);
                    self.set(flees, Act::Exit { door, running: true });
                    if self.random.chance(0.6) {
                        let until = now + self.random.int(30, 80);
                        self.set(stays, Act::Chase { after: flees, until });
                    } else {
                        self.pause(stays, 40, 120);
                    }
                } else {
                    self.part(flees, stays);
                }
            }
            _ => {}
        }
    }

    fn talk(&mut self, i: usize, with: usize) {
        let until = self.now + self.random.int(50, 300);
        self.pair(i, with, Stage::Talk { until }, Stage::Talk { until });
    }

    fn quarrel(&mut self, i: usize, with: usize) {
        let until = self.now + self.random.int(30, 120);
        self.pair(i, with, Stage::Quarrel { until }, Stage::Quarrel { until });
    }

    /// One walks off, and the other stays for a while or goes elsewhere.
    fn part(&mut self, goes: usize, stays: usize) {
        let at = self.people.get(goes).map_or(Point::new(0.0, 0.0), |p| p.body.at);
        let to = self.spot_away(at, 70.0, 400.0);
        self.set(goes, Act::Depart { to });
        if self.random.chance(0.6) { self.pause(stays, 30, 120) } else { self.walk(stays) }
    }

    fn pause(&mut self, i: usize, least: i64, most: i64) {
        let until = self.now + self.random.int(least, most);
        self.set(i, Act::Pause { until });
    }

    /// Stands for a while, or shuffles: from hardly at all to nearly a walk, so that some stay where they are and others
    /// do not.
    fn loiter(&mut self, i: usize, at: Point, until: i64) {
        let turn = self.now + self.random.int(40, 120);
        let shuffle = self.random.chance(0.75).then(|| {
            let pace = self.random.real(0.2, 0.9);
            Shuffle { to: self.spot_away(at, 40.0, 160.0), pace }
        });
        self.set(i, Act::Loiter { until, turn, shuffle });
    }

    /// To any place, or to a door, where people like to wait.
    fn walk(&mut self, i: usize) {
        let to = if self.random.chance(0.3) {
            let (dx, dy) = (self.random.real(-12.0, 12.0), self.random.real(-12.0, 12.0));
            within(self.door().plus(Point::new(dx, dy), 1.0))
        } else {
            self.spot()
        };
        self.set(i, Act::Walk { to });
    }

    /// The farther one of two doors.
    fn far_door(&mut self, from: Point) -> Point {
        let (a, b) = (self.door(), self.door());
        if a.distance(from) > b.distance(from) { a } else { b }
    }

    /// One frame of what a person is doing.
    pub(super) fn perform(&mut self, i: usize) {
        let Some(mut person) = self.people.get(i) else { return };
        let (now, pace) = (self.now, person.pace);
        let run = pace + 3.5;
        let random = &mut self.random;
        let body = &mut person.body;
        match person.act {
            Act::Walk { to } | Act::Depart { to } | Act::StepAway { to, .. } => {
                body.go(to, pace, Movement::Walking, random);
            }
            Act::Pause { .. } => body.stand(0.35, now, random),
            Act::Loiter { shuffle: None, .. } => body.stand(0.2, now, random),
            Act::Loiter { shuffle: Some(Shuffle { to, pace }), .. } => {
                body.go(to, pace, Movement::Active, random);
            }
            Act::Exit { door, running: false } => person.gone = body.go(door, pace, Movement::Walking, random),
            Act::Exit { door, running: true } => person.gone = body.go(door, run, Movement::Running, random),
            Act::Stoop { .. } | Act::Rise { .. } => body.movement = Movement::Active,
            Act::Mind { .. } => body.stand(0.6, now, random),
            Act::Fetch { bag } => {
                if let Some(bag) = self.bags.get(bag) {
                    body.go(bag.at, pace, Movement::Walking, random);
                }
            }
            Act::Chase { after, .. } => {
                if let Some(other) = self.people.get(after) {
                    // Never quite catches up.
                    let speed = (body.at.distance(other.body.at) - 30.0).clamp(0.5, run);
                    body.go(other.body.at, speed, Movement::Running, random);
                }
            }
            Act::Pair { with, stage, .. } => {
                if let Some(other) = self.people.get(with) {
                    match stage {
                        Stage::Approach { .. } => {
                            body.go(other.body.at, pace, Movement::Walking, random);
                        }
                        Stage::Await => {
                            body.stand(0.2, now, random);
                            body.face(other.body.at);
                        }
                        Stage::Talk { .. } => {
                            body.stand(0.55, now, random);
                            body.face(other.body.at);
                        }
                        Stage::Lead { to } => {
                            body.go(to, pace, Movement::Walking, random);
                        }
                        Stage::Beside { side } => body.accompany(&other.body, side, other.pace, random),
                        Stage::Quarrel { .. } => body.scuffle(other.body.at, now, random),
                    }
                }
            }
        }
        person.body.at = within(person.body.at);
        if let Some(slot) = self.people.get_mut(i) {
            *slot = person;
        }
    }
}

/// The nearest place inside the hall.
pub(super) fn within(place: Point) -> Point {
    Point::new(place.x.clamp(1.0, WIDTH - 2.0), place.y.clamp(1.0, HEIGHT - 2.0))
}
