//! Bodies: places, headings, and the few ways of moving that every scene is made of.
//!
//! Only `+ - * /` and `sqrt`, whose last bit every platform agrees on, and `libm` for the heading in degrees.

use super::random::Random;

/// A place in pixels, or a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

impl Point {
    pub(super) fn new(x: f64, y: f64) -> Point {
        Point { x, y }
    }

    /// This and a multiple of another.
    pub(super) fn plus(self, other: Point, factor: f64) -> Point {
        Point::new(self.x + other.x * factor, self.y + other.y * factor)
    }

    pub(super) fn length(self) -> f64 {
        (self.x * self.x + self.y * self.y).sqrt()
    }

    pub(super) fn distance(self, other: Point) -> f64 {
        other.plus(self, -1.0).length()
    }

    /// A quarter turn to the side.
    pub(super) fn aside(self) -> Point {
        Point::new(-self.y, self.x)
    }

    /// The direction of length one, or `otherwise` for the zero vector.
    fn unit_or(self, otherwise: Point) -> Point {
        let length = self.length();
        if length > 1e-6 { Point::new(self.x / length, self.y / length) } else { otherwise }
    }
}

/// What a tracker says about an entity in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Movement {
    Walking,
    Active,
    Inactive,
    Running,
    Abrupt,
}

impl Movement {
    pub(super) const ALL: [Movement; 5] =
        [Movement::Walking, Movement::Active, Movement::Inactive, Movement::Running, Movement::Abrupt];
}

/// Where somebody is, which way they look and what they do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    pub(super) at: Point,
    /// The heading, of length one.
    pub(super) way: Point,
    pub(super) movement: Movement,
    /// When the present posture ends, of those that alternate.
    posture_until: i64,
}

impl Body {
    pub(super) fn new(at: Point, towards: Point) -> Body {
        let way = towards.plus(at, -1.0).unit_or(Point::new(1.0, 0.0));
        Body { at, way, movement: Movement::Walking, posture_until: 0 }
    }

    /// The heading in whole degrees, 0 to 359.
    pub(super) fn degrees(&self) -> i32 {
        let degrees = libm::atan2(self.way.y, self.way.x) * (180.0 / std::f64::consts::PI);
        ((degrees + 360.5).floor() as i32) % 360
    }

    /// Turns part of the way towards a direction.
    fn turn(&mut self, to: Point, share: f64) {
        let turned = Point::new(self.way.x * (1.0 - share), self.way.y * (1.0 - share)).plus(to, share);
        self.way = turned.unit_or(to);
    }

    /// One frame on the way to a place; true on arrival.
    pub(super) fn go(&mut self, to: Point, speed: f64, movement: Movement, random: &mut Random) -> bool {
        self.movement = movement;
        let gap = to.plus(self.at, -1.0);
        let distance = gap.length();
        if distance <= speed {
            self.at = to;
            return true;
        }
        let wish = gap.unit_or(self.way);
        // Near the goal nobody wavers, or they would circle it for ever.
        if distance < speed * 8.0 {
            self.turn(wish, 0.7);
        } else {
            self.turn(wish.plus(self.way.aside(), random.real(-0.4, 0.4)), 0.3);
        }
        // Sharp turns are made on the spot.
        let ahead = self.way.x * wish.x + self.way.y * wish.y;
        self.at = self.at.plus(self.way, speed * ahead.max(0.1));
        false
    }

    /// One frame beside somebody who walks: `side` pixels to the left of them, or to the right where negative.
    pub(super) fn accompany(&mut self, other: &Body, side: f64, speed: f64, random: &mut Random) {
        self.movement = Movement::Walking;
        let slot = other.at.plus(other.way.aside(), side);
        let wish = Point::new(other.way.x * speed, other.way.y * speed).plus(slot.plus(self.at, -1.0), 0.12);
        let pace = wish.length().min(speed * 1.6);
        self.turn(wish.unit_or(other.way).plus(self.way.aside(), random.real(-0.2, 0.2)), 0.5);
        self.at = self.at.plus(self.way, pace);
    }

    /// One frame of standing, now active, now inactive; `liveliness` is the share of the former.
    pub(super) fn stand(&mut self, liveliness: f64, now: i64, random: &mut Random) {
        let posture = matches!(self.movement, Movement::Active | Movement::Inactive);
        if !posture || now >= self.posture_until {
            self.movement = if random.chance(liveliness) { Movement::Active } else { Movement::Inactive };
            self.posture_until = now + random.int(8, 45);
        }
        if self.movement == Movement::Active {
            self.way = self.way.plus(self.way.aside(), random.real(-0.06, 0.06)).unit_or(self.way);
        }
    }

    /// Is active for the first frames.
    pub(super) fn start_active(&mut self, until: i64) {
        (self.movement, self.posture_until) = (Movement::Active, until);
    }

    /// Looks at a place, turning within some frames.
    pub(super) fn face(&mut self, place: Point) {
        self.turn(place.plus(self.at, -1.0).unit_or(self.way), 0.25);
    }

    /// One frame of a scuffle at close range, abrupt with short breaks. Nobody is `active` in a break, or the rules would
    /// see a meeting in every second one.
    pub(super) fn scuffle(&mut self, other: Point, now: i64, random: &mut Random) {
        let posture = matches!(self.movement, Movement::Abrupt | Movement::Inactive);
        if !posture || now >= self.posture_until {
            let rest = self.movement == Movement::Abrupt;
            self.movement = if rest { Movement::Inactive } else { Movement::Abrupt };
            self.posture_until = now + if rest { random.int(2, 6) } else { random.int(10, 30) };
        }
        self.face(other);
        if self.movement == Movement::Abrupt {
            // Pushes and pulls around an arm's length.
            let pull = (self.at.distance(other) - 14.0) * 0.1 + random.real(-1.5, 1.5);
            self.at = self.at.plus(self.way, pull).plus(self.way.aside(), random.real(-2.0, 2.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_goal_is_reached() {
        let mut random = Random::new(3, &[]);
        for _ in 0..500 {
            let mut place = || Point::new(random.real(0.0, 384.0), random.real(0.0, 288.0));
            let (from, look, to) = (place(), place(), place());
            let speed = random.real(0.8, 6.0);
            let mut body = Body::new(from, look);
            let frames = (1..5_000).find(|_| body.go(to, speed, Movement::Walking, &mut random));
            let direct = from.distance(to) / speed;
            assert!(frames.is_some_and(|n| f64::from(n) < direct * 1.5 + 30.0), "{frames:?} instead of {direct}");
        }
    }

    #[test]
    fn headings_are_whole_degrees_below_360() {
        let body = |x, y| Body::new(Point::new(0.0, 0.0), Point::new(x, y)).degrees();
        assert_eq!([body(1.0, 0.0), body(0.0, 1.0), body(-1.0, 0.0), body(0.0, -1.0)], [0, 90, 180, 270]);
        assert_eq!([body(1.0, -1e-9), body(1.0, 1e-9)], [0, 0]);
    }

    #[test]
    fn companions_stay_side_by_side() {
        let mut random = Random::new(4, &[]);
        let goal = Point::new(300.0, 100.0);
        let mut leader = Body::new(Point::new(20.0, 100.0), goal);
        let mut other = Body::new(Point::new(20.0, 118.0), goal);
        for _ in 0..120 {
            leader.go(goal, 1.5, Movement::Walking, &mut random);
            other.accompany(&leader, 18.0, 1.5, &mut random);
            let apart = leader.at.distance(other.at);
            assert!((8.0..30.0).contains(&apart), "{apart}");
        }
    }
}
