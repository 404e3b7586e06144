//! What the learners on clingo print always loads, and says what recognition can say.

#![cfg(feature = "clingo")]

use oled::testing::{deterministic, tasks};
use oled::{Learner, Recogniser};
use oled_asp::{Iled, IledSettings, Xhail, XhailSettings};
use proptest::prelude::*;

proptest! {
    #![proptest_config(deterministic(8))]

    #[test]
    fn what_the_learners_on_clingo_print_loads(case in tasks::cases()) {
        let case = case.listed();
        let task = case.task();
        let mut settings = XhailSettings::default();
        // How good the rules are does not matter here, nor from how much they are learned: clingo takes its time.
        settings.set("conflicts", "10").unwrap();
        settings.set("depth", "0").unwrap();
        let frames = &case.frames[..case.frames.len().min(12)];
        let learners: [Box<dyn Learner>; 2] = [
            Box::new(Xhail::new(&task, settings).unwrap()),
            Box::new(Iled::new(&task, IledSettings::default()).unwrap()),
        ];
        for mut learner in learners {
            frames.iter().for_each(|frame| learner.observe(frame, &mut ()));
            let text = learner.learned(&mut ()).theory().to_string();
            let theory = oled::parse_theory("learned.lp", &text).unwrap();
            Recogniser::new(&task, &theory).unwrap_or_else(|problems| panic!("{problems}\n{text}\n{case:?}"));
        }
    }
}
