//! Folds: how rules that are found without a part of the stream do on that part, and which form of rules does best there.

use super::deal::Deal;
use super::{Classes, Definition, Effort, Fineness, Fit, FluentSearch, Outcome, Rule, Runs, Segment, actions};
use crate::replay::evidence::is_beyond_chance;
use crate::replay::simulate::fit_by_segment;

/// How rules of one form are found without each fold, and do on it.
pub(super) struct Folds {
    pub(super) form: Form,
    pub(super) rules: Vec<Vec<Rule>>,
    /// For each fold the rules before their thresholds were looked at again, and what they came to in each of the [`FORMS`].
    judged: Vec<(Vec<Rule>, Vec<Judged>)>,
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
    pub(super) effort: Effort,
    pub(super) fineness: Fineness,
    /// Whether rules are left out that mend what could be chance.
    pub(super) earned: bool,
}

impl Folds {
    fn new(form: Form) -> Folds {
        Folds {
            form,
            rules: Vec::new(),
            judged: Vec::new(),
            seen: Fit::default(),
            fit: Fit::default(),
            errors: Vec::new(),
            cut_short: false,
            looked_at: 0,
        }
    }

    /// Takes what was found without a fold, with how it does on the fold.
    fn add(&mut self, Judged { found, on_test: (fit, errors) }: &Judged) {
        self.cut_short |= found.cut_short;
        self.looked_at += found.looked_at;
        self.seen.add(&found.fit);
        self.fit.add(fit);
        self.errors.extend(errors);
        self.rules.push(found.rules.clone());
    }
}

/// What was found without a fold, how it does on the fold, and what its errors in each segment there count for.
#[derive(Clone)]
struct Judged {
    found: Outcome,
    on_test: (Fit, Vec<f64>),
}

/// How fine thresholds are, and whether rules are left out that mend what could be chance.
const FORMS: [(Fineness, bool); 4] =
    [(Fineness::Coarse, false), (Fineness::Coarse, true), (Fineness::Fine, false), (Fineness::Fine, true)];

impl FluentSearch<'_> {
    /// Finds rules without each fold, and judges them on it. All are kept, unless those that are not earned take more from what
    /// was held out than they bring. Thresholds have many digits, which the price of a theory is for, unless few are clearly
    /// better there. Taking what has the better F1 there, clearly or not, scored no better.
    pub(super) fn fold(&self, classes: &Classes, deal: &Deal<'_>, definition: Definition) -> Folds {
        self.fold_by(classes, deal, (definition, Effort::Plain), None, |parts, _| self.climb_coarse(parts, None))
    }

    /// The same with rules that are looked for thoroughly, from those that were found, unless that takes more from what was held
    /// out than it brings. This is done for the chosen definition only; for both it took a third longer.
    pub(super) fn look_further(&self, classes: &Classes, deal: &Deal<'_>, plain: Folds) -> Folds {
        let form = (plain.form.definition, Effort::Thorough);
        let thorough = self.fold_by(classes, deal, form, Some(&plain), |parts, fold| {
            let further = self.climb_with(Effort::Thorough, parts, Some(&plain.judged[fold].0));
            Outcome { cut_short: further.cut_short || plain.cut_short, ..further }
        });
        let looked_at = plain.looked_at + thorough.looked_at;
        Folds { looked_at, ..self.worth_keeping(thorough, plain) }
    }

    /// Finds rules without each fold in a way that is given, and judges them on it, unless it is known how they do.
    fn fold_by(
        &self,
        classes: &Classes,
        deal: &Deal<'_>,
        (definition, effort): (Definition, Effort),
        known: Option<&Folds>,
        find: impl Fn((&Classes, &Runs, Definition), usize) -> Outcome + Sync,
    ) -> Folds {
        let folds = deal.folds();
        let judged = self.threads.side_by_side(folds.len(), |fold| {
            self.watch.tell(|| format!("without a part of the stream, {} of {}", fold + 1, folds.len()));
            let (rest, test) = (deal.rest(folds[fold]), deal.held_out(folds[fold]));
            let [rest, test] = [&rest, &test].map(|part| part.iter().map(AsRef::as_ref).collect::<Vec<_>>());
            let found = find((classes, &Runs::new(&rest, self.scope, classes), definition), fold);
            let rules = found.rules.clone();
            let judged = match known.map(|known| &known.judged[fold]).filter(|(same, _)| *same == rules) {
                Some((_, judged)) => again(judged, &found),
                None => self.judge_forms(found, definition, (&rest, &test)),
            };
            (rules, judged)
        });
        let mut forms = FORMS.map(|(fineness, earned)| Folds::new(Form { definition, effort, fineness, earned }));
        for (_, judged) in &judged {
            forms.iter_mut().zip(judged).for_each(|(folds, judged)| folds.add(judged));
        }
        let looked_at = forms.iter().map(|folds| folds.looked_at).sum();
        let [few, few_earned, many, many_earned] = forms;
        let (few, many) = (self.worth_keeping(few, few_earned), self.worth_keeping(many, many_earned));
        let chosen = if is_clearly_less(&few.errors, &many.errors) { few } else { many };
        Folds { judged, looked_at, ..chosen }
    }

    /// Rules with thresholds of both kinds, all of them and the earned ones, as they do on what was held out: in the order of
    /// [`FORMS`].
    fn judge_forms(
        &self,
        mut found: Outcome,
        definition: Definition,
        (rest, test): (&[&Segment<'_>], &[&Segment<'_>]),
    ) -> Vec<Judged> {
        let effort = found.effort;
        let polished = [Fineness::Coarse, Fineness::Fine].map(|fineness| {
            let form = Form { definition, effort, fineness, earned: false };
            let polished = if found.cut_short { found.clone() } else { self.polish(rest, form, found.clone()) };
            // Both share the search.
            found.looked_at = 0;
            polished
        });
        // They have much in common, so that one look at what they were made from, and one at what was held out, is enough.
        let rules: Vec<Rule> = polished.iter().flat_map(|outcome| &outcome.rules).cloned().collect();
        let (classes, runs) = self.classes_of(&rules, rest);
        let earned = |polished: &Outcome| {
            self.earned_on((&classes, &runs, definition), Outcome { looked_at: 0, ..polished.clone() })
        };
        let [few, many] = polished;
        let [few_earned, many_earned] = [earned(&few), earned(&many)];
        let (classes, runs) = self.classes_of(&rules, test);
        let judge = |found: Outcome| {
            let actions = actions(&classes, &runs, &found.rules);
            Judged { on_test: fit_by_segment(&runs, &actions, definition, self.limits.balance), found }
        };
        [few, few_earned, many, many_earned].map(judge).into()
    }

    /// What fits better, or what was found with less: without rules that are not earned, or without looking further. What the
    /// former brings where it was made is what it happens to fit, at least in part; it is left where it takes more than that
    /// away on what was held out. Rules that are not earned must not be refused as such: where one interval is longer than all
    /// the others together, what explains it is not.
    fn worth_keeping(&self, more: Folds, less: Folds) -> Folds {
        let f = |fit: &Fit| self.limits.balance.f(fit);
        let (brings, takes) = (f(&more.seen) - f(&less.seen), f(&less.fit) - f(&more.fit));
        if takes > brings { less } else { more }
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

/// What is known of rules, found once more by another search.
fn again(judged: &[Judged], search: &Outcome) -> Vec<Judged> {
    let mut again = judged.to_vec();
    for (i, Judged { found, .. }) in again.iter_mut().enumerate() {
        found.looked_at = if i == 0 { search.looked_at } else { 0 };
        found.cut_short = search.cut_short;
    }
    again
}

/// Whether errors in segments are fewer than others by more than differences between segments would be by chance.
pub(super) fn is_clearly_less(errors: &[f64], others: &[f64]) -> bool {
    is_beyond_chance(errors.iter().zip(others).map(|(errors, others)| others - errors))
}
