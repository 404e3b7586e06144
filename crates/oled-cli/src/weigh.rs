//! `oled weigh`: how much each rule of a theory counts, learned from a labelled stream.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use oled::evaluate::LastLabel;
use oled::weights::{BySegment, Chosen, Costs, FEW_INTERVALS, FluentChains, FluentWeights, Weighing, total};
use oled::{Evaluation, Frame, Recogniser, Theory};
use oled_data::task_folder::TaskFolder;

use crate::Outcome;
use crate::args::{CostArgs, InputArgs, MethodArg};
use crate::confidence::layers;
use crate::input::{load_task, load_theory, warn};
use crate::output::{Output, write_file};
use crate::progress::{Labels, Progress, say, say_skipped};
use crate::source::Source;
use crate::workers::{self, Counted};

#[derive(Debug, Args)]
pub(crate) struct WeighArgs {
    /// The folder of the task; `lobby`, `homes`, `caviar`, `lobby-listed` and `caviar-listed` are built in.
    pub(crate) task: PathBuf,

    /// The rules: a file, or the name of a theory that comes with the task. Weights that they have are learned anew.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) theory: PathBuf,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// How weights are learned: by a margin from all segments together, or in one pass.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) method: MethodArg,

    #[command(flatten)]
    pub(crate) costs: CostArgs,

    /// Where the theory with weights goes, instead of standard output.
    #[arg(long, short, alias = "out", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

pub(crate) fn run(args: &WeighArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let folder = load_task(&args.task)?;
    let theory = load_theory(&folder, &args.theory)?;
    warn(&folder, &theory, quiet);
    args.output.iter().try_for_each(|path| Output::check(path))?;
    let frames = Source::stream(&folder, &args.input, false)?;
    let weighing =
        Weighing { costs: args.costs.costs(), method: args.method.into(), rules: None, threads: args.input.workers };
    let (weighed, told) = weighed(&folder, &theory, frames, &weighing, Rules::Given, quiet)?;
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
    weighing: &Weighing<'_>,
    rules: Rules,
    quiet: bool,
) -> anyhow::Result<(Theory, Vec<String>)> {
    let mut layers = layers(folder, theory)?;
    let targets = folder.task.labels();
    let mut counted = Counted {
        recogniser: Recogniser::new(&folder.task, theory)?,
        evaluation: Evaluation::new(&targets),
        repeated: LastLabel::new(&targets),
        firing: layers.swap_remove(0),
    };
    // Layers above the first need the frames again when what they ask for is known.
    let one_layer = layers.is_empty();
    let mut kept: Vec<Frame> = Vec::new();
    let mut progress = Progress::new(frames.total_bytes(), quiet);
    let chains = if weighing.threads > 1 && one_layer && !folder.task.options.interleaved {
        let (read, chains) = workers::count(&mut counted, frames, weighing.threads, &mut progress)?;
        frames = read;
        chains
    } else {
        while let Some(frame) = frames.next() {
            let frame = frame?;
            counted.observe(&frame)?;
            if !one_layer {
                kept.push(frame);
            }
            progress.frame_at(|| frames.bytes_read());
        }
        counted.firing.finish()
    };
    let Counted { evaluation, repeated, .. } = counted;
    progress.finish();
    say_skipped(&frames.finish(), Labels::Used, quiet);
    let weighing = Weighing { rules: (rules == Rules::Learned).then_some(&evaluation), ..*weighing };
    let weighed =
        if one_layer { weighing.weigh(chains) } else { weighing.learn(&folder.task, theory, || kept.iter())? };
    let chains = &weighed.chains;
    if chains.fluents.iter().all(|fluent| fluent.chains.is_empty()) {
        bail!(
            "no rule starts anything in this stream, so there is nothing to weigh\nhint: `oled recognise` shows what the rules recognise"
        );
    }
    let all = chains.fluents.iter().zip(&weighed.chosen).zip(&weighed.weights.fluents);
    let told = all.map(|((fluent, chosen), weights)| {
        let counts = Beside {
            crisp: evaluation.of_fluent(fluent.name()),
            repeated: repeated.evaluation().of_fluent(fluent.name()),
        };
        summary(fluent, chosen, weights, &counts, &weighing.costs)
    });
    let mut told: Vec<String> = told.collect();
    if weighing.costs.false_alarm != weighing.costs.miss {
        let probable = weighing.costs.threshold();
        told.push(format!(
            "with these costs it pays to say that something holds where that is at least {probable:.3} probable: \
             `--confidence --threshold {probable:.3}`"
        ));
    }
    Ok((weighed.weights.write(theory, &chains.fluents), told))
}

/// What is counted of a fluent beside weights.
struct Beside {
    /// With rules that have no weights.
    crisp: BySegment,
    /// By repeating the last label.
    repeated: BySegment,
}

/// What weights of a fluent come to.
fn summary(
    fluent: &FluentChains,
    chosen: &Chosen,
    weights: &FluentWeights,
    Beside { crisp, repeated }: &Beside,
    costs: &Costs,
) -> String {
    let name = fluent.name();
    let mut lines = Vec::new();
    match chosen.tried.iter().find(|(kind, _)| *kind == chosen.kind) {
        Some((_, held_out)) => {
            let (wins, losses) = chosen.against(crisp, costs);
            lines.push(format!(
                "{name}: F1 {:.3} with weights that were learned from other segments, {:.3} without weights; better in \
                 {wins} segments, worse in {losses}",
                held_out.f1(),
                total(crisp).f1()
            ));
        }
        None => lines.push(format!("{name}: one segment only, so nothing says what weights are worth elsewhere")),
    }
    if let Some(prequential) = &chosen.prequential {
        let mut found = total(prequential);
        found.fn_ += fluent.missed.values().sum::<u64>();
        lines.push(format!(
            "  F1 {:.3} in one pass, each time point before its label is known; {:.3} by repeating the last label",
            found.f1(),
            total(repeated).f1()
        ));
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
    let calibration = if weights.decide { &chosen.held_out } else { &chosen.sure };
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
