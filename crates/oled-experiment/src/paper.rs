//! The paper's experiments on CAVIAR, and the same kind of experiment on the simulated world.

use std::path::Path;
use std::sync::Arc;

use oled::weights::Method;
use oled::{Source, parse_theory};
use oled_data::Protocol;
use oled_data::caviar::{Noise, Videos, add_noise, load_videos};
use oled_data::task_folder::TaskFolder;
use oled_data::world::{World, WorldOptions};

use crate::published::{SCALABILITY, published};
use crate::{Choice, Data, Error, Experiment, Folds, Groups, Part, Row, RowWeights, Scaling};

/// A theory that comes with a task.
pub(crate) fn theory(folder: &TaskFolder, name: &str) -> Result<Arc<Source>, Error> {
    Ok(folder.theory(Path::new(name))?)
}

/// Seconds that XHAIL has for each fluent and fold.
const XHAIL_SECONDS: &str = "60";

/// What to know where rows of a table have different tasks.
pub(crate) const OTHER_TASKS: &str = "Some rows have a task of their own, over the same stream and labels. Each is judged by its own task: where that \
     declares a fluent symmetric, a pair of people counts once, and elsewhere twice. Scores can be compared, counts cannot.";

/// The evaluation section of the paper, and what it leaves out: protocols that do not leak, and noise.
pub fn paper(directory: &Path, orders: u64) -> Result<Experiment, Error> {
    let task = Arc::new(TaskFolder::caviar());
    // The paper's vocabulary: five distances and one angle.
    let listed = Arc::new(TaskFolder::caviar_listed());
    let videos = load_videos(directory)?;
    let of = |videos: &Videos, protocol| Data::caviar(directory, videos, protocol);
    let (fragment, whole) = (of(&videos, Protocol::Fragment)?, of(&videos, Protocol::Whole)?);
    let (clip, clean) = (of(&videos, Protocol::Clip)?, of(&videos, Protocol::Clean)?);
    let videos10 = of(&videos, Protocol::Video10)?;
    let duals = theory(&listed, "duals")?;
    let noise_free = whole.labelled_by(
        &listed.task,
        &parse_theory(&duals.name, &duals.text)?,
        "noise-free",
        "the whole, labelled by hand-written rules and their duals",
    )?;
    let mut data = vec![fragment, whole, noise_free, clip, clean];
    for noise in [Noise::Smooth, Noise::Strong] {
        let mut noisy = videos.clone();
        add_noise(&mut noisy, directory, noise)?;
        let what = if noise == Noise::Smooth { "movements" } else { "movements, places and orientations" };
        let description = format!("the whole, without the {what} that a tracker is less than half sure of");
        data.push(of(&noisy, Protocol::Whole)?.named(&format!("whole, {noise} noise"), &description));
    }
    // The paper's one exception among its settings.
    let exception = Choice {
        data: Some("fragment".into()),
        fluent: Some("meeting".into()),
        name: "depth".into(),
        value: "2".into(),
    };
    let rows = [
        Row::given("hand-written rules", theory(&listed, "hand")?).with_task(listed.clone()),
        Row::given("hand-written rules without inertia", theory(&listed, "hand-while")?).with_task(listed.clone()),
        Row::learned("oled, preset paper", "oled", Some("paper"), vec![exception])?.with_task(listed.clone()),
        Row::learned("oled, preset default", "oled", Some("default"), Vec::new())?.with_task(listed.clone()),
        Row::learned("replay", "replay", None, Vec::new())?,
        Row::learned("replay, the paper's vocabulary", "replay", None, Vec::new())?.with_task(listed.clone()),
        Row::given("hand-written rules with learned weights (max-margin)", theory(&listed, "hand")?)
            .with_task(listed.clone())
            .with_weights(RowWeights::default()),
        Row::given("hand-written rules with online weights (AdaGrad)", theory(&listed, "hand")?)
            .with_task(listed.clone())
            .with_weights(RowWeights { method: Method::AdaGrad, ..RowWeights::default() }),
        Row::given("hand-written rules with online weights (experts)", theory(&listed, "hand")?)
            .with_task(listed.clone())
            .with_weights(RowWeights { method: Method::Experts, ..RowWeights::default() }),
        Row::learned("oled, preset default, weighed by experts", "oled", Some("default"), Vec::new())?
            .with_task(listed.clone())
            .with_weights(RowWeights { method: Method::Experts, ..RowWeights::default() }),
        Row::learned("replay with weights", "replay", None, Vec::new())?
            .with_weights(RowWeights { or_rules: true, ..RowWeights::default() }),
    ];
    let scaling = Scaling {
        task: listed.clone(),
        data: Arc::new(videos10),
        row: rows[2].clone(),
        copies: vec![1, 2, 5, 8, 10, 20, 50],
        sampled_from: 20,
        published: SCALABILITY.to_vec(),
    };
    // The systems that the paper compares with, on the data that it compares them on.
    let limit = Choice { data: None, fluent: None, name: "time".into(), value: XHAIL_SECONDS.into() };
    let baselines: Vec<(&str, Row)> = if cfg!(feature = "clingo") {
        vec![
            ("fragment", Row::learned("xhail", "xhail", None, vec![limit])?.with_task(listed.clone())),
            ("noise-free", Row::learned("iled", "iled", None, Vec::new())?.with_task(listed.clone())),
        ]
    } else {
        Vec::new()
    };
    let part = |data: Data| {
        let more = baselines.iter().filter(|(name, _)| *name == data.name).map(|(_, row)| row.clone());
        Part { task: task.clone(), rows: rows.iter().cloned().chain(more).collect(), data: Arc::new(data) }
    };
    Ok(Experiment {
        name: "paper".into(),
        description: "The evaluation of the paper on CAVIAR: meetings and people who walk together, recognised time point \
                      by time point. Ten folds, counts micro-averaged; each learner in several orders of the segments."
            .into(),
        parts: data.into_iter().map(part).collect(),
        orders,
        share: 0.5,
        stories: true,
        times: true,
        scaling: Some(scaling),
        published: published(),
        notes: vec![
            "Scores are the mean over orders of the segments; ± is the standard deviation over orders. One order is never \
             enough: the learner of the paper sees each segment once, and what comes first decides much. The learner \
             `replay` looks at all segments at once, so that it has one order, and so have rules that are given: there ± is \
             the standard deviation from fold to fold, which is no measure of the same thing."
                .into(),
            "The hand-written rules without inertia have the conditions under which the hand-written rules let something \
             begin. It holds while they are met, and no longer: the difference is what inertia does."
                .into(),
            "Weights are learned from the training set of each fold. Those of the hand-written rules decide what is recognised; \
             those of learned rules where they are better on segments that they were not learned from, and elsewhere they \
             say how sure rules are."
                .into(),
            "Online weights are learned in one pass over the training set, by AdaGrad as OSL-alpha and WOLED do and by experts as \
             OLED-EXP does. `oled`, weighed by experts, has the rules of Algorithm 1 as experts; OLED-EXP also has all of their \
             specialisations, and makes new ones from mistakes."
                .into(),
            OTHER_TASKS.into(),
            "Published figures are copied from the papers named; nobody ran those systems here.".into(),
            "The preset `paper` is the reading of Algorithm 1 that comes nearest to the published figures; `default` is what this learner has by default."
                .into(),
            format!(
                "The learners `xhail` and `iled` are our own, on clingo, and are here where the program is built with it \
                 (`--features clingo`). XHAIL has {XHAIL_SECONDS} seconds for each fluent and fold."
            ),
            "Folds of the fragment and of the whole share videos, as in the literature. `clip` and `clean` do not.".into(),
            "In the scalability plot, from 20 copies on, one frame in ten is taken, in blocks of 20.".into(),
        ],
    })
}

/// The same on the simulated world, where the true rules are known.
pub fn demo(options: WorldOptions, orders: u64) -> Result<Experiment, Error> {
    let task = Arc::new(TaskFolder::embedded());
    let listed = Arc::new(TaskFolder::lobby_listed());
    let folds = Folds::Made { folds: 5, seed: 1, groups: Groups::default() };
    let stream = World::new(options).map(Ok);
    let description = format!("{} people in a simulated lobby", options.people);
    let data = Arc::new(Data::of_stream("lobby", &description, task.rate, stream, &folds)?);
    let rows = vec![
        Row::given("true rules", theory(&task, "true")?),
        Row::given("hand-written rules", theory(&task, "hand")?),
        Row::learned("oled, preset paper", "oled", Some("paper"), Vec::new())?.with_task(listed.clone()),
        Row::learned("oled, preset default", "oled", Some("default"), Vec::new())?.with_task(listed.clone()),
        Row::learned("replay", "replay", None, Vec::new())?,
    ];
    let short = WorldOptions { frames: options.frames.min(200), segments: options.segments.min(2), ..options };
    let small = Data::of_stream(
        "lobby",
        &description,
        task.rate,
        World::new(short).map(Ok),
        &Folds::Made { folds: 1, seed: 1, groups: Groups::default() },
    )?;
    Ok(Experiment {
        name: "demo".into(),
        description:
            "A simulated lobby in which people meet, walk together, fight, loiter and leave bags behind, by rules that \
                      are known. Five folds by segment; each learner in several orders of the segments."
                .into(),
        scaling: Some(Scaling {
            task: listed,
            data: Arc::new(small),
            row: rows[3].clone(),
            copies: vec![1, 2, 5],
            sampled_from: usize::MAX,
            published: Vec::new(),
        }),
        parts: vec![Part { task, data, rows }],
        orders,
        share: 0.5,
        stories: true,
        times: true,
        published: Vec::new(),
        notes: vec![
            "The labels have noise, so that the true rules do not fit them everywhere.".into(),
            OTHER_TASKS.into(),
        ],
    })
}
