//! Two examples for each command, as its help shows them; a test reads each as the program would.

pub(crate) const DEMO: &str = "\
Examples:
  oled demo
  oled demo --segments 20 --seed 7 --all --svg seven.svg";

pub(crate) const INIT: &str = "\
Examples:
  oled init --input metrics.csv --labels incidents.csv --out my-task
  oled init --input gauges.csv events.csv --labels incidents.csv --time-column ts --out my-task";

pub(crate) const LEARN: &str = "\
Examples:
  oled learn lobby --input lobby.jsonl --output rules.lp
  oled learn my-task --input train.jsonl --max-literals 3 --report report.html";

pub(crate) const WEIGH: &str = "\
Examples:
  oled weigh lobby --theory hand --input lobby.jsonl --output weighed.lp
  oled weigh my-task --theory rules.lp --input train.jsonl --miss 5";

pub(crate) const RECOGNISE: &str = "\
Examples:
  oled recognise lobby --theory true --input lobby.jsonl
  oled recognise my-task --theory rules.lp --input live.jsonl --follow --events --reload";

pub(crate) const EVALUATE: &str = "\
Examples:
  oled evaluate lobby --theory hand --input lobby.jsonl
  oled evaluate my-task --theory rules.lp --input test.jsonl --intervals 0.5 --by segment";

pub(crate) const CROSSVAL: &str = "\
Examples:
  oled crossval lobby --input lobby.jsonl --folds 5
  oled crossval caviar --input CAVIAR --protocol fragment --out report";

pub(crate) const COMPARE: &str = "\
Examples:
  oled compare experiment.toml --out report
  oled compare experiment.toml --only-row replay --orders 1";

pub(crate) const EXPERIMENT: &str = "\
Examples:
  oled experiment demo --out report
  oled experiment paper --data CAVIAR --out report";

pub(crate) const EXPLAIN: &str = "\
Examples:
  oled explain lobby --theory true --input lobby.jsonl --fluent 'meeting(p3,p6)' --at 120
  oled explain lobby --theory rules.lp --input test.jsonl --trust";

pub(crate) const CHECK: &str = "\
Examples:
  oled check my-task
  oled check my-task --theory rules.lp";

pub(crate) const CONVERT: &str = "\
Examples:
  oled convert lobby.jsonl lobby.lp.gz
  oled convert log.txt --from facts --to jsonl --task my-task";

pub(crate) const SIMULATE: &str = "\
Examples:
  oled simulate --segments 4 --length 250 > lobby.jsonl
  oled simulate --world homes --days 5 --to facts";

pub(crate) const BENCH: &str = "\
Examples:
  oled bench
  oled bench --runs 3 --searches 0 --no-scaling --json";

#[cfg(feature = "cluster")]
pub(crate) const CLUSTER: &str = "\
Examples:
  oled cluster recognise lobby --theory true --input stream.jsonl --hosts hosts.txt --process 0
  oled cluster learn lobby --input stream.jsonl --hosts hosts.txt --process 1";

pub(crate) const COMPLETIONS: &str = "\
Examples:
  oled completions bash > oled.bash
  oled completions fish > ~/.config/fish/completions/oled.fish";

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use crate::args::Cli;
    use crate::recognise::CommandLine;

    #[test]
    fn every_command_has_two_examples_that_can_be_read() {
        for command in Cli::command().get_subcommands() {
            let name = command.get_name();
            let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let examples: Vec<&str> = text.lines().skip(1).map(str::trim).collect();
            assert!(text.starts_with("Examples:") && examples.len() == 2, "{name}: {text}");
            for example in examples {
                let typed = example.split(" > ").next().unwrap_or_default();
                let words = typed.parse::<CommandLine>().unwrap();
                assert_eq!(words.words()[1], name, "{example}");
                Cli::try_parse_from(words.words()).unwrap_or_else(|error| panic!("{example}: {error}"));
            }
        }
    }
}
