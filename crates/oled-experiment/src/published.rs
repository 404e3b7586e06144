//! Published: what others score on CAVIAR, by their own papers; frame by frame, ten folds, micro-averaged.

use crate::Published;

/// System, data set, fluent, precision, recall, F1, literals, seconds of training a fold.
type Figure = (&'static str, &'static str, &'static str, Option<f64>, Option<f64>, f64, Option<f64>, Option<f64>);

const PAPER: &str = "Katzouris, Artikis, Paliouras: Online learning of event definitions, 2016";

#[rustfmt::skip]
const FIGURES: [(Figure, &str); 26] = [
    (("hand-written rules", "fragment", "meeting", Some(0.687), Some(0.855), 0.762, Some(23.0), None), PAPER),
    (("hand-written rules", "fragment", "moving", Some(0.909), Some(0.639), 0.751, Some(28.0), None), PAPER),
    (("hand-written rules with learned weights (max-margin)", "fragment", "meeting", Some(0.919), Some(0.813), 0.863, Some(23.0), Some(1133.0)), PAPER),
    (("hand-written rules with learned weights (max-margin)", "fragment", "moving", Some(0.844), Some(0.941), 0.890, Some(28.0), Some(1692.0)), PAPER),
    (("XHAIL", "fragment", "meeting", Some(0.804), Some(0.927), 0.861, Some(15.0), Some(7248.0)), PAPER),
    (("XHAIL", "fragment", "moving", Some(0.779), Some(0.914), 0.841, Some(14.0), Some(7836.0)), PAPER),
    (("OLED, the paper", "fragment", "meeting", Some(0.943), Some(0.750), 0.836, Some(29.0), Some(23.0)), PAPER),
    (("OLED, the paper", "fragment", "moving", Some(0.709), Some(0.948), 0.812, Some(34.0), Some(12.0)), PAPER),
    (("OLED, run again by its authors", "fragment", "meeting", None, None, 0.843, None, Some(43.0)), WOLED_2018),
    (("OLED, run again by its authors", "fragment", "moving", None, None, 0.789, None, Some(48.0)), WOLED_2018),
    (("OLED-MLN", "fragment", "meeting", None, None, 0.889, None, Some(104.0)), WOLED_2018),
    (("OLED-MLN", "fragment", "moving", None, None, 0.857, None, Some(118.0)), WOLED_2018),
    (("OLED-EXP", "fragment", "meeting", None, None, 0.906, None, Some(58.0)), EXPERTS),
    (("OLED-EXP", "fragment", "moving", None, None, 0.847, None, Some(62.0)), EXPERTS),
    (("hand-written rules", "whole", "meeting", Some(0.644), Some(0.855), 0.735, Some(23.0), None), PAPER),
    (("hand-written rules", "whole", "moving", Some(0.721), Some(0.639), 0.677, Some(28.0), None), PAPER),
    (("OLED, the paper", "whole", "meeting", Some(0.678), Some(0.953), 0.792, Some(30.0), Some(107.0)), PAPER),
    (("OLED, the paper", "whole", "moving", Some(0.653), Some(0.834), 0.732, Some(42.0), Some(124.0)), PAPER),
    (("OLED, run again", "whole", "meeting", None, None, 0.782, Some(42.0), None), WOLED_2021),
    (("WOLED-MLN", "whole", "meeting", None, None, 0.841, Some(56.0), None), WOLED_2021),
    (("WOLED-ASP", "whole", "meeting", None, None, 0.887, Some(34.0), None), WOLED_2021),
    (("WOLED-ASP", "whole", "moving", None, None, 0.821, None, None), WOLED_2021),
    (("ILED", "noise-free", "meeting", Some(0.930), Some(0.976), 0.952, Some(65.0), Some(30.0)), PAPER),
    (("ILED", "noise-free", "moving", Some(0.947), Some(0.981), 0.963, Some(55.0), Some(34.0)), PAPER),
    (("OLED, the paper", "noise-free", "meeting", Some(0.975), Some(0.933), 0.953, Some(53.0), Some(42.0)), PAPER),
    (("OLED, the paper", "noise-free", "moving", Some(0.963), Some(0.934), 0.948, Some(31.0), Some(35.0)), PAPER),
];

const WOLED_2018: &str =
    "Katzouris, Michelioudakis, Artikis, Paliouras: Online learning of weighted relational rules, 2018";
const EXPERTS: &str = "Katzouris and Artikis: Event recognition with expert advice, 2019";
const WOLED_2021: &str = "Katzouris, Paliouras, Artikis: Online learning of probabilistic event rules, 2021";

/// All figures.
pub(crate) fn published() -> Vec<Published> {
    let published = |((system, protocol, fluent, precision, recall, f1, literals, seconds), source): (Figure, &str)| {
        let (system, protocol, fluent, source) = (system.into(), protocol.into(), fluent.into(), source.into());
        Published { system, protocol, fluent, precision, recall, f1, literals, seconds, source }
    };
    FIGURES.map(published).to_vec()
}

/// Seconds an interpretation, by the number of copies of CAVIAR: those that the paper's text has.
pub(crate) const SCALABILITY: [(usize, f64); 2] = [(1, 0.0067), (10, 2.5)];
