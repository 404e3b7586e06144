//! The result of a run, as it is written: a theory with its evidence, or one JSON object.

use std::path::Path;

use oled::Learned;
use oled_data::printable_json;
use oled_experiment::{Prequential, find};
use serde_json::{Value, json};

use super::options::LearnArgs;
use super::printed;
use crate::evaluate::fluents_json;
use crate::output::write_file;
use crate::progress::say;

/// The theory so far: into the output file, which is replaced, or to the person who asks.
pub(super) fn snapshot(learned: &Learned, args: &LearnArgs) -> anyhow::Result<()> {
    match &args.output {
        Some(path) => write_result(learned, None, args, path),
        None => {
            say(&printed::theory(learned));
            Ok(())
        }
    }
}

/// What was learned, and how its rules were tested on the way if they were.
pub(super) fn write_result(
    learned: &Learned,
    tested: Option<&Prequential>,
    args: &LearnArgs,
    path: &Path,
) -> anyhow::Result<()> {
    if !args.json {
        return write_file(path, &printed::theory(learned));
    }
    let mut json = to_json(learned, args);
    if let Some(tested) = tested {
        json["prequential"] = fluents_json(tested.evaluation());
        json["repeat_the_last_label"] = fluents_json(tested.repeated());
    }
    write_file(path, &format!("{}\n", printable_json(&json.to_string())))
}

fn to_json(learned: &Learned, args: &LearnArgs) -> Value {
    let mut object = json!({"learner": args.learner});
    if let Some(preset) = find(&args.learner).ok().and_then(|spec| spec.preset(args.oled.preset.as_deref())) {
        object["preset"] = json!(preset);
    }
    object["seed"] = json!(args.shuffle.then_some(args.seed));
    if let (Value::Object(object), Value::Object(more)) = (&mut object, printed::to_json(learned)) {
        object.extend(more);
    }
    object
}
