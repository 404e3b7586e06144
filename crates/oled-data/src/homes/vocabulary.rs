//! Vocabulary: what a house says, in words.

use oled::{Facts, Signature, Value, parse_atom};

use super::house::{Minute, Sensor};
use super::truth::Activity;

/// The words for what is said, looked up once.
#[derive(Clone, Debug)]
pub(super) struct Vocabulary {
    on: Signature,
    turned_on: Signature,
    turned_off: Signature,
    humidity: Signature,
    power: Signature,
    lux: Signature,
    /// In the order of [`Sensor::ALL`].
    sensors: [Value; 18],
    /// In the order of [`Activity::ALL`].
    pub(super) holds: [Signature; 9],
}

impl Vocabulary {
    pub(super) fn new() -> Vocabulary {
        let signature = |atom: &str| Signature::of(&parse_atom(atom).expect("the atoms below are well-formed"));
        Vocabulary {
            on: signature("on(a, b, 0)"),
            turned_on: signature("happensAt(on(a, b), 0)"),
            turned_off: signature("happensAt(off(a, b), 0)"),
            humidity: signature("humidity(a, 0, 0)"),
            power: signature("power(a, 0, 0)"),
            lux: signature("lux(a, 0, 0)"),
            sensors: Sensor::ALL.map(|(_, name)| Value::from(name)),
            holds: Activity::ALL.map(|(_, name)| signature(&format!("holdsAt({name}(a), 0)"))),
        }
    }

    /// The facts about a house: what is on, what has changed since the minute before, and what is measured.
    pub(super) fn narrate(&self, before: &Minute, now: &Minute, home: Value, facts: &mut Facts) {
        for (&name, (sensor, _)) in self.sensors.iter().zip(Sensor::ALL) {
            let (was, is) = (before.on.has(sensor), now.on.has(sensor));
            if is {
                facts.push(self.on, &[home, name]);
            }
            if was != is {
                facts.push(if is { self.turned_on } else { self.turned_off }, &[home, name]);
            }
        }
        let tenths = Value::real(now.humidity as f64 / 10.0).expect("a thousandth at most is finite");
        facts.push(self.humidity, &[home, tenths]);
        facts.push(self.power, &[home, Value::Int(now.power)]);
        facts.push(self.lux, &[home, Value::Int(now.lux)]);
    }
}
