//! Folds: how rules that are found without a part of the stream do on that part, and which form of rules does best there.

use super::deal::{Deal, FOLDS};
use super::{Classes, Definition, Fineness, Fit, FluentSearch, Outcome, Rule, Runs, Segment, Vocabulary, actions};
use crate::replay::evidence::is_beyond_chance;
use crate::replay::simulate::fit_by_segment;

/// How rules of one form are found without each fold, and do on it.
pub(super) struct Folds {
    pub(super) form: Form,
    pub(super) rules: Vec<Vec<Rule>>,
    /// How they do on what they were made from, and on what was held out.
    seen: Fit,
    pub(super) fit: Fit,
    /// What the errors in each segment, or stretch of one, that was held out count for; in the same order for each form.
    errors: Vec<f64>,
    pub(super) cut_short: bool,
    pub(super) looked_at: u64,
}

/// What is chosen by how rules do on segments that they were not made from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Form {
    pub(super) definition: Definition,
    pub(super) fineness: Fineness,
    /// Whether rules are left out that mend what could be chance.
    pub(super) earned: bool,
}

impl Folds {
    fn new(form: Form) -> Folds {
        Folds {
            form,
            rules: Vec::new(),
            seen: Fit::default(),
            fit: Fit::default(),
            errors: Vec::new(),
            cut_short: false,
            looked_at: 0,
        }
    }

    /// Takes what was found without a fold, with how it does on the fold.
    fn add(&mut self, found: Outcome, (fit, errors): &(Fit, Vec<f64>)) {
        self.cut_short |= found.cut_short;
        self.looked_at += found.looked_at;
        self.seen.add(&found.fit);
        self.fit.add(fit);
        self.errors.extend(errors);
        self.rules.push(found.rules);
    }
}

impl FluentSearch<'_> {
    /// Finds rules without each fold, and judges them on it. Thresholds have many digits, which the price of a theory is for,
    /// unless few are clearly better there. Taking what has the better F1 there, clearly or not, scored no better.
    pub(super) fn fold(&self, classes: &Classes, deal: &Deal<'_>, definition: Definition) -> Folds {
        let mut forms = [Fineness::Coarse, Fineness::Fine]
            .map(|fineness| [false, true].map(|earned| Folds::new(Form { definition, fineness, earned })));
        for fold in 0..FOLDS {
            self.watch.tell(|| format!("without a part of the stream, {} of {FOLDS}", fold + 1));
            let (rest, test) = (deal.rest(fold), deal.held_out(fold));
            let [rest, test] = [&rest, &test].map(|part| part.iter().map(AsRef::as_ref).collect::<Vec<_>>());
            let mut found = self.climb_coarse((classes, &Runs::new(&rest, self.scope, classes), definition), None);
            for [all, earned] in &mut forms {
                let polished =
                    if found.cut_short { found.clone() } else { self.polish(&rest, all.form, found.clone()) };
                // All share the search.
                found.looked_at = 0;
                let judged = self.judge(&polished.rules, definition, &test);
                let left = Outcome { looked_at: 0, ..self.earned(&rest, earned.form, polished.clone()) };
                if left.rules.len() < polished.rules.len() {
                    let judged = self.judge(&left.rules, definition, &test);
                    earned.add(left, &judged);
                } else {
                    earned.add(left, &judged);
                }
                all.add(polished, &judged);
            }
        }
        let looked_at = forms.iter().flatten().map(|folds| folds.looked_at).sum();
        let [coarse, fine] = forms.map(|form| self.worth_keeping(form));
        let chosen = if is_clearly_less(&coarse.errors, &fine.errors) { coarse } else { fine };
        Folds { looked_at, ..chosen }
    }

    /// All rules or those that are earned. What the others bring where they were made is what they happen to fit, at least in
    /// part; they are left out where they take more than that away on what was held out. Rules that are not earned must not
    /// be refused as such: where one interval is longer than all the others together, what explains it is not.
    fn worth_keeping(&self, [all, earned]: [Folds; 2]) -> Folds {
        let f = |fit: &Fit| self.limits.balance.f(fit);
        let (brings, takes) = (f(&all.seen) - f(&earned.seen), f(&earned.fit) - f(&all.fit));
        if takes > brings { earned } else { all }
    }

    /// How rules do on segments, and what their errors in each count for.
    fn judge(&self, rules: &[Rule], definition: Definition, test: &[&Segment<'_>]) -> (Fit, Vec<f64>) {
        let classes = Classes::new(self.record, test, self.scope, Vocabulary::Of(rules, Fineness::Coarse));
        let runs = Runs::new(test, self.scope, &classes);
        fit_by_segment(&runs, &actions(&classes, &runs, rules), definition, self.limits.balance)
    }

    /// The definition that does best on segments that its rules were not made from. What was declared yields only to what
    /// is clearly better: by more than the differences between segments would be by chance.
    pub(super) fn choose(&self, declared: Definition, tried: Vec<Folds>) -> Folds {
        let (mut own, mut others): (Vec<_>, Vec<_>) = tried.into_iter().partition(|f| f.form.definition == declared);
        let own = own.pop().expect("the declared definition is one of those that were tried");
        let Some(other) = others.pop() else { return own };
        let f = |folds: &Folds| self.limits.balance.f(&folds.fit);
        let is_clear = self.choice.declared.is_none() || is_clearly_less(&other.errors, &own.errors);
        if f(&other) > f(&own) && is_clear { other } else { own }
    }
}

/// Whether errors in segments are fewer than others by more than differences between segments would be by chance.
pub(super) fn is_clearly_less(errors: &[f64], others: &[f64]) -> bool {
    is_beyond_chance(errors.iter().zip(others).map(|(errors, others)| others - errors))
}
