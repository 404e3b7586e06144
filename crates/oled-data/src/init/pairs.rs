//! Pairs: where rows have places and labels are about two of one kind, conditions on how far apart they are.

use std::fmt::Write;

use super::names::name_of;
use super::survey::{Survey, Surveyed};

/// The columns of places.
pub(super) struct Places<'s> {
    table: &'s Surveyed,
    x: usize,
    y: usize,
    /// Whether they are degrees on the earth.
    globe: Option<f64>,
}

/// Names that columns of places usually have.
const PLACES: [(&str, &str, bool); 6] = [
    ("x", "y", false),
    ("lon", "lat", true),
    ("lng", "lat", true),
    ("longitude", "latitude", true),
    ("pos_x", "pos_y", false),
    ("coord_x", "coord_y", false),
];

/// Metres to a degree of latitude: the circumference of the earth over its poles, 40 008 km, by 360.
const DEGREE: f64 = 111_132.0;

impl<'s> Places<'s> {
    /// Places of those that some label is about in pairs.
    pub(super) fn find(survey: &'s Survey) -> Option<Places<'s>> {
        let pair = survey.labels.fluents.values().any(|fluent| fluent.arity == 2) && survey.types[0] == survey.types[1];
        if !pair {
            return None;
        }
        survey.tables.iter().filter(|table| table.keys.len() == 1).find_map(|table| {
            let column = |name: &str| {
                table
                    .profile
                    .columns
                    .iter()
                    .position(|column| column.name.eq_ignore_ascii_case(name) && column.is_number())
            };
            PLACES.iter().find_map(|(x, y, globe)| {
                let (x, y) = (column(x)?, column(y)?);
                let latitudes = table.profile.columns[y].values.keys().filter_map(|cell| cell.parse::<f64>().ok());
                let (sum, count) = latitudes.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
                Some(Places { table, x, y, globe: globe.then_some(sum / f64::max(count, 1.0)) })
            })
        })
    }

    /// Whether a column is one of them: what it is alone says little.
    pub(super) fn has(&self, table: &Surveyed, column: usize) -> bool {
        std::ptr::eq(self.table, table) && (column == self.x || column == self.y)
    }

    /// How far two are apart, at most and at least.
    pub(super) fn write(&self, survey: &Survey, modes: &mut String, background: &mut String) {
        let columns = &self.table.profile.columns;
        let (x, y) = (name_of(&columns[self.x].name), name_of(&columns[self.y].name));
        let own = name_of(&self.table.keys[0].1);
        let steady = self.table.is_steady(&[self.x, self.y]) || survey.windows.is_empty();
        let known = |atom: String| if steady { atom } else { format!("last({atom})") };
        let of = |who: &str, name: &str, value: &str| known(format!("{name}({who}, {value}, T)"));
        let (scale, unit) = match self.globe {
            Some(latitude) => {
                let east = DEGREE * libm::cos(latitude.to_radians());
                (
                    (format!("{east:.0} * "), format!("{DEGREE:.0} * ")),
                    "metres, as on a plane near the middle of all rows",
                )
            }
            None => ((String::new(), String::new()), "the units of the columns"),
        };
        for (condition, direction) in [("near", "larger"), ("apart", "smaller")] {
            let atom = format!("{condition}(+{own}, +{own}, #real, +time)");
            let _ = writeln!(modes, "modeb({atom}).\ncomparison({atom}, 3, {direction}).");
        }
        let _ = writeln!(
            background,
            "\n% How far two are apart, in {unit}.\n\
             distance(X, Y, R, T) :-\n    {}, {},\n    {}, {},\n    X != Y,\n    \
             R = sqrt(({}(X1 - X2))^2 + ({}(Y1 - Y2))^2).\n\
             near(X, Y, N, T) :- distance(X, Y, R, T), R <= N.\n\
             apart(X, Y, N, T) :- distance(X, Y, R, T), R > N.",
            of("X", &x, "X1"),
            of("X", &y, "Y1"),
            of("Y", &x, "X2"),
            of("Y", &y, "Y2"),
            scale.0,
            scale.1,
        );
    }
}
