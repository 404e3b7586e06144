//! Declarations: what a task says of its stream: the kinds of values, and which facts and labels there are.

use std::sync::Arc;

use oled::calculus::unknown;
use oled::{Kinds, Mode, Signature, Task};

/// What a task declares of a stream. Values of other kinds are faults, and what is not declared is counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declarations {
    pub(crate) kinds: Arc<Kinds>,
    /// What may be observed, and what may be labelled.
    pub(crate) inputs: Vec<Signature>,
    pub(crate) labels: Vec<Signature>,
    /// An observation with the names of its types: `temp(room, celsius, time)`.
    pub(crate) example: Option<String>,
    /// By the number of a signature, so that a fact that is declared costs one look.
    observed: Vec<bool>,
    labelled: Vec<bool>,
}

impl Declarations {
    /// What a task declares.
    pub fn new(task: &Task) -> Declarations {
        let bias = &task.bias;
        let mut kinds = Kinds::new(bias);
        for mode in &bias.examples {
            kinds.declare(unknown(mode.signature()), bias, mode);
        }
        let inputs: Vec<Signature> = bias.inputs.iter().map(Mode::signature).collect();
        let labels = task.labels();
        let of_labels = || labels.iter().flat_map(|label| [*label, unknown(*label)]);
        Declarations {
            kinds: kinds.into(),
            example: bias.inputs.first().map(|mode| mode.atom.to_string().replace('+', "")),
            observed: table(inputs.iter().copied().chain(of_labels())),
            labelled: table(of_labels()),
            inputs,
            labels,
        }
    }

    /// Whether such facts are among the observations, or may be labels that a format does not tell from them.
    pub(crate) fn has_fact(&self, signature: Signature) -> bool {
        self.observed.get(signature.index()).is_some_and(|known| *known)
    }

    /// Whether such facts are among the labels.
    pub(crate) fn has_label(&self, signature: Signature) -> bool {
        self.labelled.get(signature.index()).is_some_and(|known| *known)
    }
}

fn table(signatures: impl Iterator<Item = Signature>) -> Vec<bool> {
    let mut table = Vec::new();
    for signature in signatures {
        table.resize(table.len().max(signature.index() + 1), false);
        table[signature.index()] = true;
    }
    table
}
