//! What errors cost: who says that a miss costs five false alarms gets rules for that.

use oled::{Confusion, Evaluation, Frame, Learner, Recogniser, Replay, ReplaySettings};
use oled_data::task_folder::TaskFolder;
use oled_data::world::{World, WorldOptions};

/// A noisy lobby: a tenth of events, positions by two units, a tenth of labelled intervals.
fn lobby(seed: u64, segments: usize) -> Vec<Frame> {
    let noisy = WorldOptions { event_noise: 0.1, position_noise: 2.0, label_noise: 0.1, ..WorldOptions::default() };
    World::new(WorldOptions { seed, segments, frames: 400, people: 4, ..noisy }).collect()
}

/// What rules that are learned with costs recognise of segments that they have not seen.
fn unseen(false_alarm: f64, miss: f64) -> Confusion {
    let folder = TaskFolder::embedded();
    let settings = ReplaySettings { false_alarm, miss, refits: false, ..ReplaySettings::default() };
    let mut learner = Replay::new(&folder.task, settings).unwrap().with_threads(2);
    // With two thirds of these segments there is too little to tell which errors a rule makes elsewhere.
    lobby(11, 20).iter().for_each(|frame| learner.observe(frame, &mut ()));
    let mut recogniser = Recogniser::new(&folder.task, &learner.learned(&mut ()).theory()).unwrap();
    let mut evaluation = Evaluation::new(&folder.task.labels());
    for frame in lobby(99, 12) {
        recogniser.observe(&frame, &mut Vec::new());
        evaluation.count(&recogniser, &frame);
    }
    evaluation.total()
}

#[test]
fn rules_are_for_what_errors_cost() {
    let all = [(1.0, 1.0), (1.0, 5.0), (5.0, 1.0)].map(|(alarm, miss)| ((alarm, miss), unseen(alarm, miss)));
    let [(_, even), (_, eager), (_, wary)] = all;
    assert!(eager.recall() > even.recall() && even.recall() >= wary.recall(), "{all:?}");
    assert!(wary.precision() > even.precision() && even.precision() >= eager.precision(), "{all:?}");
    // Each is the cheapest by its own costs.
    for ((alarm, miss), own) in all {
        let cost = |counts: &Confusion| alarm * counts.fp as f64 + miss * counts.fn_ as f64;
        assert!(all.iter().all(|(_, other)| cost(&own) <= cost(other)), "{alarm} {miss}: {all:?}");
    }
}
