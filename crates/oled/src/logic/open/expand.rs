//! Expansion: rules without open predicates: each use is replaced by the definition, or gets a rule for its threshold.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::lang::{Atom, Bias, Clause, Comparison, Formula, Literal, Signature, Symbol, Term, Value};

use super::super::rewrite::{Numbered, substitute, substitute_literal, unfold};
use super::{Definition, Open, durations, find, gives, holes, unknown_threshold, used};

/// The rules without open definitions: where one is used, it is replaced. `fresh` numbers the replacements.
pub(in crate::logic) fn expand(bias: &Bias, rules: Vec<Numbered>, fresh: &mut usize) -> Vec<Numbered> {
    let all: Vec<&Clause> = rules.iter().map(|(rule, _)| rule).collect();
    let (open, _) = find(bias, &all);
    if open.is_empty() {
        return rules;
    }
    let mut expanded: Vec<Numbered> = Vec::new();
    for (rule, number) in &rules {
        let signature = Signature::of(&rule.head);
        match open.iter().find(|o| o.predicate == signature) {
            None => expanded.push((rule.clone(), *number)),
            Some(o) => expanded.extend(o.definition.iter().map(|d| (d.measuring(o), None))),
        }
    }
    for mode in &bias.bodies {
        let literal = Literal::positive(mode.atom.clone());
        if let Some((Open { definition: Some(definition), duration, .. }, atom, Term::Value(value))) =
            used(&open, &literal)
        {
            expanded.push((definition.instance_of(*value).lasting(*duration, atom), None));
        }
    }
    // Instances of definitions come at the end, and are expanded in turn; no definition uses itself, so this ends.
    let mut known: IndexSet<Clause, FxBuildHasher> = expanded.iter().map(|(rule, _)| rule.clone()).collect();
    let mut at = 0;
    while at < expanded.len() {
        let mut rule = expanded[at].0.clone();
        if rule.body.iter().any(|l| unknown_threshold(&open, &rule, l).is_some()) {
            // The checks say so.
            expanded.remove(at);
            continue;
        }
        let mut i = 0;
        while i < rule.body.len() {
            let Some((o, atom, threshold)) = used(&open, &rule.body[i]) else {
                i += 1;
                continue;
            };
            let Some(definition) = &o.definition else {
                i += 1;
                continue;
            };
            *fresh += 1;
            let instance = definition.instance(&open, &rule, atom, threshold, *fresh).lasting(o.duration, atom);
            if known.insert(instance.clone()) {
                expanded.push((instance, None));
            }
            if rule.body[i].negated {
                i += 1;
            } else {
                let literal = rule.body.remove(i);
                rule.body.splice(i..i, unfold(definition.rule, &literal, fresh));
            }
        }
        expanded[at].0 = rule;
        at += 1;
    }
    expanded
}

impl Definition<'_> {
    /// `close measured(X, Y, R, T) :- apart(X, Y, R, T).`
    fn measuring(&self, open: &Open<'_>) -> Clause {
        let terms = holes(&self.rule.head).into_iter().enumerate();
        let terms = terms.map(|(i, t)| if i == open.column { self.value.clone() } else { t.clone() });
        let mut head = open.measured().fill(terms);
        head.span = self.rule.body[self.at].span.clone();
        Clause { head, body: self.rest().cloned().collect(), span: self.rule.span.clone() }
    }

    /// The rule for one threshold: `close(X, Y, 25, T) :- apart(X, Y, R, T), R <= 25.`
    fn instance_of(&self, value: Value) -> Clause {
        let mut put = |name: Symbol| if name == self.threshold { Term::Value(value) } else { Term::Var(name) };
        let mut instance = self.rule.clone();
        instance.body = instance.body.iter().map(|l| substitute_literal(l, &mut put)).collect();
        instance.head.args = instance.head.args.iter().map(|t| substitute(t, &mut put)).collect();
        instance
    }

    /// The rule for the thresholds that a use asks for. Where it has no number but a variable, what gives that a value
    /// comes along.
    fn instance(&self, open: &[Open<'_>], rule: &Clause, used: &Atom, threshold: &Term, number: usize) -> Clause {
        if let Term::Value(value) = threshold {
            return self.instance_of(*value);
        }
        let mut definition = self.rule.clone();
        let givers = givers(open, rule, threshold);
        // Variables of the use become those of the definition, others get names that no text has.
        let parameters = holes(&self.rule.head);
        let arguments = holes(used);
        let mut rename = |name: Symbol| {
            let same = arguments.iter().zip(&parameters).find(|(a, p)| {
                **a == &Term::Var(name) && matches!(p, Term::Var(p) if *p != self.threshold && p.as_str() != "_")
            });
            match same {
                _ if name.as_str() == "_" => Term::Var(name),
                Some((_, parameter)) => (*parameter).clone(),
                None => Term::var(&format!("?{number}{}", name.as_str())),
            }
        };
        let mut body: Vec<Literal> = givers.into_iter().map(|l| substitute_literal(l, &mut rename)).collect();
        let known = substitute(threshold, &mut rename);
        let formula = Formula::Compare(Comparison::Equal, Term::Var(self.threshold), known);
        body.push(Literal { negated: false, formula, span: used.span.clone() });
        body.append(&mut definition.body);
        Clause { body, ..definition }
    }
}

impl Clause {
    /// The rule of a predicate with a duration, for that of a use.
    fn lasting(self, duration: Option<usize>, used: &Atom) -> Clause {
        match duration {
            Some(column) => durations::fixed(&self, column, holes(used)[column]),
            None => self,
        }
    }
}

/// The literals of a rule that give the variables of a threshold their values, as far as other than open predicates do.
fn givers<'c>(open: &[Open<'_>], rule: &'c Clause, threshold: &Term) -> Vec<&'c Literal> {
    let mut found: Vec<&Literal> = Vec::new();
    let mut needed: Vec<Symbol> = Vec::new();
    threshold.for_each_var(&mut |name| needed.push(name));
    let mut at = 0;
    while let Some(&name) = needed.get(at) {
        at += 1;
        let giver = rule.body.iter().find(|l| gives(open, l, name) && used(open, l).is_none());
        if let Some(giver) = giver.filter(|l| !found.contains(l)) {
            found.push(giver);
            // Equations and operations need values themselves.
            giver.for_each_var(&mut |other| needed.extend((!needed.contains(&other)).then_some(other)));
        }
    }
    found
}
