//! Text: a survey written down as a task, with comments that say what may be changed.

use std::fmt::Write;

use indexmap::IndexMap;
use oled::Symbol;
use oled::Value;
use rustc_hash::FxBuildHasher;

use super::labelled::Symmetry;
use super::names::name_of;
use super::places::Places;
use super::saying::{ENDS, Edge, STARTS, Saying, called};
use super::survey::{Said, Says, Survey};

/// The texts of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// `task.toml`.
    pub manifest: String,
    /// `modes.lp`.
    pub modes: String,
    /// `background.lp`.
    pub background: String,
    /// What was left out or assumed, and why.
    pub remarks: Vec<String>,
}

/// How many of the longest windows rules may look back: what is known last must not be forgotten between two reports, which
/// may be further apart than labels are long. Half of it forgets gauges that report rarely; twice of it keeps twice as much.
const HORIZON: i64 = 10;

/// What is said of a fluent whose pairs have no order, as far as anybody can tell.
fn assumed((name, symmetry): (&str, Symmetry)) -> Option<String> {
    let text = format!(
        "no pair has `{name}` in both orders at once: the order is taken to mean nothing (`symmetric` in modes.lp)"
    );
    (symmetry == Symmetry::Assumed).then_some(text)
}

/// A text in quotes, as TOML has them.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => _ = write!(quoted, "\\u{:04x}", u32::from(c)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

impl Survey {
    /// The task.
    pub(super) fn write(&self) -> Draft {
        let sayings = self.sayings();
        let places = Places::find(self);
        let used = |saying: &&Saying<'_>| {
            let is_place = |own: &Places<'_>| saying.columns.iter().any(|column| own.has(saying.table, *column));
            !places.as_ref().is_some_and(is_place)
        };
        let (mut modes, mut background) = (String::new(), String::new());
        self.write_stream(&sayings, &mut modes);
        self.write_labels(&mut modes);
        modes.push_str("\n% ---- what rules may ask for; delete a line, and no rule does\n");
        for saying in sayings.iter().filter(used) {
            match saying.said {
                Said::Gauge => self.write_gauge(saying, &mut modes, &mut background),
                Said::State => self.write_names(saying, false, &mut modes, &mut background),
                Said::Event => self.write_names(saying, true, &mut modes, &mut background),
                Said::Nothing => {}
            }
        }
        if let Some(places) = &places {
            places.write(self, &mut modes, &mut background);
            sayings.iter().for_each(|saying| places.write_same(saying, &mut modes, &mut background));
        }
        self.write_time_of_day(&sayings, &mut modes, &mut background);
        self.write_recurring(&mut modes, &mut background);
        let intro = "% How what comes with the stream becomes conditions that rules can name.\n";
        Draft {
            manifest: self.manifest(&sayings),
            modes,
            background: format!("{intro}{background}"),
            remarks: self.remarks.iter().cloned().chain(self.symmetric().filter_map(assumed)).collect(),
        }
    }

    /// All columns that say something, each under a name of its own.
    fn sayings(&self) -> Vec<Saying<'_>> {
        let mut taken: IndexMap<String, usize, FxBuildHasher> = IndexMap::default();
        for name in
            self.labels.fluents.keys().map(|name| name_of(name)).chain(self.types.iter().map(|own| name_of(own)))
        {
            taken.insert(name, 1);
        }
        let mut sayings = Vec::new();
        for table in &self.tables {
            for Says { columns, said, under, replaced, turns } in
                table.said.iter().filter(|says| says.said != Said::Nothing)
            {
                // An event with several names is called after its table.
                let mut name = match (&columns[..], under) {
                    (_, Some((_, cell))) => name_of(cell),
                    ([column], _) => name_of(&table.profile.columns[*column].name),
                    _ => name_of(&table.profile.stem()),
                };
                if let Some(role) = &table.role {
                    name = name_of(&format!("{role}_{name}"));
                }
                if taken.contains_key(&name) {
                    name = name_of(&format!("{}_{name}", table.profile.stem()));
                }
                let uses = taken.entry(name.clone()).or_insert(0);
                *uses += 1;
                if *uses > 1 {
                    name = format!("{name}_{uses}");
                }
                let saying = |name: String, edge: Option<Edge>| Saying {
                    table,
                    columns,
                    said: *said,
                    under: under.as_ref(),
                    replaced: *replaced,
                    turns,
                    name,
                    edge,
                };
                if table.end.is_some() && *said == Said::Event {
                    sayings.push(saying(format!("{name}{STARTS}"), Some(Edge::Start)));
                    sayings.push(saying(format!("{name}{ENDS}"), Some(Edge::End)));
                } else {
                    sayings.push(saying(name, None));
                }
            }
        }
        sayings
    }

    fn write_stream(&self, sayings: &[Saying<'_>], modes: &mut String) {
        modes.push_str("% What comes with the stream, and what rules about it may be made of.\n\n% ---- the stream\n");
        for saying in sayings {
            let (name, markers, values) = (&saying.name, saying.markers(), saying.value_marks('+'));
            // Writing to a string cannot fail.
            let _ = match saying.said {
                Said::Event => writeln!(modes, "input(happensAt({}, +time)).", called(name, &(markers + &values))),
                _ => writeln!(modes, "input({name}({markers}{values}, +time))."),
            };
        }
        modes.push('\n');
        let mut types: Vec<String> = self.types.iter().map(|own| name_of(own)).collect();
        types.sort();
        types.dedup();
        for own in types {
            let _ = writeln!(modes, "type({own}, symbol).");
        }
        for own in self.recurring.keys() {
            let _ = writeln!(modes, "type({own}_name, symbol).");
        }
        for saying in sayings {
            let kind = match saying.said {
                Said::Gauge if saying.is_whole() => "int",
                Said::Gauge => "real",
                _ => "symbol",
            };
            for own in saying.value_types().iter().filter(|_| saying.edge != Some(Edge::End)) {
                let _ = writeln!(modes, "type({own}, {kind}).");
            }
        }
        for saying in sayings {
            let fact = format!("{}({}{}", saying.name, saying.markers(), saying.replaced_marks());
            let _ = match saying.said {
                Said::Event if saying.edge == Some(Edge::Start) => {
                    let (own, about) = (saying.interval(), format!("{}{}", saying.markers(), saying.value_marks('+')));
                    let edges = [STARTS, ENDS].map(|edge| format!("happensAt({own}{edge}({about}), +time)"));
                    writeln!(modes, "exclusive({}).", edges.join(", "))
                }
                Said::State => writeln!(modes, "exclusive({fact}, +time))."),
                Said::Event if saying.replaced.is_some() => writeln!(modes, "exclusive(happensAt({fact}), +time))."),
                _ => Ok(()),
            };
        }
        for saying in sayings.iter().filter(|saying| !saying.turns.is_empty()) {
            let _ = writeln!(modes, "type({}_turn, symbol).", saying.name);
        }
        if let Some(longest) = self.windows.last() {
            // What was said when the longest interval began is still known when it ends.
            let horizon = longest.saturating_mul(HORIZON).max(self.labels.lengths().last().copied().unwrap_or(0));
            let _ = writeln!(modes, "\n% ---- how far rules may look back, in time units\nhorizon({horizon}).");
        }
    }

    fn write_labels(&self, modes: &mut String) {
        modes.push_str("\n% ---- the labels; rules that start and end each of them are learned\n");
        for (name, fluent) in &self.labels.fluents {
            let types: Vec<String> =
                self.types[..fluent.arity].iter().map(|own| format!("+{}", name_of(own))).collect();
            let name = Value::Sym(Symbol::new(name)).to_string();
            let fluent = if types.is_empty() { name } else { format!("{name}({})", types.join(", ")) };
            let _ = writeln!(modes, "example(holdsAt({fluent}, +time)).");
        }
        for (name, symmetry) in self.symmetric() {
            if symmetry == Symmetry::Assumed {
                modes.push_str("% Nobody has this in both orders at once. If the order of the two means something, delete the line.\n");
            }
            let _ = writeln!(modes, "symmetric({}/2).", Value::Sym(Symbol::new(name)));
        }
    }

    /// The fluents of pairs whose order is taken to mean nothing.
    fn symmetric(&self) -> impl Iterator<Item = (&str, Symmetry)> {
        let of_one_type = self.types.len() > 1 && self.types[0] == self.types[1];
        let fluents = self.labels.fluents.iter().filter(move |_| of_one_type);
        fluents.filter_map(|(name, fluent)| Some((name.as_str(), fluent.symmetry()?)))
    }

    fn manifest(&self, sayings: &[Saying<'_>]) -> String {
        let fluents: Vec<&str> = self.labels.fluents.keys().map(String::as_str).collect();
        let mut text = format!("description = {}\n", quoted(&format!("Learned from tables: {}.", fluents.join(", "))));
        text.push_str("\n[calculus]\n");
        text.push_str(&self.tracked_text());
        text.push_str("\n[stream]\n");
        if let Some(unit) = self.unit {
            let form = if self.times.are_dates() { "iso" } else { "seconds" };
            let _ = writeln!(
                text,
                "time = \"{form}\"          # how times are written\nepoch = \"{unit}\"           # what time units are"
            );
        }
        if let Some(zone) = &self.zone {
            let _ = writeln!(text, "zone = {}", quoted(zone));
        }
        if self.interleaved {
            text.push_str("interleaved = true     # rows of several segments are mixed\n");
        }
        if let Some(tick) = self.tick {
            let _ = writeln!(text, "tick = {tick:<16} # a time point so often, also where nothing is reported");
        }
        if let Some((grid, fill)) = self.grid {
            let (grid, fill) = (quoted(&self.duration(grid)), quoted(&self.duration(fill)));
            let _ = writeln!(
                text,
                "grid = {grid}             # time points so far apart: labels are about several, who report at different times\n\
                 fill = {fill}             # what was reported stands so long"
            );
        }
        if !self.sorted {
            text.push_str(
                "sorted = false         # rows are not in the order of time: they are read as a whole, and sorted\n",
            );
        }
        if let Some(column) = &self.segments.of_labels {
            let _ = writeln!(text, "\n[labels]\nsegment = {}", quoted(column));
            if !self.labels.args.contains(column) && !column.eq_ignore_ascii_case("segment") {
                let args: Vec<String> = self.labels.args.iter().map(|name| quoted(name)).collect();
                let _ = writeln!(text, "arguments = [{}]", args.join(", "));
            }
        }
        let mut number = 0;
        // The views of one table stand beside each other.
        for views in self.tables.chunk_by(|a, b| a.several && a.profile.path == b.profile.path) {
            let table = &views[0];
            let column_of_segment = self.segments.columns.get(number).cloned().flatten();
            number += views.len();
            let is_own = |saying: &&Saying<'_>| views.iter().any(|view| std::ptr::eq(saying.table, view));
            let own: Vec<&Saying<'_>> = sayings.iter().filter(is_own).collect();
            if own.is_empty() {
                continue;
            }
            let columns = &table.profile.columns;
            let of_two = table.profile.parts_of(table.time);
            let time = of_two.map_or(table.time, |[day, _]| day);
            let _ = writeln!(
                text,
                "\n[[table]]\nname = {}\ntime = {}",
                quoted(&table.profile.stem()),
                quoted(&columns[time].name)
            );
            if let Some([_, of_day]) = of_two {
                let _ = writeln!(text, "time_of_day = {}", quoted(&columns[of_day].name));
            }
            if let Some(segment) = column_of_segment {
                let _ = writeln!(text, "segment = {}", quoted(&segment));
            }
            if table.profile.has_commas() {
                text.push_str("decimal = \",\"          # numbers have a decimal comma\n");
            }
            let facts = |of_ends: bool| {
                let sayings = own.iter().filter(|saying| (saying.edge == Some(Edge::End)) == of_ends);
                sayings.fold(String::new(), |all, saying| all + "    " + &quoted(&saying.template()) + ",\n")
            };
            let _ = writeln!(text, "facts = [\n{}]", facts(false));
            if let Some(end) = views.iter().find_map(|view| view.end) {
                let _ = writeln!(
                    text,
                    "end = {:<16} # rows are intervals, and this is when they end\nend_facts = [\n{}]",
                    quoted(&columns[end].name),
                    facts(true)
                );
            }
        }
        text
    }

    /// Who is gone that has no row, as the manifest says it.
    fn tracked_text(&self) -> String {
        if self.tracked.len() == self.types.len() {
            return "# A fluent ends when an entity that it is about has no row at a time point.\n# tracked = []\n"
                .into();
        }
        let mut own: Vec<String> = self.tracked.iter().map(|own| quoted(&name_of(own))).collect();
        own.dedup();
        format!(
            "# Rows come when something is reported, so nobody is lost who is not mentioned{}.\ntracked = [{}]\n",
            if own.is_empty() { "" } else { ", but for these types" },
            own.join(", ")
        )
    }

    /// A number of time units as people write it.
    fn duration(&self, units: i64) -> String {
        let clock = self.times.clock().units;
        if !self.times.are_dates() || units % clock != 0 {
            return units.to_string();
        }
        match units / clock {
            seconds if seconds % 86_400 == 0 => format!("{}d", seconds / 86_400),
            seconds if seconds % 3600 == 0 => format!("{}h", seconds / 3600),
            seconds if seconds % 60 == 0 => format!("{}m", seconds / 60),
            seconds => format!("{seconds}s"),
        }
    }
}
