//! What the library does by itself, as rules: types, looking back, symmetric fluents, inertia.

use oled::lang::ec;
use oled::lang::for_each_hole;
use oled::logic::{Look, Past, Role};
use oled::{Atom, Signature, Term};

use super::term::{apply, term};
use super::{Printer, Times, dummies};

impl Printer<'_> {
    /// `door(X1,T) :- happensAt(opens(X1),T).` for each place of each type.
    pub(super) fn types(&self) -> Vec<String> {
        let mut rules = Vec::new();
        for (_, predicate) in &self.vocabulary.predicates {
            let Role::Type(kind) = predicate.role else { continue };
            for mode in &self.task.bias.inputs {
                let observed = mode.signature().fill(dummies(mode.signature()));
                let mut variables = Vec::new();
                for_each_hole(&observed.args, &mut |t| variables.push(t.clone()));
                let time = self.time(&variables.last().map(term).unwrap_or_default());
                for (variable, _) in variables.iter().zip(mode.types()).filter(|(_, t)| *t == Some(kind)) {
                    let rule = format!("{} :- {}.", apply(kind, &[term(variable), time.clone()]), self.atom(&observed));
                    if !rules.contains(&rule) {
                        rules.push(rule);
                    }
                }
            }
        }
        rules
    }

    /// The conditions that look back, and which time points they look at.
    pub(super) fn looks_back(&self) -> Vec<String> {
        let Some(horizon) = self.task.bias.horizon else { return Vec::new() };
        let pasts: Vec<Past> = self
            .vocabulary
            .predicates
            .values()
            .filter_map(|p| if let Role::Past(past) = p.role { Some(past) } else { None })
            .collect();
        let mut rules = Vec::new();
        let (now, then, between) = (self.time("T"), self.time("P'"), self.time("Q'"));
        if pasts.iter().any(|p| matches!(p.look, Look::Ago(_))) {
            let (near, far) = (self.within("T", "P'", horizon), self.within("T", "Q'", horizon));
            rules.push(format!("_within({now},{then}) :- _next({then},{now}), {near}."));
            rules.push(format!("_within({now},{between}) :- _within({now},{then}), _next({between},{then}), {far}."));
        }
        let frames = pasts.iter().filter_map(|p| if let Look::FramesAgo(n) = p.look { Some(n) } else { None }).max();
        if let Some(most) = frames {
            rules.push(format!("_frames(1,{now},{then}) :- _next({then},{now})."));
            rules.push(format!(
                "_frames(N'+1,{now},{between}) :- _frames(N',{now},{then}), _next({between},{then}), N' < {most}."
            ));
        }
        let mut asked: Vec<Look> = Vec::new();
        for Past { look, base } in pasts {
            if !asked.contains(&look) {
                asked.push(look);
                rules.extend(self.points_looked_at(look, horizon));
            }
            rules.extend(self.look(look, base, horizon));
        }
        rules
    }

    /// Which time points `ago` and `frames_ago` look at.
    fn points_looked_at(&self, look: Look, horizon: i64) -> Option<String> {
        let (now, then, after) = (self.time("T"), self.time("P'"), self.time("Q'"));
        match look {
            Look::Ago(n) => {
                let (old, new) = (self.within("T", "P'", n - 1), self.within("T", "Q'", n - 1));
                Some(format!(
                    "_looks(ago,{n},{now},{then}) :- _within({now},{then}), _next({then},{after}), not {old}, {new}."
                ))
            }
            Look::FramesAgo(n) => {
                let near = self.within("T", "P'", horizon);
                Some(format!("_looks(frames_ago,{n},{now},{then}) :- _frames({n},{now},{then}), {near}."))
            }
            Look::Lasting | Look::Since => None,
        }
    }

    fn look(&self, look: Look, base: Signature, horizon: i64) -> Vec<String> {
        let (atom, what) = Printer::pattern(base);
        let (now, then) = (self.time("T"), self.time("P'"));
        let (is, was) = (self.atom_at(&atom, Some(&now)), self.atom_at(&atom, Some(&then)));
        // Since when: a time of the same segment.
        let (near, far) = (self.within("T", "F'", horizon), format!("not {}", self.within("T", "F'", horizon)));
        let units = self.minus("T", "F'");
        match look {
            Look::Ago(n) => vec![format!("_ago({what},{n},{now}) :- _looks(ago,{n},{now},{then}), {was}.")],
            Look::FramesAgo(n) => {
                vec![format!("_frames_ago({what},{n},{now}) :- _looks(frames_ago,{n},{now},{then}), {was}.")]
            }
            Look::Lasting => vec![
                format!("_run({what},T,{now}) :- {is}, _first({now})."),
                format!("_run({what},T,{now}) :- {is}, _next({then},{now}), not {was}."),
                format!("_run({what},F',{now}) :- {is}, _next({then},{now}), _run({what},F',{then}), {near}."),
                format!("_long({what},{now}) :- {is}, _next({then},{now}), _run({what},F',{then}), {far}."),
                format!("_long({what},{now}) :- {is}, _next({then},{now}), _long({what},{then})."),
                format!("_lasting({what},{units},{now}) :- _run({what},F',{now})."),
                format!("_lasting({what},{},{now}) :- _long({what},{now}).", term(&Term::Value(horizon.into()))),
            ],
            Look::Since => vec![
                format!("_last({what},T,{now}) :- {is}, _time({now})."),
                format!("_last({what},F',{now}) :- _next({then},{now}), _last({what},F',{then}), not {is}, {near}."),
                format!("_since({what},{units},{now}) :- _last({what},F',{now})."),
            ],
        }
    }

    /// That a time is at most so many time units before another.
    fn within(&self, now: &str, then: &str, units: i64) -> String {
        if self.small {
            return format!("{now}-{then} <= {units}");
        }
        format!("@at_most(@minus({now},{then}),{}) = 1", term(&Term::Value(units.into())))
    }

    fn minus(&self, now: &str, then: &str) -> String {
        if self.small { format!("{now}-{then}") } else { format!("@minus({now},{then})") }
    }

    /// What is said of a symmetric fluent is said of both orders.
    pub(super) fn mirrors(&self) -> Vec<String> {
        let symmetries = self.task.bias.symmetries();
        let mut rules = Vec::new();
        for rule in self.task.rules(self.theory) {
            let signature = Signature::of(&rule.head);
            if !symmetries.has(signature) {
                continue;
            }
            let mut terms: Vec<Term> = dummies(signature).collect();
            let timed = self.is_timed(&rule.head).then(|| self.time("T"));
            let one = self.atom_at(&signature.fill(terms.clone()), timed.as_deref());
            terms.swap(0, 1);
            let other = self.atom_at(&signature.fill(terms), timed.as_deref());
            let rule = format!("{other} :- {one}.");
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        rules
    }

    /// What started holds until it is ended, as long as what it speaks of is observed.
    pub(super) fn inertia(&self) -> Vec<String> {
        let mut fluents: Vec<Term> = Vec::new();
        for rule in self.task.rules(self.theory) {
            if matches!(rule.head.name.as_str(), ec::INITIATED | ec::TERMINATED | ec::INITIALLY) {
                let general = match &rule.head.args[0] {
                    constant @ Term::Value(_) => constant.clone(),
                    _ => Signature::of(&rule.head).fill(dummies(Signature::of(&rule.head))).args.swap_remove(0),
                };
                if !fluents.contains(&general) {
                    fluents.push(general);
                }
            }
        }
        fluents.iter().flat_map(|fluent| self.inertia_of(fluent)).collect()
    }

    fn inertia_of(&self, fluent: &Term) -> Vec<String> {
        let holds = Atom::new(ec::HOLDS, vec![fluent.clone(), Term::var("T")]);
        let of = |name: &str, time: &str| apply(oled::Symbol::new(name), &[term(fluent), time.to_string()]);
        let (now, then) = (self.time("T"), self.time("P'"));
        let observed = self.observed(&holds);
        let held = of(ec::HOLDS, &now);
        let mut rules = Vec::new();
        let mut goes_on = format!("{}, not {}", of(ec::HOLDS, &then), of(ec::TERMINATED, &then));
        if let Term::App(name, args) = fluent
            && name.as_str() == "="
        {
            // Another value ends this one.
            let other = apply(*name, &[term(&args[0]), "V'".into()]);
            rules.push(format!(
                "_replaced({},{now}) :- {held}, initiatedAt({other},{now}), V' != {}.",
                term(fluent),
                term(&args[1])
            ));
            goes_on = format!("{goes_on}, not _replaced({},{then})", term(fluent));
        }
        rules.push(format!("{held} :- _next({then},{now}), {}{observed}.", of(ec::INITIATED, &then)));
        rules.push(format!("{held} :- _next({then},{now}), {goes_on}{observed}."));
        if self.has_initially() && self.times == Times::WithSegment {
            let start = of(ec::INITIALLY, "(_init(S'),T)");
            rules.push(format!("{held} :- _first({now}), {start}{observed}."));
        }
        rules
    }

    /// That the values of tracked types in a fluent are observed at `T`, and that it is a candidate, where it has some.
    fn observed(&self, holds: &Atom) -> String {
        let Some(predicate) = self.vocabulary.predicates.get(&Signature::of(holds)) else { return String::new() };
        let mut holes = Vec::new();
        for_each_hole(&holds.args, &mut |t| holes.push(t.clone()));
        holes.pop();
        let tracked = |kind| self.task.options.tracked.as_ref().is_none_or(|types| types.contains(&kind));
        let literals = holes.iter().zip(&predicate.types).filter_map(|(hole, kind)| {
            let kind = kind.filter(|k| tracked(*k) && self.is_type(*k))?;
            Some(format!(", {}", apply(kind, &[term(hole), self.time("T")])))
        });
        let candidate = self.vocabulary.candidates_of(Signature::of(holds)).map(|candidates| {
            let atom = candidates.fill(holes.iter().cloned().chain([Term::var("T")]));
            format!(", {}", self.atom_at(&atom, Some(&self.time("T"))))
        });
        literals.chain(candidate).collect()
    }
}
