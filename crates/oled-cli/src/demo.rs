//! `oled demo`: rules learned in the simulated world, beside the true ones, at work on a stream they have not seen.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::path::Path;

use anyhow::Context;
use oled::induce::{equivalent, subsumes};
use oled::{Clause, Evaluation, Recogniser, Signature, Task, Theory};
use oled_data::task_folder::TaskFolder;
use oled_data::world::{World, WorldOptions};
use oled_experiment::LEARNERS;

use crate::Outcome;
use crate::args::DemoArgs;
use crate::input::load_theory;
use crate::progress::{bar, say};
use crate::simulate::options;
use crate::timeline::Timeline;

/// Three theories about the same fluents.
struct Theories {
    learned: Theory,
    hand: Theory,
    truth: Theory,
}

pub(crate) fn run(args: &DemoArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let folder = TaskFolder::lobby_listed();
    let train = options(&args.world);
    let test = WorldOptions { seed: train.seed.wrapping_add(1), ..train };
    let theories = Theories {
        learned: learn(&folder, train, quiet)?,
        hand: load_theory(&folder, Path::new("hand"))?,
        truth: load_theory(&folder, Path::new("true"))?,
    };
    let targets = folder.task.labels();
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "Rules learned from {} frames of a lobby with {} people, in one pass, beside the true ones:\n",
        World::new(train).len(),
        args.world.people
    )?;
    writeln!(out, "{}", rules(&theories, &targets, width(), args.all))?;

    let (evaluation, timeline) = recognise(&folder.task, &theories.learned, test)?;
    if let Some(timeline) = timeline {
        let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let drawn = timeline.to_text(width(), colour);
        writeln!(out, "What they recognise in another such stream, segment {}:\n\n{drawn}", timeline.segment())?;
        let svg = timeline.to_svg("Learned in one simulated lobby, recognised in another");
        std::fs::write(&args.svg, svg).with_context(|| format!("cannot write `{}`", args.svg.display()))?;
    }
    let (hand, _) = recognise(&folder.task, &theories.hand, test)?;
    let (truth, _) = recognise(&folder.task, &theories.truth, test)?;
    writeln!(
        out,
        "All segments of that stream, time point by time point:\n\n{}",
        scores([&evaluation, &hand, &truth])
    )?;
    out.flush()?;
    if !quiet {
        say(&format!("the timeline is drawn in {}", args.svg.display()));
    }
    Ok(if theories.learned.clauses.is_empty() { Outcome::Nothing } else { Outcome::Done })
}

/// The rules that one pass over a world teaches.
fn learn(folder: &TaskFolder, options: WorldOptions, quiet: bool) -> anyhow::Result<Theory> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut learner = oled_experiment::learner(folder, LEARNERS[0].name, None, &|_| Vec::new(), threads)?;
    let world = World::new(options);
    let bar = bar("frames", Some(world.len() as u64), "learning {bar:30} {percent:>3}%  {msg}", quiet);
    for (i, frame) in (1u64..).zip(world) {
        learner.observe(&frame, &mut ());
        if i.is_multiple_of(256) {
            bar.set_position(i);
            let rules = learner.theory(&mut ()).clauses.len();
            let speed = i as f64 / bar.elapsed().as_secs_f64().max(1e-6);
            bar.set_message(format!("{speed:.0} frames/s, {rules} rules so far"));
        }
    }
    bar.finish_and_clear();
    Ok(learner.learned(&mut ()).theory())
}

/// Runs a theory on a world; the timeline is of the segment with most kinds of complex events, the first of several.
fn recognise(task: &Task, theory: &Theory, options: WorldOptions) -> anyhow::Result<(Evaluation, Option<Timeline>)> {
    let mut recogniser = Recogniser::new(task, theory)?;
    let targets = task.labels();
    let mut evaluation = Evaluation::new(&targets);
    let mut shown: Option<Timeline> = None;
    let mut current: Option<Timeline> = None;
    let mut intervals = Vec::new();
    for frame in World::new(options) {
        recogniser.observe(&frame, &mut intervals);
        intervals.clear();
        evaluation.count(&recogniser, &frame);
        if current.as_ref().is_some_and(|t| t.segment() != frame.segment) {
            shown = richer(shown, current.take());
        }
        current.get_or_insert_with(|| Timeline::new(&frame, &targets)).add(&frame, &recogniser);
    }
    Ok((evaluation, richer(shown, current)))
}

/// The timeline with more kinds of complex events, or else the first.
fn richer(first: Option<Timeline>, second: Option<Timeline>) -> Option<Timeline> {
    match (first, second) {
        (Some(first), Some(second)) if second.variety() > first.variety() => Some(second),
        (None, second) => second,
        (first, _) => first,
    }
}

// ---- rules

/// Learned rules beside true ones: all of them, or those of the fluent that was learned best, in fewest rules, and the
/// numbers of the others.
fn rules(theories: &Theories, targets: &[Signature], width: usize, all: bool) -> String {
    let of = |theory: &Theory, target: Signature| -> Vec<Clause> {
        let fluent = |c: &&Clause| Signature::of(&c.head).inner_name() == target.inner_name();
        theory.clauses.iter().filter(fluent).cloned().collect()
    };
    let count = |target: &Signature| of(&theories.learned, *target).len();
    let missing = |target: &Signature| {
        let (learned, truth) = (of(&theories.learned, *target), of(&theories.truth, *target));
        pair(&learned, &truth).iter().filter(|(ours, _)| ours.is_none()).count()
    };
    let best = targets.iter().filter(|t| count(t) > 0).min_by_key(|t| (missing(t), count(t)));
    let name = |t: &Signature| t.inner_name().map_or("", |n| n.as_str());
    let mut text = String::new();
    for target in targets.iter().filter(|t| all || Some(*t) == best) {
        let (learned, truth) = (of(&theories.learned, *target), of(&theories.truth, *target));
        let left = format!("{}: {} learned", name(target), learned.len());
        writeln!(text, "  {left:<0$}  {1} true", column(width), truth.len()).expect(FITS);
        for (ours, theirs) in pair(&learned, &truth) {
            text.push('\n');
            text.push_str(&side_by_side(ours, theirs, width));
        }
        text.push('\n');
    }
    for target in targets.iter().filter(|t| !all && Some(*t) != best) {
        let left = format!("{}: {} learned", name(target), count(target));
        writeln!(text, "  {left:<0$}  {1} true", column(width), of(&theories.truth, *target).len()).expect(FITS);
    }
    if !all {
        writeln!(text, "\n`oled demo --all` prints these too.").expect(FITS);
    }
    text
}

/// Why writing to a string does not fail.
const FITS: &str = "strings can be written to";

/// Each true rule with the learned rule that says the same, or is a more general or a more special form of it; then the
/// learned rules that are left.
fn pair<'a>(learned: &'a [Clause], truth: &'a [Clause]) -> Vec<(Option<&'a Clause>, Option<&'a Clause>)> {
    let mut left: Vec<&Clause> = learned.iter().collect();
    let mut partners = vec![None; truth.len()];
    let same: fn(&Clause, &Clause) -> bool = equivalent;
    let related: fn(&Clause, &Clause) -> bool = |a, b| subsumes(a, b) || subsumes(b, a);
    for fits in [same, related] {
        for (partner, clause) in partners.iter_mut().zip(truth).filter(|(p, _)| p.is_none()) {
            *partner = left.iter().position(|l| fits(l, clause)).map(|i| left.remove(i));
        }
    }
    let pairs = partners.into_iter().zip(truth).map(|(ours, theirs)| (ours, Some(theirs)));
    pairs.chain(left.into_iter().map(|ours| (Some(ours), None))).collect()
}

/// The width of each of two columns, with a margin and a gap of two.
fn column(width: usize) -> usize {
    (width.saturating_sub(4) / 2).max(20)
}

/// Two rules in two columns, or below each other where they are too wide for that.
fn side_by_side(left: Option<&Clause>, right: Option<&Clause>, width: usize) -> String {
    let lines = |clause: Option<&Clause>| -> Vec<String> {
        clause.map_or_else(Vec::new, |c| c.to_string().lines().map(str::to_string).collect())
    };
    let (mut left, right) = (lines(left), lines(right));
    if left.is_empty() {
        left.push("(not found)".into());
    }
    let column = column(width);
    let fits = left.iter().all(|l| l.chars().count() <= column);
    let mut text = String::new();
    let empty = String::new();
    if fits {
        for i in 0..left.len().max(right.len()) {
            let (a, b) = (left.get(i).unwrap_or(&empty), right.get(i).unwrap_or(&empty));
            writeln!(text, "{}", format!("  {a:<column$}  {b}").trim_end()).expect(FITS);
        }
    } else {
        left.iter().for_each(|l| writeln!(text, "  {l}").expect(FITS));
        right.iter().for_each(|l| writeln!(text, "      % true: {l}").expect(FITS));
    }
    text
}

// ---- scores

/// The scores of the learned rules, with the F1 of those by hand and of the true ones.
fn scores([learned, hand, truth]: [&Evaluation; 3]) -> String {
    let by_fluent = [learned, hand, truth].map(Evaluation::by_fluent);
    let mut rows: Vec<(&str, Vec<String>)> =
        vec![("fluent", ["precision", "recall", "F1", "by hand", "true rules"].map(String::from).to_vec())];
    let row = |[l, h, t]: [oled::Confusion; 3]| {
        [l.precision(), l.recall(), l.f1(), h.f1(), t.f1()].map(|x| format!("{x:.3}")).to_vec()
    };
    for name in by_fluent[0].keys() {
        rows.push((name.as_str(), row(by_fluent.each_ref().map(|f| f[name]))));
    }
    rows.push(("all", row([learned, hand, truth].map(Evaluation::total))));
    let label = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, cells) in rows {
        write!(text, "{name:<label$}").expect(FITS);
        cells.iter().for_each(|c| write!(text, " {c:>10}").expect(FITS));
        text.push('\n');
    }
    text
}

/// The width of the terminal, or a usual one.
fn width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).unwrap_or(100).clamp(60, 200)
}

#[cfg(test)]
mod tests {
    use oled::parse_theory;

    use super::*;

    #[test]
    fn true_rules_stand_beside_the_learned_rules_that_say_the_same() {
        let rules = |text: &str| parse_theory("r", text).unwrap().clauses;
        let truth = rules("p(X) :- a(X). p(X) :- b(X), c(X). p(X) :- d(X).");
        let learned = rules("p(X0) :- e(X0). p(X0) :- b(X0). p(X0) :- a(X0), b(X0). p(X0) :- a(X0).");
        let pairs = pair(&learned, &truth);
        let expected = [
            (Some(&learned[3]), Some(&truth[0])),
            (Some(&learned[1]), Some(&truth[1])),
            (None, Some(&truth[2])),
            (Some(&learned[0]), None),
            (Some(&learned[2]), None),
        ];
        assert_eq!(pairs, expected);
    }

    #[test]
    fn rules_that_do_not_fit_side_by_side_stand_below_each_other() {
        let rule = &parse_theory("r", "happensAt(opens(Door), T) :- happensAt(pushed(Door), T).").unwrap().clauses[0];
        assert_eq!(side_by_side(Some(rule), Some(rule), 100).lines().count(), 2);
        assert_eq!(side_by_side(Some(rule), Some(rule), 60).lines().count(), 4);
    }
}
