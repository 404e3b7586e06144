//! Experiments on small simulated worlds: the same bytes however they are run, honest folds, sums that add up, and a
//! store that forgets nothing.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use oled::{Confusion, Symbol, parse_theory};
use oled_data::task_folder::TaskFolder;
use oled_data::world::{World, WorldOptions};
use oled_experiment::{
    Choice, Data, DataOptions, Error, Experiment, FoldScore, Folds, Groups, Part, Results, Row, Scaling, SpreadOver,
    Store, load_data, noise,
};

const WORLD: WorldOptions = WorldOptions {
    seed: 1,
    people: 6,
    frames: 150,
    segments: 5,
    change: None,
    event_noise: 0.01,
    position_noise: 0.5,
    label_noise: 0.02,
    scale: 1,
    shift: 0,
};

/// The task of the world with listed thresholds, which the learner of the paper needs.
fn lobby() -> TaskFolder {
    TaskFolder::lobby_listed()
}

fn data(world: WorldOptions, folds: &Folds) -> Result<Data, Error> {
    Data::of_stream("lobby", "a world", Some(25.0), World::new(world).map(Ok), folds)
}

fn made(folds: usize, seed: u64) -> Folds {
    Folds::Made { folds, seed, groups: Groups::default() }
}

fn row(name: &str, depth: &str) -> Row {
    let choice = Choice { data: None, fluent: None, name: "depth".into(), value: depth.into() };
    Row::learned(name, "oled", Some("default"), vec![choice]).unwrap()
}

fn experiment(world: WorldOptions, rows: Vec<Row>, orders: u64) -> Experiment {
    let task = Arc::new(lobby());
    let data = Arc::new(data(world, &made(3, 1)).unwrap());
    Experiment {
        name: "test".into(),
        description: String::new(),
        parts: vec![Part { task, data, rows }],
        orders,
        share: 0.5,
        stories: false,
        times: false,
        scaling: None,
        published: Vec::new(),
        notes: Vec::new(),
    }
}

/// All kinds of jobs: folds that learn, a theory that is given, a story, and copies.
fn all_kinds() -> Experiment {
    let task = Arc::new(lobby());
    let given = Row::given("hand-written", task.theory(Path::new("hand")).unwrap());
    let mut experiment = experiment(WORLD, vec![given, row("learned", "2")], 3);
    let short = WorldOptions { frames: 60, segments: 1, ..WORLD };
    experiment.stories = true;
    experiment.scaling = Some(Scaling {
        task,
        data: Arc::new(data(short, &made(1, 1)).unwrap()),
        row: row("learned", "1"),
        copies: vec![1, 2],
        sampled_from: usize::MAX,
        published: Vec::new(),
    });
    experiment
}

/// The jobs of [`all_kinds`]: three folds of what is given, three of each of three orders, the story, and the copies.
const JOBS: usize = 3 + 9 + 1 + 2;

fn run(experiment: &Experiment, store: &Store, threads: usize) -> Results {
    experiment.run(store, threads, &AtomicBool::new(false), &|_| ()).unwrap()
}

fn bytes(results: &Results) -> String {
    serde_json::to_string(results).unwrap()
}

/// What one go with one thread gives.
static ONE_GO: LazyLock<Results> = LazyLock::new(|| run(&all_kinds(), &Store::in_memory(), 1));

/// The keys of a store, in the order in which they were finished.
fn keys(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let key =
        |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["key"].as_str().unwrap().to_string();
    text.lines().map(key).collect()
}

#[test]
fn the_same_bytes_come_out_for_any_number_of_threads_and_on_every_run() {
    let one = bytes(&ONE_GO);
    assert!(ONE_GO.results.iter().any(|score| score.learner == "oled" && score.f1 > 0.0), "something is learned");
    assert!(!ONE_GO.curves.is_empty() && !ONE_GO.rules.is_empty() && !ONE_GO.timelines.is_empty());
    assert_eq!(ONE_GO.scalability.len(), 2);
    for threads in 1..=3 {
        assert_eq!(bytes(&run(&all_kinds(), &Store::in_memory(), threads)), one, "{threads} threads");
    }
    assert!(!one.contains("\"seconds\":0") && !one.contains("\"seconds\":1"), "there are no times");
}

#[test]
fn counts_of_folds_add_up_to_the_scores() {
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
    assert_eq!(ONE_GO.results.len(), 2 * 5, "two rows, five fluents");
    let mut spread = [0; 2];
    for score in &ONE_GO.results {
        let orders = if score.learner == "theory" { 1 } else { 3 };
        let numbers: Vec<u64> = score.orders.iter().map(|o| o.order).collect();
        assert_eq!(numbers, (0..orders).collect::<Vec<u64>>(), "rules that are given have one order");
        assert_eq!(score.folds.len() as u64, 3 * orders);
        for order in &score.orders {
            let mut sum = Confusion::default();
            for fold in score.folds.iter().filter(|f| f.order == order.order) {
                sum += Confusion { tp: fold.tp, fp: fold.fp, fn_: fold.fn_ };
            }
            assert_eq!((order.precision, order.recall, order.f1), (sum.precision(), sum.recall(), sum.f1()));
            let annotated = ONE_GO.data[0].positives.iter().find(|(f, _)| *f == score.fluent).unwrap().1;
            assert_eq!(sum.tp + sum.fn_, annotated, "each positive is tested once");
        }
        let n = orders as f64;
        let mean = |f: &dyn Fn(&oled_experiment::OrderScore) -> f64| score.orders.iter().map(f).sum::<f64>() / n;
        close(score.precision, mean(&|o| o.precision));
        close(score.recall, mean(&|o| o.recall));
        close(score.f1, mean(&|o| o.f1));
        let of_folds: Vec<f64> = score.folds.iter().filter_map(FoldScore::f1).collect();
        let (values, over): (Vec<f64>, _) = if orders > 1 {
            (score.orders.iter().map(|o| o.f1).collect(), SpreadOver::Orders)
        } else {
            (of_folds, SpreadOver::Folds)
        };
        // A fluent that is seen in one fold only has no spread.
        assert_eq!(score.spread_over, (values.len() > 1).then_some(over));
        if let Some(found) = score.f1_spread {
            let mean = |f: &dyn Fn(f64) -> f64| values.iter().map(|f1| f(*f1)).sum::<f64>() / values.len() as f64;
            close(found.powi(2), mean(&|f1| f1 * f1) - mean(&|f1| f1).powi(2));
            spread[usize::from(orders > 1)] += usize::from(found > 0.0);
        }
        close(score.literals, score.folds.iter().map(|f| f.literals as f64).sum::<f64>() / score.folds.len() as f64);
        close(score.rules, score.folds.iter().map(|f| f.rules as f64).sum::<f64>() / score.folds.len() as f64);
        assert_eq!(score.seconds, None);
    }
    assert!(spread.iter().all(|n| *n > 0), "orders and folds matter somewhere, or this shows nothing");
}

#[test]
fn false_alarms_by_the_hour_are_by_time_and_not_by_frames() {
    let task = Arc::new(lobby());
    let rows = vec![Row::given("hand-written", task.theory(Path::new("hand")).unwrap())];
    let with_step = |step: i64| {
        let mut experiment = experiment(WORLD, rows.clone(), 1);
        let mut data = Data::clone(&experiment.parts[0].data);
        data.units.iter_mut().flat_map(|unit| &mut unit.frames).for_each(|frame| frame.time *= step);
        experiment.parts[0].data = Arc::new(data);
        run(&experiment, &Store::in_memory(), 1).results
    };
    let mut alarms = 0.0;
    for (dense, sparse) in with_step(1).iter().zip(with_step(60)) {
        let hours = 5.0 * 150.0 / 25.0 / 3600.0;
        assert!((dense.intervals.hours.unwrap() - hours).abs() < 1e-9);
        assert!((sparse.intervals.hours.unwrap() - 60.0 * hours).abs() < 1e-9, "a frame in sixty time units");
        let per_hour = sparse.intervals.false_alarms_per_hour.unwrap();
        assert!((per_hour - sparse.intervals.false_alarms / (60.0 * hours)).abs() < 1e-9);
        alarms += sparse.intervals.false_alarms;
    }
    assert!(alarms > 0.0, "or this shows nothing");
}

#[test]
fn repeating_the_last_label_stands_beside_what_is_recognised_on_the_way() {
    for curve in &ONE_GO.curves {
        let last = curve.points.last().expect("the stream has time points");
        assert!(last.repeated > 0.9, "labels seldom change: {} of {}", last.repeated, curve.fluent);
        // Where nothing is to be found there is no F1, rather than one of zero.
        assert!(curve.points.iter().any(|point| point.recent.is_none()) || curve.points[0].recent.is_some());
    }
    let text = oled_experiment::markdown(&ONE_GO);
    assert!(text.contains("| lobby | repeat the last label | 0.9"), "{text}");
}

/// What belongs together, as a table.
fn groups(of: &[(&str, &str)]) -> Groups {
    of.iter().map(|(segment, group)| (Symbol::new(segment), Symbol::new(group))).collect()
}

fn fold_of(data: &Data, segment: &str) -> usize {
    let mine: Vec<usize> = data.units.iter().filter(|u| u.segment.as_str() == segment).map(|u| u.fold).collect();
    assert_eq!(mine.len(), 1, "a segment is in one fold");
    mine[0]
}

#[test]
fn folds_keep_groups_together_and_are_balanced_and_depend_on_the_seed() {
    let world = WorldOptions { frames: 20, segments: 20, ..WORLD };
    let together = groups(&[("lobby1", "g"), ("lobby7", "g"), ("lobby13", "g"), ("lobby4", "h"), ("lobby20", "h")]);
    let mut different = Vec::new();
    for seed in 0..8 {
        let folds = Folds::Made { folds: 4, seed, groups: together.clone() };
        let data = data(world, &folds).unwrap();
        let segments: Vec<&str> = data.units.iter().map(|u| u.segment.as_str()).collect();
        assert_eq!(segments, (1..=20).map(|i| format!("lobby{i}")).collect::<Vec<_>>(), "all, in order");
        assert_eq!(data.folds, [0, 1, 2, 3]);
        for (segment, group) in &together {
            for (other, _) in together.iter().filter(|(_, g)| *g == group) {
                assert_eq!(fold_of(&data, segment.as_str()), fold_of(&data, other.as_str()));
            }
        }
        for fold in 0..4 {
            let frames: usize = data.units.iter().filter(|u| u.fold == fold).map(|u| u.frames.len()).sum();
            assert_eq!(frames, 100, "20 segments of 20 frames in 4 folds");
        }
        let dealt: Vec<usize> = data.units.iter().map(|u| u.fold).collect();
        let again: Vec<usize> = self::data(world, &folds).unwrap().units.iter().map(|u| u.fold).collect();
        assert_eq!(dealt, again);
        if !different.contains(&dealt) {
            different.push(dealt);
        }
    }
    assert!(different.len() > 5, "other seeds, other folds: {different:?}");
    let text = |result: Result<Data, Error>| result.map(|_| ()).unwrap_err().to_string();
    assert_eq!(
        text(data(world, &made(21, 1))),
        "21 folds need 21 segments or groups of them, and there are 20\nhint: ask for fewer folds"
    );
    assert_eq!(
        text(data(world, &made(0, 1))),
        "there must be a fold at least\nhint: ten are usual: the option `folds=10`"
    );
}

#[test]
fn nothing_is_learned_from_what_it_is_tested_on() {
    let world = WorldOptions { frames: 20, segments: 10, ..WORLD };
    let together = groups(&[("lobby2", "g"), ("lobby9", "g")]);
    let mut held = Vec::new();
    for seed in 0..6 {
        let folds = Folds::HoldOut { share: 0.3, seed, groups: together.clone() };
        let data = data(world, &folds).unwrap();
        assert_eq!(data.folds, [0], "one fold is tested");
        let tested: Vec<&str> = data.units.iter().filter(|u| u.fold == 0).map(|u| u.segment.as_str()).collect();
        assert!((1..=3).contains(&tested.len()), "{tested:?}");
        assert_eq!(tested.contains(&"lobby2"), tested.contains(&"lobby9"));
        // Labels that are made anew leave it as it is.
        let task = lobby();
        let rules = parse_theory("none.lp", "").unwrap();
        assert_eq!(data.labelled_by(&task.task, &rules, "none", "").unwrap().folds, [0]);
        held.push(tested.join(" "));
    }
    held.sort_unstable();
    held.dedup();
    assert!(held.len() > 2, "other seeds hold out others: {held:?}");

    for folds in [made(3, 1), Folds::HoldOut { share: 0.3, seed: 1, groups: together }] {
        let data = data(world, &folds).unwrap();
        for &fold in &data.folds {
            for order in 0..4 {
                let mut learned: Vec<&str> =
                    data.training(Some(fold), order).iter().map(|u| u.segment.as_str()).collect();
                let ordered = |u: &&oled_experiment::Unit| u.fold != fold;
                let mut rest: Vec<&str> = data.units.iter().filter(ordered).map(|u| u.segment.as_str()).collect();
                assert_eq!(learned == rest, order == 0, "order 0 is as they come, others are others");
                learned.sort_unstable();
                rest.sort_unstable();
                assert_eq!(learned, rest, "everything else, once");
            }
        }
    }
}

#[test]
fn rules_are_not_learned_from_the_fold_that_is_tested() {
    // Labels in one segment only: the fold that tests it has nothing to learn from, the other has nothing to find.
    let mut data = data(WorldOptions { segments: 2, ..WORLD }, &made(2, 1)).unwrap();
    assert!(data.units.iter().all(|u| u.frames.iter().any(|f| f.annotation.iter().next().is_some())));
    data.units[1].frames.iter_mut().for_each(|frame| frame.annotation = oled::Facts::default());
    let labelled = data.units[0].fold;
    let mut experiment = experiment(WORLD, vec![row("learned", "2")], 2);
    experiment.parts[0].data = Arc::new(data);
    let results = run(&experiment, &Store::in_memory(), 2);
    let folds = || results.results.iter().flat_map(|score| &score.folds);
    assert!(folds().filter(|f| f.fold == labelled).all(|f| f.rules == 0 && f.tp == 0));
    assert!(folds().filter(|f| f.fold != labelled).any(|f| f.rules > 0));
}

#[test]
fn an_experiment_without_anything_to_learn_from_says_so() {
    let mut experiment = experiment(WORLD, vec![row("learned", "2")], 1);
    experiment.parts[0].data = Arc::new(data(WORLD, &made(1, 1)).unwrap());
    let told = experiment.run(&Store::in_memory(), 1, &AtomicBool::new(false), &|_| ()).unwrap_err().to_string();
    assert_eq!(
        told,
        "all segments of `lobby` are tested in fold 0, so there is nothing to learn from\n\
         hint: there must be two folds at least"
    );
    let task = lobby();
    experiment.parts[0].rows = vec![Row::given("hand", task.theory(Path::new("hand")).unwrap())];
    assert_eq!(run(&experiment, &Store::in_memory(), 1).results.len(), 5, "rules that are given do not learn");
}

#[test]
fn a_bad_fold_table_is_told_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let (stream, table) = (folder.path().join("s.jsonl"), folder.path().join("folds.csv"));
    let task = lobby();
    let facts = r#""time": 1, "narrative": ["happensAt(walking(p1), 1)"], "annotation": []"#;
    let lines = ["one", "two"].map(|segment| format!("{{\"segment\": \"{segment}\", {facts}}}\n")).concat();
    std::fs::write(&stream, lines).unwrap();
    let load = |text: &str| {
        std::fs::write(&table, text).unwrap();
        let options = DataOptions {
            input: Some(stream.clone()),
            fold_file: Some(table.clone()),
            read: task.read_options(None, false),
            ..DataOptions::default()
        };
        load_data(&task, options)
    };
    let told = |text: &str| load(text).unwrap_err().to_string().replace(&table.display().to_string(), "TABLE");
    let good = load("segment,fold\none, 3\n\ntwo,0\n").unwrap();
    assert_eq!((fold_of(&good, "one"), fold_of(&good, "two"), good.folds.as_slice()), (3, 0, &[0, 3][..]));
    assert_eq!(
        told("segment,fold\none,0\n"),
        "no fold is given for the segment `two`\nhint: add a line `two,FOLD` to the fold file"
    );
    for bad in ["first", "-1", "1.5", ""] {
        assert_eq!(
            told(&format!("segment,fold\none,0\ntwo,{bad}\n")),
            format!("TABLE:3: `{bad}` is no fold\nhint: folds are numbers from 0 on")
        );
    }
    let header = "hint: the first line is `segment,fold`, each other line a segment";
    assert_eq!(told("one,0\ntwo,1\n"), format!("TABLE:1: the header is missing\n{header}"));
    assert_eq!(told(""), format!("TABLE:1: the header is missing\n{header}"));
    assert_eq!(told("segment,fold\n\none 0\n"), format!("TABLE:3: there is no comma\n{header}"));
    assert_eq!(
        told("segment,fold\none,0\ntwo,1\none,2\n"),
        "TABLE:4: `one` is in two folds\nhint: a segment is tested in one fold"
    );
}

#[test]
fn what_was_stopped_goes_on_with_what_is_missing_and_gives_the_same_bytes() {
    let experiment = all_kinds();
    let folder = tempfile::tempdir().unwrap();
    for (after, threads) in [(0, 1), (1, 1), (5, 2), (JOBS - 3, 3), (JOBS - 1, 1)] {
        let path = folder.path().join(format!("{after}.jsonl"));
        let stop = AtomicBool::new(after == 0);
        let store = Store::open(&path).unwrap();
        let stopped = experiment.run(&store, threads, &stop, &|progress| {
            assert_eq!(progress.total, JOBS);
            stop.fetch_or(progress.done >= after, Ordering::SeqCst);
        });
        assert!(matches!(stopped, Err(Error::Stopped)), "after {after}");
        drop(store);
        let before = keys(&path);
        // Others may be in the middle of a job when it is to stop; they finish it.
        assert!((after..after + threads).contains(&before.len()), "{after}: {before:?}");
        let results = run(&experiment, &Store::open(&path).unwrap(), threads);
        assert_eq!(bytes(&results), bytes(&ONE_GO), "after {after}");
        let mut all = keys(&path);
        assert_eq!(all[..before.len()], before, "lines are only ever added");
        assert_eq!(all.len(), JOBS, "nothing was run twice");
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), JOBS);
    }
}

#[test]
fn a_store_knows_what_it_was_told_in_the_same_run() {
    let experiment = all_kinds();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("folds.jsonl");
    let store = Store::open(&path).unwrap();
    let reported = AtomicUsize::new(0);
    for _ in 0..2 {
        let results = experiment.run(&store, 2, &AtomicBool::new(false), &|_| {
            reported.fetch_add(1, Ordering::SeqCst);
        });
        assert_eq!(bytes(&results.unwrap()), bytes(&ONE_GO));
    }
    assert_eq!((reported.into_inner(), keys(&path).len()), (2 * JOBS, JOBS));
}

#[test]
fn what_was_found_for_something_else_is_not_taken_for_ours() {
    let small = WorldOptions { frames: 40, segments: 3, ..WORLD };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("folds.jsonl");
    let usual = || experiment(small, vec![row("learned", "2")], 1);
    // Lines that a run adds to the store.
    let added = |experiment: &Experiment| {
        let store = Store::open(&path).unwrap();
        let before = keys(&path).len();
        let results = run(experiment, &store, 1);
        assert_eq!(bytes(&results), bytes(&run(experiment, &Store::in_memory(), 1)), "and it is what comes out anew");
        keys(&path).len() - before
    };
    assert_eq!(added(&usual()), 3);
    assert_eq!(added(&usual()), 0);
    assert_eq!(added(&Experiment { notes: vec!["a note".into()], ..usual() }), 0, "a note changes nothing");

    let mut other_setting = usual();
    other_setting.parts[0].rows = vec![row("learned", "1")];
    assert_eq!(added(&other_setting), 3);
    let mut other_preset = usual();
    other_preset.parts[0].rows = vec![Row::learned("learned", "oled", Some("paper"), Vec::new()).unwrap()];
    assert_eq!(added(&other_preset), 3);
    assert_eq!(added(&Experiment { share: 0.9, ..usual() }), 3);
    assert_eq!(added(&Experiment { orders: 2, ..usual() }), 3, "the first order is known");
    assert_eq!(added(&experiment(WorldOptions { seed: 2, ..small }, vec![row("learned", "2")], 1)), 3);

    // What is seen instead of annotated.
    let mut changed = usual();
    let mut data = (*changed.parts[0].data).clone();
    let frame = data.units[2].frames.iter_mut().rfind(|f| f.annotation.iter().next().is_some()).unwrap();
    let labels = std::mem::take(&mut frame.annotation);
    labels.iter().for_each(|(signature, values)| frame.narrative.push(signature, values));
    changed.parts[0].data = Arc::new(data);
    assert_eq!(added(&changed), 3);

    // Other folds of the same segments.
    let mut refolded = usual();
    let mut data = (*refolded.parts[0].data).clone();
    data.units.iter_mut().for_each(|unit| unit.fold = (unit.fold + 1) % 3);
    refolded.parts[0].data = Arc::new(data);
    assert_eq!(added(&refolded), 3);

    // A task with another background, and one that follows fewer entities.
    let copy = folder.path().join("lobby");
    std::fs::create_dir_all(&copy).unwrap();
    let write = |file: &str, text: &str| std::fs::write(copy.join(file), text).unwrap();
    let load = || Arc::new(TaskFolder::load(&copy).unwrap());
    let [modes, background] = [0, 1].map(|i| lobby().texts()[i].text.clone());
    let root = Path::new("../../tasks");
    let manifest = std::fs::read_to_string(root.join(lobby().name).join("task.toml")).unwrap();
    write("task.toml", &manifest);
    write("modes.lp", &modes);
    write("background.lp", &background);
    let with = |task: Arc<TaskFolder>| {
        let mut experiment = usual();
        experiment.parts[0].task = task;
        experiment
    };
    assert_eq!(added(&with(load())), 0, "the same task in another place");
    write("background.lp", &format!("{background}\n% a remark"));
    assert_eq!(added(&with(load())), 3);
    write("background.lp", &background);
    write("task.toml", &format!("{manifest}\n[calculus]\ntracked = []\n"));
    assert_eq!(added(&with(load())), 3);
    write("task.toml", &manifest.replace("every = 1", "every = 2"));
    assert_eq!(added(&with(load())), 3, "settings of learning");

    // What replay depends on: settings of its own, and the task of a row.
    let replay = |set: &[(&str, &str)]| {
        let choice = |(name, value): &(&str, &str)| Choice {
            data: None,
            fluent: None,
            name: (*name).into(),
            value: (*value).into(),
        };
        Row::learned("replay", "replay", None, set.iter().map(choice).collect()).unwrap()
    };
    let with_row = |row: Row| Experiment { orders: 2, ..experiment(small, vec![row], 2) };
    assert_eq!(added(&with_row(replay(&[]))), 3, "one order");
    assert_eq!(added(&with_row(replay(&[("penalty", "none")]))), 0, "what is usual");
    assert_eq!(added(&with_row(replay(&[("penalty", "0.01")]))), 3);
    assert_eq!(added(&with_row(replay(&[("window", "2")]))), 6, "two orders");
    write("task.toml", &format!("{manifest}\n[replay]\npenalty = 0.02\n"));
    assert_eq!(added(&with_row(replay(&[]).with_task(load()))), 3, "a task of its own, with settings");
    assert_eq!(added(&with_row(replay(&[("penalty", "none")]).with_task(load()))), 0, "the same for all that matters");
}

#[test]
fn noise_is_put_beside_clean_data() {
    let world = WorldOptions { people: 3, frames: 40, segments: 5, ..WorldOptions::default() };
    let noisy = Experiment { times: false, ..noise(None, world, 1).unwrap() };
    let names: Vec<&str> = noisy.parts.iter().map(|part| part.data.name.as_str()).collect();
    assert_eq!(names, ["lobby, 0%", "lobby, 5%", "lobby, 10%", "lobby, 20%"]);
    let results = run(&noisy, &Store::in_memory(), 1);
    for data in names {
        for row in ["hand-written rules", "oled, preset paper", "replay"] {
            assert!(results.results.iter().any(|s| s.protocol == data && s.row == row), "{data}: {row}");
        }
    }
}
