//! What becomes of rules, by hand and learned, where data is noisy: CAVIAR's own noise, and levels of it in the simulated
//! world.

use std::path::Path;
use std::sync::Arc;

use oled_data::Protocol;
use oled_data::caviar::{Noise, add_noise, load_videos};
use oled_data::task_folder::TaskFolder;
use oled_data::world::{World, WorldOptions};

use crate::paper::{OTHER_TASKS, theory};
use crate::{Data, Error, Experiment, Folds, Groups, Part, Row};

/// The levels of noise in the simulated world: the share of movements that are taken for others, and of labels that are
/// wrong. Places are blurred with them, by half a pixel for each five per cent.
const LEVELS: [u32; 4] = [0, 5, 10, 20];

/// Rules by hand and both learners on clean and noisy data; CAVIAR only where there is its directory.
pub fn noise(directory: Option<&Path>, options: WorldOptions, orders: u64) -> Result<Experiment, Error> {
    let mut parts = Vec::new();
    if let Some(directory) = directory {
        let (task, listed) = (Arc::new(TaskFolder::caviar()), Arc::new(TaskFolder::caviar_listed()));
        let rows = rows(&listed, &listed)?;
        let clean = load_videos(directory)?;
        for noise in [None, Some(Noise::Smooth), Some(Noise::Strong)] {
            let mut videos = clean.clone();
            let (name, description) = match noise {
                None => ("CAVIAR, clean".into(), "the whole, as annotated".into()),
                Some(noise) => {
                    add_noise(&mut videos, directory, noise)?;
                    (format!("CAVIAR, {noise}"), format!("the whole, with {noise} noise"))
                }
            };
            let data = Arc::new(Data::caviar(directory, &videos, Protocol::Whole)?.named(&name, &description));
            parts.push(Part { task: task.clone(), data, rows: rows.clone() });
        }
    }
    let (task, listed) = (Arc::new(TaskFolder::embedded()), Arc::new(TaskFolder::lobby_listed()));
    let rows = rows(&task, &listed)?;
    for level in LEVELS {
        let share = f64::from(level) / 100.0;
        let noisy = WorldOptions { event_noise: share, label_noise: share, position_noise: 10.0 * share, ..options };
        let folds = Folds::HoldOut { share: 0.3, seed: 1, groups: Groups::default() };
        let (name, description) = (format!("lobby, {level}%"), format!("a simulated lobby with {level}% noise"));
        let data = Arc::new(Data::of_stream(&name, &description, task.rate, World::new(noisy).map(Ok), &folds)?);
        parts.push(Part { task: task.clone(), data, rows: rows.clone() });
    }
    Ok(Experiment {
        name: "noise".into(),
        description:
            "Rules by hand and learned ones on clean and on noisy data. Learned rules learn from data as noisy as \
                      that on which they are tested."
                .into(),
        parts,
        orders,
        share: 0.5,
        stories: false,
        times: true,
        scaling: None,
        published: Vec::new(),
        notes: vec![OTHER_TASKS.into()],
    })
}

/// The rows: rules by hand, which come with a task, and the two learners.
fn rows(hand: &Arc<TaskFolder>, listed: &Arc<TaskFolder>) -> Result<Vec<Row>, Error> {
    Ok(vec![
        Row::given("hand-written rules", theory(hand, "hand")?).with_task(hand.clone()),
        Row::learned("oled, preset paper", "oled", Some("paper"), Vec::new())?.with_task(listed.clone()),
        Row::learned("replay", "replay", None, Vec::new())?,
    ])
}
