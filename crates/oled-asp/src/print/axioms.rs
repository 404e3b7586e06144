//! What the library does by itself, as rules: types, looking back, symmetric fluents, inertia.

use oled::lang::ec;
use oled::lang::for_each_hole;
use oled::logic::{Aggregate, Look, Operation, Past, Role};
use oled::{Atom, Precedence, Signature, Symbol, Term, Value};

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
        // What is counted now needs no horizon.
        let horizon = self.task.bias.horizon.unwrap_or(0);
        let pasts: Vec<Past> = self
            .vocabulary
            .predicates
            .values()
            .filter_map(|p| if let Role::Past(past) = p.role { Some(past) } else { None })
            .collect();
        let mut rules = Vec::new();
        let (now, then, between) = (self.time("T"), self.time("P'"), self.time("Q'"));
        if pasts.iter().any(|p| matches!(p.look, Look::Ago(_) | Look::Within(..) | Look::Aggregate(_))) {
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
        let lasts: Vec<Signature> = pasts.iter().filter(|p| p.look == Look::Last).map(|p| p.base).collect();
        let mut asked: Vec<Look> = Vec::new();
        for Past { look, base } in pasts {
            if !asked.contains(&look) {
                asked.push(look);
                rules.extend(self.points_looked_at(look, horizon));
            }
            rules.extend(self.look(look, base, horizon));
        }
        rules.extend(self.known(&lasts, horizon));
        for (signature, predicate) in &self.vocabulary.predicates {
            if let Role::Past(Past { look: Look::Aggregate(gather), base }) = predicate.role {
                let gathered = if gather.is_throughout() {
                    self.throughout(*signature, gather, base)
                } else {
                    self.gather(signature.name(), gather, base)
                };
                for rule in gathered {
                    if !rules.contains(&rule) {
                        rules.push(rule);
                    }
                }
            }
        }
        rules
    }

    /// What is counted or added up, for each group of which there is something within the window.
    fn gather(&self, name: Symbol, gather: Aggregate, base: Signature) -> Vec<String> {
        let (now, then) = (self.time("T"), self.time("P'"));
        let (atom, _) = Printer::pattern(base);
        let was = self.atom_at(&atom, Some(&then));
        let (mut groups, mut local) = (vec![super::gathering(name)], Vec::new());
        let columns: Vec<String> = dummies(base).take(base.arity() - 1).map(|t| term(&t)).collect();
        for (i, column) in columns.iter().enumerate() {
            if gather.groups(i) { &mut groups } else { &mut local }.push(column.clone());
        }
        local.push(then.clone());
        let (groups, local) = (groups.join(","), local.join(","));
        let units = gather.window.unwrap_or(0);
        let within = format!("_window({units},{now},{then}), {was}");
        let value = gather.value.map(|column| columns[column].as_str());
        // Facts that are equal count as often as the stream has them.
        let is_input = self.vocabulary.predicates.get(&base).is_some_and(|p| p.role == Role::Input);
        let is_repeated = is_input && gather.is_by_number();
        let again = |element: &str| {
            if !is_repeated {
                return format!("{element} : {within}");
            }
            format!("{element},0 : {within}; {element},N' : {within}, _repeated({was},N')")
        };
        let result = match (gather.operation, value) {
            (Operation::Count, None) => format!("R' = #count {{ {} }}", again(&local)),
            (Operation::Count, Some(value)) => format!("R' = #count {{ {value} : {within} }}"),
            (Operation::Min, Some(value)) => format!("R' = #min {{ {value} : {within} }}"),
            (Operation::Max, Some(value)) => format!("R' = #max {{ {value} : {within} }}"),
            (operation, value) => {
                let value = value.unwrap_or_default();
                let sum = format!("#sum {{ {} }}", again(&format!("{value},{local}")));
                let divide = crate::number::function("/", 2).expect("division is a function");
                match operation {
                    Operation::Sum => format!("R' = {sum}"),
                    _ => format!("R1' = {sum}, R2' = #count {{ {} }}, R' = @{divide}(R1',R2')", again(&local)),
                }
            }
        };
        let mut rules = vec![format!("_window({units},{now},{now}) :- _time({now}).")];
        if is_repeated {
            rules.push("#defined _repeated/2.".to_string());
        }
        if units > 0 {
            let near = self.within("T", "P'", units);
            rules.push(format!("_window({units},{now},{then}) :- _within({now},{then}), {near}."));
        }
        rules.push(format!("_some({groups},{now}) :- {within}."));
        rules.push(format!("_gathered({groups},R',{now}) :- _some({groups},{now}), {result}."));
        rules
    }

    /// What a value was at least, or at most, at every time point from a time on: for as long as rules ask for.
    fn throughout(&self, signature: Signature, gather: Aggregate, base: Signature) -> Vec<String> {
        let (now, then, first, after) = (self.time("T"), self.time("P'"), self.time("F'"), self.time("Q'"));
        let columns: Vec<String> = dummies(base).take(base.arity() - 1).map(|t| term(&t)).collect();
        let value = gather.value.map(|column| columns[column].clone()).unwrap_or_default();
        let own = columns.iter().enumerate().filter(|(i, _)| gather.groups(*i)).map(|(_, column)| column.clone());
        let groups = std::iter::once(super::gathering(signature.name())).chain(own).collect::<Vec<_>>().join(",");
        let (atom, _) = Printer::pattern(base);
        let is = self.atom_at(&atom, Some(&now));
        let less = |a: &str, b: &str| match gather.operation {
            Operation::NeverBelow => format!("@less({a},{b})"),
            _ => format!("@less({b},{a})"),
        };
        let went_on = format!("_next({then},{now}), _level({groups},F',R1',{then}), _best({groups},R2',{now})");
        let mut rules = vec![
            format!("_one({groups},{value},{now}) :- {is}, _time({now})."),
            format!(
                "_better({groups},R1',{now}) :- _one({groups},R1',{now}), _one({groups},R2',{now}), {} = 1.",
                less("R1'", "R2'")
            ),
            format!("_best({groups},R1',{now}) :- _one({groups},R1',{now}), not _better({groups},R1',{now})."),
            format!("_level({groups},T,R1',{now}) :- _best({groups},R1',{now})."),
            format!("_level({groups},F',R1',{now}) :- {went_on}, {} = 0.", less("R2'", "R1'")),
            format!("_level({groups},F',R2',{now}) :- {went_on}, {} = 1.", less("R2'", "R1'")),
        ];
        let mut spans = oled::logic::spans_of(&self.task.bias, &self.task.rules(self.theory), signature);
        // Where it is open for how long, those that are tried are measured as well.
        spans.extend(&self.vocabulary.durations);
        spans.sort_unstable();
        spans.dedup();
        for span in spans {
            let (early, late) = (self.within("T", "F'", span - 1), self.within("T", "Q'", span - 1));
            let units = term(&Term::Value(span.into()));
            rules.push(format!(
                "_gathered({groups},{units},R1',{now}) :- _level({groups},F',R1',{now}), _next({first},{after}), not {early}, {late}."
            ));
        }
        rules
    }

    /// What is known last: by a set of atoms that replace each other, and whom they are about.
    fn known(&self, lasts: &[Signature], horizon: i64) -> Vec<String> {
        let (now, then, last) = (self.time("T"), self.time("P'"), self.time("F'"));
        let (near, units) = (self.within("T", "F'", horizon), self.minus("T", "F'"));
        let mut rules: Vec<String> = Vec::new();
        let mut add = |rule: String| {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        };
        for &base in lasts {
            let members = self.vocabulary.latest(&self.task.bias, base);
            for member in &members {
                for (i, class) in member.classes.iter().enumerate() {
                    // A member's own set goes by its name, which is the same whoever asks.
                    let set = match class.set {
                        ..0 => super::term::value(Value::Sym(Symbol::new(&member.signature.to_string()))),
                        set => set.to_string(),
                    };
                    let mut holes: Vec<Term> = dummies(member.signature).collect();
                    let about: Vec<String> = class.about.iter().map(|column| term(&holes[*column])).collect();
                    let about = format!("about({})", [vec![set], about].concat().join(","));
                    // Rows of another class, where this one has all.
                    let others: Vec<String> = member.classes[..i]
                        .iter()
                        .flat_map(|other| &other.constants)
                        .map(|(column, value)| format!(", {} != {}", term(&holes[*column]), term(&Term::Value(*value))))
                        .collect();
                    for (column, value) in &class.constants {
                        holes[*column] = Term::Value(*value);
                    }
                    let others = if class.constants.is_empty() { others.concat() } else { String::new() };
                    let atom = member.signature.fill(holes);
                    let is = self.atom_at(&atom, Some(&now));
                    add(format!("_news({about},{now}) :- {is}, _time({now}){others}."));
                    if member.signature == base {
                        let mut untimed = atom.clone();
                        untimed.args.pop();
                        let (what, was) = (super::atom(&untimed), self.atom_at(&atom, Some(&last)));
                        add(format!("_last({what},{units},{now}) :- _known({about},F',{now}), {was}{others}."));
                    }
                }
            }
        }
        if !rules.is_empty() {
            rules.push(format!("_known(A',T,{now}) :- _news(A',{now})."));
            rules.push(format!(
                "_known(A',F',{now}) :- _next({then},{now}), _known(A',F',{then}), not _news(A',{now}), {near}."
            ));
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
            Look::Lasting | Look::Since | Look::Last | Look::Within(..) | Look::Aggregate(_) => None,
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
                format!("_recent({what},T,{now}) :- {is}, _time({now})."),
                format!(
                    "_recent({what},F',{now}) :- _next({then},{now}), _recent({what},F',{then}), not {is}, {near}."
                ),
                format!("_since({what},{units},{now}) :- _recent({what},F',{now})."),
            ],
            Look::Within(from, to) => {
                let (least, most) = (self.within("T", "P'", from - 1), self.within("T", "P'", to));
                let before =
                    format!("_within({what},{from},{to},{now}) :- _within({now},{then}), not {least}, {most}, {was}.");
                let at_once = format!("_within({what},{from},{to},{now}) :- {is}, _time({now}).");
                std::iter::once(before).chain((from == 0).then_some(at_once)).collect()
            }
            // What is known last depends on other predicates too, and what is counted has a name of its own.
            Look::Last | Look::Aggregate(_) => Vec::new(),
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
        let equivalences = self.task.bias.symmetric.iter().filter(|declared| declared.transitive);
        rules.extend(equivalences.map(|declared| self.clause(&declared.closure())));
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
        let (held, both) = (of(ec::HOLDS, &now), self.task.options.both);
        let mut rules = Vec::new();
        let mut unbroken = format!("not {}", of(ec::TERMINATED, &then));
        if let Term::App(name, args) = fluent
            && name.as_str() == "="
        {
            // Another value ends this one.
            let other = apply(*name, &[term(&args[0]), "V'".into()]);
            let mut broken = vec![held.clone()];
            if both == Precedence::End {
                broken.push(of(ec::INITIATED, &now));
            }
            rules.extend(broken.iter().map(|atom| {
                let (own, value) = (term(fluent), term(&args[1]));
                format!("_replaced({own},{now}) :- {atom}, initiatedAt({other},{now}), V' != {value}.")
            }));
            unbroken = format!("{unbroken}, not _replaced({},{then})", term(fluent));
        }
        let starts = of(ec::INITIATED, &then);
        let begins = match both {
            Precedence::Start => starts,
            Precedence::End => format!("{starts}, {unbroken}"),
        };
        rules.push(format!("{held} :- _next({then},{now}), {begins}{observed}."));
        rules.push(format!("{held} :- _next({then},{now}), {}, {unbroken}{observed}.", of(ec::HOLDS, &then)));
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
