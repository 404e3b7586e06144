//! `oled weigh`: how much each rule of a theory counts, learned from a labelled stream.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use oled::Evaluation;
use oled::weights::{BySegment, Chains, Costs, FluentChains, Margin, Weighed, weigh_chains};
use oled_data::task_folder::TaskFolder;

use crate::Outcome;
use crate::args::{CostArgs, InputArgs};
use crate::confidence::firing;
use crate::input::{load_theory, recogniser, too_much};
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

/// With fewer annotated intervals than this, how reliable probabilities are cannot be told.
const FEW_INTERVALS: usize = 10;

pub(crate) fn run(args: &WeighArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let folder = TaskFolder::load(&args.task)?;
    let mut recogniser = recogniser(&folder, &args.theory, quiet)?;
    let theory = load_theory(&folder, &args.theory)?;
    let mut firing = firing(&folder, &theory)?;
    args.output.iter().try_for_each(|path| Output::check(path))?;
    let mut evaluation = Evaluation::new(&folder.task.labels());
    let mut frames = Source::stream(&folder, &args.input, false)?;
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
    let (chains, costs) = (firing.finish(), args.costs.costs());
    if chains.fluents.iter().all(|fluent| fluent.chains.is_empty()) {
        bail!(
            "no rule starts anything in this stream, so there is nothing to weigh\nhint: `oled recognise` shows what the rules recognise"
        );
    }
    let weighed = weigh_chains(&theory, &chains, &costs);
    if !quiet {
        tell(&chains, &weighed, &evaluation, &costs);
    }
    let path = args.output.as_deref().unwrap_or(Path::new("-"));
    write_file(path, &weighed.theory.to_string())?;
    Ok(Outcome::Done)
}

/// Says what weights come to, beside rules without.
fn tell(chains: &Chains, weighed: &Weighed, evaluation: &Evaluation, costs: &Costs) {
    for (fluent, margin) in chains.fluents.iter().zip(&weighed.margins) {
        say(&summary(fluent, margin, evaluation, costs));
    }
}

/// What weights of a fluent come to.
pub(crate) fn summary(fluent: &FluentChains, margin: &Margin, evaluation: &Evaluation, costs: &Costs) -> String {
    let name = fluent.name();
    let crisp = evaluation.by_fluent().get(&name).copied().unwrap_or_default();
    let mut text = format!("{name}: ");
    match margin.tried.iter().find(|(kind, _)| *kind == margin.kind) {
        Some((_, held_out)) => {
            let own = evaluation.by_segment().into_iter().filter(|(of, ..)| *of == name);
            let crisp_by: BySegment = own.map(|(_, segment, counts)| (segment, counts)).collect();
            let (wins, losses) = margin.against(&crisp_by, costs);
            text += &format!(
                "F1 {:.3} with weights that were learned from other segments, {:.3} without weights; better in {wins} segments, \
                 worse in {losses}",
                held_out.f1(),
                crisp.f1()
            );
        }
        None => text += "one segment only, so nothing says what weights are worth elsewhere",
    }
    let against: Vec<String> = (fluent.rules.iter().zip(&margin.weights.rules))
        .filter(|(_, weight)| **weight < 0.0)
        .map(|(rule, _)| (rule.number + 1).to_string())
        .collect();
    if !against.is_empty() {
        text += &format!("\n  rules that speak against their heads: {}", against.join(", "));
    }
    let unused = margin.weights.rules.iter().filter(|weight| **weight == 0.0).count();
    if unused > 0 {
        text += &format!("\n  {unused} of {} rules are not needed: their weight is 0", fluent.rules.len());
    }
    let calibration = &margin.held_out;
    if calibration.intervals() < FEW_INTERVALS {
        text += &format!(
            "\n  probabilities: too few intervals to tell, {} where {FEW_INTERVALS} are needed",
            calibration.intervals()
        );
    } else {
        let error = |temperature: f64| calibration.reliability(temperature).error();
        text += &format!(
            "\n  probabilities: {:.3} off on average, {:.3} before calibration",
            error(margin.weights.temperature),
            error(1.0)
        );
    }
    text
}
