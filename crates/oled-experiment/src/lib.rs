//! Experiments: folds, orders, tables, and a report that can be shown to anyone.

mod config;
mod data;
mod digest;
mod error;
mod experiment;
pub mod explain;
mod fold;
mod learners;
mod noise;
mod paper;
mod prequential;
mod published;
mod report;
mod results;
mod review;
mod row;
mod scale;
mod store;
mod weighted;

pub use config::{DataOptions, load_data, read_config};
pub use data::{Data, Folds, Groups, Unit};
pub use error::Error;
pub use experiment::{Experiment, Part, Progress};
pub use explain::defines_nothing;
pub use learners::{LEARNERS, Named, check, check_setting, costs, effective_settings, find, learner, named, title};
pub use noise::noise;
pub(crate) use paper::OTHER_TASKS;
pub use paper::{demo, paper};
pub use prequential::{Prequential, Story};
pub use report::{csv, fragment, html, markdown};
pub use results::*;
pub use review::Review;
pub use row::{Choice, Row, TheorySource};
pub use scale::Scaling;
pub use store::Store;
pub use weighted::RowWeights;
