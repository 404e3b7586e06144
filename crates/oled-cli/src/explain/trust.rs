//! How far each rule of a theory can be trusted: the stream is recognised with all rules, and without each of them.

use oled::calculus::label_name;
use oled::learn::Ablation;
use oled::logic::Stop;
use oled::{Clause, Confusion, Evaluation, Frame, Interrupt, Problems, Recogniser, Signature, Symbol, Task, Theory};
use serde_json::{Value, json};

use crate::learn::printed::{trust_json, trusted};

/// A theory at work, and the same without each of its rules.
pub(super) struct Trial {
    whole: Judged,
    without: Vec<Judged>,
    /// What each rule is judged by: the fluent that it is about, or all of them.
    fluents: Vec<Option<Symbol>>,
}

/// Rules at work, and how well they did.
struct Judged {
    /// Nothing where others cannot do without the rule.
    recogniser: Option<Recogniser>,
    evaluation: Evaluation,
}

impl Judged {
    /// Counts a frame; returns why that was not possible, if it was not.
    fn observe(&mut self, frame: &Frame) -> Option<Stop> {
        let recogniser = self.recogniser.as_mut()?;
        recogniser.observe(frame, &mut Vec::new());
        if recogniser.stop().is_none() {
            self.evaluation.count(recogniser, frame);
        }
        recogniser.stop().cloned()
    }

    fn counts(&self, fluent: Option<Symbol>) -> Confusion {
        match fluent {
            Some(fluent) => self.evaluation.by_fluent().get(&fluent).copied().unwrap_or_default(),
            None => self.evaluation.total(),
        }
    }

    /// The segments in which there is something to count, with the errors there.
    fn errors(&self, fluent: Option<Symbol>) -> Vec<(Symbol, u64)> {
        let mut errors: Vec<(Symbol, u64)> = Vec::new();
        for (name, segment, counts) in self.evaluation.by_segment() {
            if fluent.is_none_or(|fluent| fluent == name) {
                errors.push((segment, counts.fp + counts.fn_));
            }
        }
        errors.sort_by_key(|(segment, _)| segment.as_str());
        errors.dedup_by(|later, first| {
            let same = later.0 == first.0;
            first.1 += if same { later.1 } else { 0 };
            same
        });
        errors
    }
}

impl Trial {
    pub(super) fn new(task: &Task, theory: &Theory, max_steps: u64, interrupt: &Interrupt) -> Result<Trial, Problems> {
        let targets = task.labels();
        let recogniser = |theory: &Theory| {
            Recogniser::new(task, theory).map(|r| r.with_max_steps(max_steps).with_interrupt(interrupt.clone()))
        };
        let judged = |recogniser| Judged { recogniser, evaluation: Evaluation::new(&targets) };
        let less = |i: usize| {
            let clauses = theory.clauses.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, c)| c.clone());
            recogniser(&clauses.collect::<Theory>()).ok()
        };
        let labelled = |clause: &Clause| {
            let head = Signature::of(&clause.head);
            let name = head.inner_name().unwrap_or_else(|| head.name());
            targets.iter().any(|t| label_name(*t).unwrap_or_else(|| t.name()) == name).then_some(name)
        };
        Ok(Trial {
            whole: judged(Some(recogniser(theory)?)),
            without: (0..theory.clauses.len()).map(|i| judged(less(i))).collect(),
            fluents: theory.clauses.iter().map(labelled).collect(),
        })
    }

    /// Counts a frame; returns why that was not possible, if it was not.
    pub(super) fn observe(&mut self, frame: &Frame) -> Option<Stop> {
        [&mut self.whole].into_iter().chain(&mut self.without).find_map(|judged| judged.observe(frame))
    }

    /// Whether there were labels to judge by.
    pub(super) fn is_labelled(&self) -> bool {
        let total = self.whole.evaluation.total();
        total.tp + total.fn_ > 0
    }

    /// What is found of a rule; nothing if other rules cannot do without it.
    fn trust(&self, rule: usize) -> Option<Ablation> {
        let (without, fluent) = (&self.without[rule], self.fluents[rule]);
        without.recogniser.as_ref()?;
        let (with, others) = (self.whole.errors(fluent), without.errors(fluent));
        let of = |errors: &[(Symbol, u64)], segment: Symbol| {
            errors.iter().find(|(s, _)| *s == segment).map_or(0, |(_, errors)| *errors)
        };
        let mut segments: Vec<Symbol> = with.iter().chain(&others).map(|(segment, _)| *segment).collect();
        segments.sort_by_key(|segment| segment.as_str());
        segments.dedup();
        let count = |more: &dyn Fn(u64, u64) -> bool| {
            segments.iter().filter(|s| more(of(&others, **s), of(&with, **s))).count()
        };
        Some(Ablation {
            gain: self.whole.counts(fluent).f1() - without.counts(fluent).f1(),
            helps: count(&|others, with| others > with),
            harms: count(&|others, with| others < with),
            refits: None,
        })
    }

    /// What is found of a rule, for people.
    pub(super) fn to_text(&self, rule: usize, clause: &Clause) -> String {
        let lines: String = clause.to_string().lines().map(|line| ["  ", line, "\n"].concat()).collect();
        let found = self.trust(rule).map_or_else(|| "other rules cannot do without it".into(), |trust| trusted(&trust));
        format!("rule {}\n{lines}  {found}\n", rule + 1)
    }

    /// The same as data.
    pub(super) fn to_json(&self, rule: usize, clause: &Clause) -> Value {
        let mut object = json!({
            "rule": rule + 1, "clause": clause.to_string(), "fluent": self.fluents[rule].map(Symbol::as_str),
        });
        if let (Value::Object(object), Some(Value::Object(mut trust))) =
            (&mut object, self.trust(rule).map(|t| trust_json(&t)))
        {
            trust.shift_remove("refits");
            object.extend(trust);
        }
        object
    }
}
