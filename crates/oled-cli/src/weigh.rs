//! `oled weigh`: how much each rule of a theory counts, learned from a labelled stream.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use oled::weights::{BySegment, Costs, FEW_INTERVALS, FluentChains, FluentWeights, Margin, total, weigh_chains};
use oled::{Evaluation, Recogniser, Theory};
use oled_data::task_folder::TaskFolder;

use crate::Outcome;
use crate::args::{CostArgs, InputArgs};
use crate::confidence::firing;
use crate::input::{load_theory, too_much, warn};
use crate::output::{Output, write_file};
use crate::progress::{Labels, Progress, say, say_skipped};
use crate::source::Source;

#[derive(Debug, Args)]
pub(crate) struct WeighArgs {
    /// The folder of the task; `lobby`, `homes`, `caviar`, `lobby-listed` and `caviar-listed` are built in.
    pub(crate) task: PathBuf,

    /// The rules: a file, or the name of a theory that comes with the task. Weights that they have are learned anew.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) theory: PathBuf,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    #[command(flatten)]
    pub(crate) costs: CostArgs,

    /// Where the theory with weights goes, instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

pub(crate) fn run(args: &WeighArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let folder = TaskFolder::load(&args.task)?;
    let theory = load_theory(&folder, &args.theory)?;
    warn(&folder, &theory, quiet);
    args.output.iter().try_for_each(|path| Output::check(path))?;
    let frames = Source::stream(&folder, &args.input, false)?;
    let (weighed, told) = weighed(&folder, &theory, frames, &args.costs.costs(), Rules::Given, quiet)?;
    if !quiet {
        told.iter().for_each(|line| say(line));
    }
    write_file(args.output.as_deref().unwrap_or(Path::new("-")), &weighed.to_string())?;
    Ok(Outcome::Done)
}

/// Where rules come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rules {
    /// From people: weights decide what they recognise.
    Given,
    /// From the same stream: weights decide where they are better on segments that they were not learned from.
    Learned,
}

/// A theory with weights, and what they come to beside rules without.
pub(crate) fn weighed(
    folder: &TaskFolder,
    theory: &Theory,
    mut frames: Source,
    costs: &Costs,
    rules: Rules,
    quiet: bool,
) -> anyhow::Result<(Theory, Vec<String>)> {
    let mut recogniser = Recogniser::new(&folder.task, theory)?;
    let mut firing = firing(folder, theory)?;
    let mut evaluation = Evaluation::new(&folder.task.labels());
    let mut progress = Progress::new(frames.total_bytes(), quiet);
    while let Some(frame) = frames.next() {
        let frame = frame?;
        firing.observe(&frame);
        recogniser.observe(&frame, &mut Vec::new());
        if let Some(stop) = firing.stop().or(recogniser.stop()) {
            return Err(too_much(stop, &frame));
        }
        evaluation.count(&recogniser, &frame);
        progress.frame_at(|| frames.bytes_read());
    }
    progress.finish();
    say_skipped(&frames.finish(), Labels::Used, quiet);
    let chains = firing.finish();
    if chains.fluents.iter().all(|fluent| fluent.chains.is_empty()) {
        bail!(
            "no rule starts anything in this stream, so there is nothing to weigh\nhint: `oled recognise` shows what the rules recognise"
        );
    }
    let mut weighed = weigh_chains(&chains, costs);
    if rules == Rules::Learned {
        weighed.let_rules_decide(&chains, &evaluation, costs);
    }
    let all = chains.fluents.iter().zip(&weighed.margins).zip(&weighed.weights.fluents);
    let told = all.map(|((fluent, margin), weights)| {
        summary(fluent, margin, weights, &evaluation.of_fluent(fluent.name()), costs)
    });
    let told = told.collect();
    Ok((weighed.weights.write(theory, &chains.fluents), told))
}

/// What weights of a fluent come to.
fn summary(
    fluent: &FluentChains,
    margin: &Margin,
    weights: &FluentWeights,
    crisp: &BySegment,
    costs: &Costs,
) -> String {
    let name = fluent.name();
    let mut lines = Vec::new();
    match margin.tried.iter().find(|(kind, _)| *kind == margin.kind) {
        Some((_, held_out)) => {
            let (wins, losses) = margin.against(crisp, costs);
            lines.push(format!(
                "{name}: F1 {:.3} with weights that were learned from other segments, {:.3} without weights; better in \
                 {wins} segments, worse in {losses}",
                held_out.f1(),
                total(crisp).f1()
            ));
        }
        None => lines.push(format!("{name}: one segment only, so nothing says what weights are worth elsewhere")),
    }
    let against: Vec<String> = (fluent.rules.iter().zip(&weights.rules))
        .filter(|(_, weight)| **weight < 0.0)
        .map(|(rule, _)| (rule.number + 1).to_string())
        .collect();
    if !against.is_empty() {
        lines.push(format!("  rules that speak against their heads: {}", against.join(", ")));
    }
    let unused = weights.rules.iter().filter(|weight| **weight == 0.0).count();
    if unused > 0 {
        lines.push(format!("  {unused} of {} rules are not needed: their weight is 0", fluent.rules.len()));
    }
    let calibration = if weights.decide { &margin.held_out } else { &margin.sure };
    let error = |temperature: f64| calibration.reliability(temperature).error();
    lines.push(match calibration.intervals() {
        few if few < FEW_INTERVALS => {
            format!("  probabilities: too few intervals to tell, {few} where {FEW_INTERVALS} are needed")
        }
        _ => format!(
            "  probabilities: {:.3} off on average, {:.3} before calibration",
            error(weights.temperature),
            error(1.0)
        ),
    });
    if !weights.decide {
        lines.push("  weights say how sure the rules are, and decide nothing".into());
    }
    lines.join("\n")
}
