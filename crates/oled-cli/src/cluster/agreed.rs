//! What all processes of a cluster must have in common: the program, the task, the rules and the options that results depend on.
//!
//! Files that only the first process reads or writes may be anywhere, and need not be there for others; so they are not compared.

use oled_data::digest;
use oled_data::task_folder::TaskFolder;
use oled_experiment::Experiment;

use crate::checkpoint::Fingerprint;
use crate::input::load_theory;
use crate::learn::{self, LearnArgs};
use crate::recognise::{self, RecogniseArgs};

/// Things by name.
type Agreed = Vec<(String, String)>;

/// What is the affair of the first process, or is named by a path.
const APART: [&str; 6] = ["`--output`", "`--events-to`", "`--log`", "`--labels`", "other inputs", "the theory"];

pub(super) fn recognise(folder: &TaskFolder, args: &RecogniseArgs) -> anyhow::Result<Agreed> {
    let mut made_of = recognise::made_of(folder, args)?;
    let theory = load_theory(folder, &args.theory)?.to_string();
    made_of.add("the rules", format!("{:016x}", digest(theory.as_bytes())));
    made_of.add("`--max-instances`", format!("{:?}", args.max_instances));
    made_of.add("`--max-steps`", args.steps.max_steps.to_string());
    Ok(all(made_of))
}

pub(super) fn learn(folder: &TaskFolder, args: &LearnArgs) -> anyhow::Result<Agreed> {
    Ok(all(learn::made_of(folder, args, &learn::overrides(args)?)?))
}

pub(super) fn crossval(experiment: &Experiment) -> Agreed {
    let mut made_of = Fingerprint::default();
    made_of.add("the command", "crossval");
    made_of.add("the folds", experiment.fingerprint());
    all(made_of)
}

fn all(mut made_of: Fingerprint) -> Agreed {
    made_of.add("the program", env!("CARGO_PKG_VERSION"));
    made_of.without(&APART)
}
