//! Places: where rows say where somebody is, conditions on how far they move and, where labels are about two, are apart.

use std::fmt::Write;

use super::clock::words;
use super::conditions::compared;
use super::names::name_of;
use super::saying::Saying;
use super::survey::{Said, Survey, Surveyed};

/// The columns of places.
pub(super) struct Places<'s> {
    table: &'s Surveyed,
    x: usize,
    y: usize,
    /// Whether some label is about two of those that have places.
    pairs: bool,
    /// The mean latitude, where they are degrees on the earth.
    globe: Option<f64>,
}

/// Words by which the names of the columns of places differ, and whether they are degrees on the earth.
const AXES: [(&str, &str, bool); 7] = [
    ("x", "y", false),
    ("lon", "lat", true),
    ("lng", "lat", true),
    ("long", "lat", true),
    ("longitude", "latitude", true),
    ("east", "north", false),
    ("easting", "northing", false),
];

/// Whether two columns are the axes of a place by their names, which are the same but for the axis: `x` and `y`, `px` and `py`,
/// `gps_lon` and `gps_lat`. If so, whether they are degrees on the earth.
fn axes(x: &str, y: &str) -> Option<bool> {
    let (of_x, of_y) = (words(x), words(y));
    let differ = |at: &usize| of_x[*at] != of_y[*at];
    if of_x.len() != of_y.len() || (0..of_x.len()).filter(differ).count() != 1 {
        return None;
    }
    let (x, y) = (0..of_x.len()).find(differ).map(|at| (of_x[at].as_str(), of_y[at].as_str()))?;
    let axis = AXES.iter().find(|(own_x, own_y, _)| (*own_x, *own_y) == (x, y));
    // One letter before or behind others, as in `px`, `x1` and `posx`.
    let letter = || {
        x.strip_prefix('x').is_some_and(|rest| y.strip_prefix('y') == Some(rest))
            || x.strip_suffix('x').is_some_and(|rest| y.strip_suffix('y') == Some(rest))
    };
    axis.map(|(_, _, globe)| *globe).or_else(|| letter().then_some(false))
}

/// Metres to a degree of latitude: the circumference of the earth over its poles, 40 008 km, by 360.
const DEGREE: f64 = 111_132.0;

impl<'s> Places<'s> {
    /// Places of those that labels are about.
    pub(super) fn find(survey: &'s Survey) -> Option<Places<'s>> {
        let pairs =
            survey.labels.fluents.values().any(|fluent| fluent.arity == 2) && survey.types[0] == survey.types[1];
        survey.tables.iter().filter(|table| table.keys.len() == 1 && !table.several).find_map(|table| {
            let columns = &table.profile.columns;
            let numbers = || (0..columns.len()).filter(|at| columns[*at].is_number());
            let mut pairs_of_columns = numbers().flat_map(|x| numbers().map(move |y| (x, y)));
            pairs_of_columns.find_map(|(x, y)| {
                let globe = axes(&columns[x].name, &columns[y].name)?;
                let latitudes = columns[y].values.keys().filter_map(|cell| cell.parse::<f64>().ok());
                let (sum, count) = latitudes.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
                Some(Places { table, x, y, pairs, globe: globe.then_some(sum / f64::max(count, 1.0)) })
            })
        })
    }

    /// Whether a column is one of them, and labels are about pairs: what it is alone says little then.
    pub(super) fn has(&self, table: &Surveyed, column: usize) -> bool {
        self.pairs && std::ptr::eq(self.table, table) && (column == self.x || column == self.y)
    }

    /// How far somebody has moved and, of two, how far they are apart; each at least and at most.
    pub(super) fn write(&self, survey: &Survey, modes: &mut String, background: &mut String) {
        if self.pairs {
            self.write_pairs(survey, modes, background);
        }
        self.write_movement(survey, modes, background);
    }

    /// The names of the facts that say where somebody is.
    fn names(&self) -> (String, String) {
        let columns = &self.table.profile.columns;
        (name_of(&columns[self.x].name), name_of(&columns[self.y].name))
    }

    /// How far two places are apart that differ by so much along each axis, and what that is measured in.
    fn length(&self, x: &str, y: &str) -> (String, &'static str) {
        match self.globe {
            Some(latitude) => {
                let east = DEGREE * libm::cos(latitude.to_radians());
                let unit = "metres, as on a plane near the middle of all rows";
                (format!("sqrt(({east:.0} * ({x}))^2 + ({DEGREE:.0} * ({y}))^2)"), unit)
            }
            None => (format!("sqrt(({x})^2 + ({y})^2)"), "the units of the columns"),
        }
    }

    fn write_pairs(&self, survey: &Survey, modes: &mut String, background: &mut String) {
        let own = name_of(&self.table.keys[0].1);
        let steady = self.table.is_steady(&[self.x, self.y]) || survey.windows.is_empty();
        let (x, y) = self.names();
        let known = |atom: String| if steady { atom } else { format!("last({atom})") };
        let of = |who: &str, name: &str, value: &str| known(format!("{name}({who}, {value}, T)"));
        for (condition, direction) in [("near", "larger"), ("apart", "smaller")] {
            modes.push_str(&compared(&format!("{condition}(+{own}, +{own}, #real, +time)"), 3, direction));
        }
        let (length, unit) = self.length("X1 - X2", "Y1 - Y2");
        let _ = writeln!(
            background,
            "\n% How far two are apart, in {unit}.\n\
             distance(X, Y, R, T) :-\n    {}, {},\n    {}, {},\n    X != Y,\n    R = {length}.\n\
             near(X, Y, N, T) :- distance(X, Y, R, T), R <= N.\n\
             apart(X, Y, N, T) :- distance(X, Y, R, T), R > N.",
            of("X", &x, "X1"),
            of("X", &y, "Y1"),
            of("Y", &x, "X2"),
            of("Y", &y, "Y2"),
        );
    }

    /// Whether two are in the same state: of one team, say.
    pub(super) fn write_same(&self, saying: &Saying<'_>, modes: &mut String, background: &mut String) {
        if !self.pairs || saying.said != Said::State || !std::ptr::eq(self.table, saying.table) {
            return;
        }
        let (name, own) = (&saying.name, name_of(&self.table.keys[0].1));
        let _ = writeln!(
            background,
            "% Two have the same.\nsame_{name}(X, Y, T) :- {name}_is(X, K, T), {name}_is(Y, K, T), X != Y."
        );
        let _ = writeln!(
            modes,
            "modeb(same_{name}(+{own}, +{own}, +time)).\nmodeb(not same_{name}(+{own}, +{own}, +time))."
        );
    }

    fn write_movement(&self, survey: &Survey, modes: &mut String, background: &mut String) {
        let own = name_of(&self.table.keys[0].1);
        let (x, y) = self.names();
        for window in &survey.windows {
            for (condition, direction) in [("moved", "smaller"), ("stayed", "larger")] {
                modes.push_str(&compared(&format!("{condition}_{window}(+{own}, #real, +time)"), 2, direction));
            }
            let most = |most: &str, name: &str, value: &str| format!("{most}(V, {name}(X, V, T), {window}, {value})");
            let (length, unit) = self.length("X2 - X1", "Y2 - Y1");
            let _ = writeln!(
                background,
                "\n% How far apart the places of the last {window} time units are, from corner to corner, in {unit}.\n\
                 range_{window}(X, R, T) :-\n    {}, {},\n    {}, {},\n    R = {length}.\n\
                 moved_{window}(X, N, T) :- range_{window}(X, R, T), R >= N.\n\
                 stayed_{window}(X, N, T) :- range_{window}(X, R, T), R <= N.",
                most("min", &x, "X1"),
                most("max", &x, "X2"),
                most("min", &y, "Y1"),
                most("max", &y, "Y2"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::axes;

    #[test]
    fn the_axes_of_a_place_have_names_that_differ_by_the_axis() {
        for (x, y) in [
            ("x", "y"),
            ("X", "Y"),
            ("pos_x", "pos_y"),
            ("px", "py"),
            ("x1", "y1"),
            ("posX", "posY"),
            ("x (m)", "y (m)"),
        ] {
            assert_eq!((axes(x, y), axes(y, x)), (Some(false), None), "{x} {y}");
        }
        for (x, y) in [("lon", "lat"), ("gps_longitude", "gps_latitude"), ("Longitude", "Latitude"), ("lng", "lat")] {
            assert_eq!((axes(x, y), axes(y, x)), (Some(true), None), "{x} {y}");
        }
        for (x, y) in
            [("x", "x"), ("x1", "y2"), ("px", "qy"), ("lat", "lat"), ("max", "min"), ("x", "speed"), ("gps_lon", "lat")]
        {
            assert_eq!(axes(x, y), None, "{x} {y}");
        }
    }
}
