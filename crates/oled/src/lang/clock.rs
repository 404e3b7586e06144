//! Clock: what the times of a stream mean, so that rules can ask for the time of day and the day of the week.
//!
//! | written | value |
//! |---|---|
//! | `time_of_day(T)` | seconds since midnight |
//! | `weekday(T)` | 1 on Mondays to 7 on Sundays |
//!
//! Both are turned into arithmetic on the time before rules are used, so that nothing else knows of them.

use std::borrow::Cow;
use std::str::FromStr;

use super::zone::{LOCAL_TIME, Zone};
use super::{Atom, Clause, Formula, Symbol, Term, Value};

pub(super) const TIME_OF_DAY: &str = "time_of_day";
pub(super) const WEEKDAY: &str = "weekday";

/// What the times of a stream mean: so many units a second since 1970 began in UTC, on a clock that is so many seconds ahead
/// of UTC.
///
/// ```
/// use oled::lang::Clock;
/// let clock = Clock::new("ms".parse().unwrap(), oled::lang::read_offset("+02:00").unwrap());
/// assert_eq!((clock.units, clock.ahead), (1000, 7200));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// How many units of time a second has.
    pub units: i64,
    /// How many seconds it is ahead of UTC; of a zone whose clocks change, what they mostly show in winter.
    pub ahead: i64,
    /// The zone whose clocks it shows, where they change.
    pub zone: Option<Zone>,
}

/// The units in which times are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit(i64);

/// Seconds.
impl Default for Unit {
    fn default() -> Unit {
        Unit(1)
    }
}

impl FromStr for Unit {
    type Err = String;

    fn from_str(text: &str) -> Result<Unit, String> {
        Ok(Unit(match text {
            "s" => 1,
            "ms" => 1_000,
            "us" => 1_000_000,
            "ns" => 1_000_000_000,
            _ => return Err(format!("times are counted in `s`, `ms`, `us` or `ns`, not in `{text}`")),
        }))
    }
}

/// How many seconds a clock is ahead of UTC: `+02:00`, `-05:30`, `UTC`.
pub fn read_offset(text: &str) -> Option<i64> {
    if matches!(text, "UTC" | "Z") {
        return Some(0);
    }
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = digits.split_once(':')?;
    let number = |text: &str, below: i64| {
        let digits = text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| text.parse::<i64>().ok())?.filter(|number| *number < below)
    };
    Some(sign * (number(hours, 24)? * 3600 + number(minutes, 60)? * 60))
}

/// Times are seconds, and the clock is that of UTC.
impl Default for Clock {
    fn default() -> Clock {
        Clock { units: 1, ahead: 0, zone: None }
    }
}

impl Clock {
    /// A clock for times in these units that is so many seconds ahead of UTC.
    pub fn new(unit: Unit, ahead: i64) -> Clock {
        Clock { units: unit.0, ahead, zone: None }
    }

    /// A clock for times in these units that shows the time of a zone. Where its clocks never change it is as any other.
    pub fn in_zone(unit: Unit, zone: Zone) -> Clock {
        let mut changes = zone.changes().iter().rev().take(2).map(|(_, ahead)| *ahead);
        let ahead = changes.next().map_or(zone.first(), |last| changes.next().map_or(last, |other| other.min(last)));
        let zone = Some(zone).filter(|zone| !zone.changes().is_empty());
        Clock { units: unit.0, ahead, zone }
    }

    /// How many seconds it is ahead of UTC at a time.
    pub fn ahead_at(&self, time: i64) -> i64 {
        self.zone.map_or(self.ahead, |zone| zone.ahead(time.div_euclid(self.units)))
    }

    /// A rule with arithmetic in place of what asks for the time of day or the day of the week.
    pub fn explicit<'r>(&self, rule: &'r Clause) -> Cow<'r, Clause> {
        self.rewritten(rule, false)
    }

    /// The same with nothing but sums, products, least and largest numbers, for who knows no zones: each change of a zone's
    /// clocks is a term.
    pub fn plain<'r>(&self, rule: &'r Clause) -> Cow<'r, Clause> {
        self.rewritten(rule, true)
    }

    fn rewritten<'r>(&self, rule: &'r Clause, plain: bool) -> Cow<'r, Clause> {
        let mut atoms =
            std::iter::once(&rule.head.args[..]).chain(rule.body.iter().map(|literal| match &literal.formula {
                Formula::Atom(atom) => &atom.args[..],
                Formula::Compare(..) => &[],
            }));
        let compared = rule.body.iter().any(|literal| match &literal.formula {
            Formula::Compare(_, left, right) => asks(left) || asks(right),
            Formula::Atom(_) => false,
        });
        if !compared && !atoms.any(|args| args.iter().any(asks)) {
            return Cow::Borrowed(rule);
        }
        let mut rule = rule.clone();
        self.replace_all(&mut rule.head, plain);
        for literal in &mut rule.body {
            match &mut literal.formula {
                Formula::Atom(atom) => self.replace_all(atom, plain),
                Formula::Compare(_, left, right) => {
                    [left, right].into_iter().for_each(|term| self.replace(term, plain));
                }
            }
        }
        Cow::Owned(rule)
    }

    /// The same for a term.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn explicit_term(&self, term: &Term) -> Term {
        let mut term = term.clone();
        self.replace(&mut term, false);
        term
    }

    fn replace_all(&self, atom: &mut Atom, plain: bool) {
        atom.args.iter_mut().for_each(|term| self.replace(term, plain));
    }

    fn replace(&self, term: &mut Term, plain: bool) {
        let Term::App(name, args) = term else { return };
        args.iter_mut().for_each(|term| self.replace(term, plain));
        let [time] = &mut args[..] else { return };
        let of = |name: &str, left: Term, right: i64| {
            Term::App(Symbol::new(name), vec![left, Term::Value(Value::Int(right))])
        };
        let seconds = || {
            let whole = if self.units == 1 { time.clone() } else { of("//", time.clone(), self.units) };
            match self.zone {
                Some(zone) if plain => steps(&zone, &whole),
                Some(zone) => Term::App(Symbol::new(LOCAL_TIME), vec![whole, Term::Value(Value::Sym(zone.name()))]),
                None if self.ahead == 0 => whole,
                None => of("+", whole, self.ahead),
            }
        };
        *term = match name.as_str() {
            TIME_OF_DAY => of("mod", seconds(), DAY),
            // The first day of 1970 was a Thursday.
            WEEKDAY => of("+", of("mod", of("+", of("//", seconds(), DAY), 3), 7), 1),
            _ => return,
        };
    }
}

/// What the clocks of a zone show so many seconds after 1970 began: a sum of what each change adds from then on.
fn steps(zone: &Zone, seconds: &Term) -> Term {
    let of = |name: &str, left: Term, right: Term| Term::App(Symbol::new(name), vec![left, right]);
    let number = |number: i64| Term::Value(Value::Int(number));
    let (mut sum, mut ahead) = (of("+", seconds.clone(), number(zone.first())), zone.first());
    for (since, then) in zone.changes() {
        // One from then on, and zero before.
        let passed = of("min", number(1), of("max", number(0), of("-", seconds.clone(), number(since - 1))));
        sum = of("+", sum, of("*", number(then - ahead), passed));
        ahead = *then;
    }
    sum
}

/// The seconds of a day.
const DAY: i64 = 86_400;

/// Whether a term asks for the time of day or the day of the week.
fn asks(term: &Term) -> bool {
    match term {
        Term::App(name, args) => {
            args.len() == 1 && matches!(name.as_str(), TIME_OF_DAY | WEEKDAY) || args.iter().any(asks)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::parse_theory;
    use crate::logic::apply;

    /// The day of the week by Zeller's rule, from a date.
    fn by_date(year: i64, month: i64, day: i64) -> i64 {
        let (year, month) = if month < 3 { (year - 1, month + 12) } else { (year, month) };
        let day = (day + 13 * (month + 1) / 5 + year + year / 4 - year / 100 + year / 400) % 7;
        (day + 5) % 7 + 1
    }

    #[test]
    fn days_and_times_are_those_of_a_calendar() {
        let value = |clock: Clock, text: &str| {
            let rule = parse_theory("t.lp", &format!("p :- X = {text}.")).unwrap().clauses.remove(0);
            let rule = clock.explicit(&rule).into_owned();
            let Formula::Compare(_, _, right) = &rule.body[0].formula else { unreachable!() };
            apply(right, &|_| None)
        };
        // Day by day from the beginning of 1970, backwards too.
        let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for number in 0..30_000_i64 {
            let expected = by_date(year, month, day);
            let clock = Clock::default();
            assert_eq!(value(clock, &format!("weekday({})", number * DAY + 5)), Some(Value::Int(expected)));
            let long = [1, 3, 5, 7, 8, 10, 12].contains(&month);
            let days = if month == 2 { 28 + i64::from(is_leap(year)) } else { 30 + i64::from(long) };
            day += 1;
            if day > days {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
        let athens = Clock::new("ms".parse().unwrap(), read_offset("+02:00").unwrap());
        // A second before midnight of the last day of 1969 in UTC, a Wednesday, is Thursday in Athens.
        assert_eq!(value(athens, "weekday(-1000)"), Some(Value::Int(4)));
        assert_eq!(value(Clock::default(), "weekday(-1)"), Some(Value::Int(3)));
        assert_eq!(value(athens, "time_of_day(-1000)"), Some(Value::Int(7199)));
        assert_eq!(value(athens, "time_of_day(-1)"), Some(Value::Int(7199)), "a part of a second is none");
        assert_eq!(value(athens, "weekday(a)"), None);
    }

    #[test]
    fn a_zone_as_arithmetic_is_the_same_zone() {
        let zone = Zone::new("Elsewhere", 600, &[(-5_000, 3600), (100, 7200), (9_000, -1800), (86_400, 3600)]);
        let clock = Clock::in_zone("ms".parse().unwrap(), zone);
        for time in (-100_000_000..100_000_000_i64).step_by(777_777).chain([-5_000_000, -5_000_001, 99_999, 100_000]) {
            for what in [TIME_OF_DAY, WEEKDAY] {
                let rule = parse_theory("t.lp", &format!("p(X) :- X = {what}({time}).")).unwrap().clauses.remove(0);
                let value = |rule: &Clause| {
                    let Formula::Compare(_, _, right) = &rule.body[0].formula else { unreachable!() };
                    apply(right, &|_| None)
                };
                let expected = value(&clock.explicit(&rule));
                assert!(expected.is_some());
                assert_eq!(value(&clock.plain(&rule)), expected, "{what} at {time}");
            }
        }
    }

    #[test]
    fn offsets_have_hours_and_minutes() {
        for (text, expected) in [
            ("+02:00", Some(7200)),
            ("-05:30", Some(-19_800)),
            ("UTC", Some(0)),
            ("Europe/Athens", None),
            ("+2:00", None),
            ("+24:00", None),
            ("+02:60", None),
            ("+02", None),
            ("", None),
            ("é", None),
        ] {
            assert_eq!(read_offset(text), expected, "{text}");
        }
    }
}
