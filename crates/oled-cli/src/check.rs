//! `oled check`: everything that is wrong with a task, and what was understood of it.

use std::io::Write;
use std::sync::Arc;

use oled::calculus::{is_ordinary, label_name};
use oled::lang::ec::HOLDS;
use oled::lang::printable;
use oled::logic::{Role, Vocabulary};
use oled::{
    Bias, DefinitionKind, Diagnostic, Mode, Problems, Replay, Signature, Source, Task, Term, Theory, parse_source,
};
use oled_data::task_folder::TaskFolder;

use crate::Outcome;
use crate::args::CheckArgs;
use crate::output::counted;
use crate::progress::say;

pub(crate) fn run(args: &CheckArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let folder = TaskFolder::read(&args.task)?;
    let sources = match args.theory.as_slice() {
        [] => folder.theories()?,
        paths => paths.iter().map(|path| folder.theory(path)).collect::<Result<_, _>>()?,
    };
    let mut problems: Vec<Diagnostic> = folder.problems().to_vec();
    let mut theories = Vec::new();
    for source in sources {
        let (theory, wrong) = parse_source(&source);
        problems.extend(wrong);
        if let Err(wrong) = folder.task.check(&theory) {
            // What is wrong with the task itself is told once.
            let wrong: Vec<Diagnostic> = wrong.into();
            problems.extend(
                wrong.into_iter().filter(|w| !folder.problems().iter().any(|p| p == w && p.position() == w.position())),
            );
        }
        theories.push((source, theory));
    }
    Problems::check(problems)?;
    learnable(&folder)?;
    if !quiet {
        // The background is looked at once, not with each theory.
        let mut warnings = folder.task.warnings(&Theory::default());
        warnings.extend(theories.iter().flat_map(|(_, theory)| Task::default().warnings(theory)));
        warnings.iter().for_each(|warning| say(&warning.as_warning().to_string()));
    }
    if args.with.is_some() {
        return compare(args, &folder, &theories);
    }
    let mut out = std::io::stdout().lock();
    write!(out, "{}", printable(&describe(&folder, &theories)))?;
    Ok(Outcome::Done)
}

/// Whether `oled learn` takes a task that says what is to be learned.
fn learnable(folder: &TaskFolder) -> anyhow::Result<()> {
    if !folder.task.bias.heads.is_empty() {
        let settings = folder.replay_settings(&[]).map_err(anyhow::Error::msg)?;
        Replay::new(&folder.task, settings)?;
    }
    Ok(())
}

#[cfg(not(feature = "clingo"))]
fn compare(_: &CheckArgs, _: &TaskFolder, _: &[(Arc<Source>, Theory)]) -> anyhow::Result<Outcome> {
    anyhow::bail!("this program was built without clingo\nhint: {}", oled_asp::HOW_TO_SWITCH_ON)
}

/// Compares everything that each theory derives from the stream with what clingo says.
#[cfg(feature = "clingo")]
fn compare(args: &CheckArgs, folder: &TaskFolder, theories: &[(Arc<Source>, Theory)]) -> anyhow::Result<Outcome> {
    let mut stream = crate::input::open_stream(folder, &args.input)?;
    let frames: Vec<oled::Frame> = stream.by_ref().collect::<Result<_, _>>()?;
    crate::progress::say_skipped(stream.skipped(), crate::progress::Labels::Unused, false);
    let time = args.seconds.map(std::time::Duration::from_secs);
    let limits = oled_asp::solver::Limits { time, ..Default::default() };
    let none = [(Source::new("no theory", ""), Theory::default())];
    let mut outcome = Outcome::Done;
    let mut out = std::io::stdout().lock();
    for (source, theory) in if theories.is_empty() { &none } else { theories } {
        let verdict = oled_asp::judge::judge(&folder.task, theory, &frames, &limits)?;
        write!(out, "{}\n{verdict}", source.name)?;
        if !verdict.differences.is_empty() {
            outcome = Outcome::Nothing;
        }
    }
    Ok(outcome)
}

fn describe(folder: &TaskFolder, theories: &[(Arc<Source>, Theory)]) -> String {
    use std::fmt::Write;
    let task = &folder.task;
    let empty = Theory::default();
    let rules = task.rules(&empty);
    let (vocabulary, _) = Vocabulary::new(&task.bias, &rules);
    let mut text = String::new();
    let mut line = |l: String| writeln!(text, "{l}").expect("strings can be written to");
    line(format!("task {}: {}", folder.name, folder.description));
    line(String::new());
    line("types".into());
    for (name, values) in types(&task.bias, &vocabulary) {
        line(format!("  {name:<12} {values}"));
    }
    let is_measured = |s: Signature| vocabulary.measures.iter().any(|m| m.measured == s);
    let is_open = |s: Signature| vocabulary.measures.iter().any(|m| m.predicate == s);
    for (title, role) in [("from the stream", Role::Input), ("static", Role::Static), ("derived", Role::Derived)] {
        let of_role: Vec<String> = vocabulary
            .predicates
            .iter()
            .filter(|(s, p)| p.role == role && !is_calculus(**s) && !task.labels().contains(s) && !is_measured(**s))
            .map(|(s, p)| {
                format!("{}{}", typed(*s, &p.types), if is_open(*s) { "  with a learned threshold" } else { "" })
            })
            .collect();
        if !of_role.is_empty() {
            line(String::new());
            line(format!("predicates {title}"));
            of_role.into_iter().for_each(|p| line(format!("  {p}")));
        }
    }
    let all: Vec<Signature> = vocabulary.predicates.keys().copied().filter(|s| !is_measured(*s)).collect();
    if let Ok((_, program)) = task.compile(&rules, |_| all) {
        let strata = program.describe_strata();
        if !strata.is_empty() {
            line(String::new());
            line("strata of the background, from the bottom up".into());
            for (i, heads) in strata.iter().enumerate() {
                let names: Vec<String> = heads.iter().map(ToString::to_string).collect();
                line(format!("  {} {}", i + 1, names.join("  ")));
            }
        }
    }
    if let Some(horizon) = task.bias.horizon {
        line(String::new());
        line(format!("rules may look back {horizon} time units"));
    }
    for duration in &task.bias.min_durations {
        let (name, arguments, units) = (duration.name, duration.arguments, duration.units);
        line(String::new());
        line(format!("`{name}/{arguments}` is reported where it lasts at least {units} time units"));
    }
    line(String::new());
    line("to be recognised".into());
    for label in task.labels() {
        let types = &vocabulary.predicates[&label].types;
        let how = if persists(task, label) { "" } else { "  at each time point, without inertia" };
        let order = if task.is_symmetric(label) { "  in either order" } else { "" };
        let among = if task.candidates(label).is_some() { "  among its candidates" } else { "" };
        line(format!("  {}{how}{order}{among}", typed(label, types)));
    }
    let meant: Vec<&Mode> = task.bias.bodies.iter().filter(|mode| !mode.heads.is_empty()).collect();
    if !meant.is_empty() {
        line(String::new());
        line("conditions of some heads only".into());
        meant.into_iter().for_each(|mode| line(format!("  {mode}")));
    }
    for (source, theory) in theories {
        line(String::new());
        let (rules, literals) = (theory.clauses.len() as u64, theory.literals() as u64);
        line(format!("theory {}: {}, {}", source.name, counted(rules, "rule"), counted(literals, "literal")));
    }
    text
}

/// Whether a label is a fluent that is started and ended, as far as the background, `task.toml` or the heads of rules that
/// are to be learned say so.
fn persists(task: &Task, label: Signature) -> bool {
    let said = label_name(label).and_then(|name| task.options.kinds.get(&name).copied());
    let heads = || task.bias.heads.iter().map(oled::Mode::signature).filter(|s| s.renamed(HOLDS) == label);
    match task.kind_of(&Theory::default(), label).or(said) {
        Some(kind) => kind == DefinitionKind::Persists,
        None => !is_ordinary(label) && (heads().next().is_none() || heads().any(is_calculus)),
    }
}

fn is_calculus(signature: Signature) -> bool {
    matches!(signature.name().as_str(), "initiatedAt" | "terminatedAt")
}

/// A signature with the types of its arguments.
fn typed(signature: Signature, types: &[Option<oled::Symbol>]) -> String {
    let names = types.iter().map(|t| Term::var(t.map_or("_", |s| s.as_str())));
    signature.fill(names).to_string()
}

fn types(bias: &Bias, vocabulary: &Vocabulary) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for mode in bias.modes() {
        for name in mode.types().into_iter().flatten() {
            if found.iter().any(|(n, _)| n == name.as_str()) {
                continue;
            }
            let observed = bias.inputs.iter().any(|m| m.types().contains(&Some(name)));
            let values = match vocabulary.enumerations.get(&name) {
                Some(values) => values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
                None if name.as_str() == "time" => "time points".into(),
                None if bias.kind_of(name).is_number() => "numbers".into(),
                None if observed => "what the stream has at its places".into(),
                None => "what the rules derive".into(),
            };
            found.push((name.as_str().to_string(), values));
        }
    }
    found
}
