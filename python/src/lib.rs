//! The native part of the Python package `oled`; what people call is written in Python, around it.

mod errors;
mod experiment;
mod frame;
mod input;
mod intervals;
mod learner;
mod recogniser;
mod supervise;
mod table;
mod task;

use pyo3::prelude::*;

/// What `oled` is made of. Names that begin with `_` may change.
#[pymodule]
mod _oled {
    use super::{Bound, PyModule, PyModuleMethods, PyResult};
    #[pymodule_export]
    use crate::experiment::{crossval, homes, lobby};
    #[pymodule_export]
    use crate::frame::{PyFrame, restore, to_jsonl};
    #[pymodule_export]
    use crate::intervals::PyIntervals;
    #[pymodule_export]
    use crate::learner::{PyLearner, check_setting, learners, made_of};
    #[pymodule_export]
    use crate::recogniser::{PyRecogniser, weigh};
    #[pymodule_export]
    use crate::table::PyTable;
    #[pymodule_export]
    use crate::task::{PyTask, rules, theory_html};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("_HAS_ARROW", cfg!(feature = "arrow"))
    }
}
