//! The fluents that are to be explained.

use oled::calculus::label_name;
use oled::explain::Explainer;
use oled::lang::{Symmetries, did_you_mean, for_each_hole};
use oled::{Atom, Signature, Symbol, Term, Value, parse_atom};
use oled_data::task_folder::TaskFolder;

use crate::{Error, defines_nothing};

/// What was asked for, read as an ordinary predicate: `in_danger(p1, 0)` for `holdsAt(in_danger(p1), 0)`.
fn ordinary(fluent: &Atom) -> Option<Atom> {
    let [inner, time] = fluent.args.as_slice() else { return None };
    let (name, args) = match inner {
        Term::App(name, args) => (*name, args.as_slice()),
        Term::Value(Value::Sym(name)) => (*name, &[][..]),
        _ => return None,
    };
    let args = args.iter().chain([time]).cloned().collect();
    Some(Atom { name, args, span: fluent.span.clone() })
}

/// Which fluents, and ordinary predicates that are labelled, are to be explained.
pub struct Fluents {
    wanted: Vec<Signature>,
    /// Those that labels are about.
    labelled: Vec<Signature>,
    /// The values asked for, where a fluent with arguments was named.
    values: Option<Vec<Option<Value>>>,
    symmetries: Symmetries,
}

impl Fluents {
    /// What the text names; else the fluents of the theory that the task asks for, or all where it asks for none of them.
    pub fn new(folder: &TaskFolder, explainer: &Explainer, text: Option<&str>) -> Result<Fluents, Error> {
        let labelled = folder.task.labels();
        let symmetries = folder.task.bias.symmetries();
        let defined: Vec<Signature> = explainer.recogniser().fluents().collect();
        let Some(text) = text else {
            if defined.is_empty() {
                return Err(defines_nothing(&folder.task));
            }
            let asked: Vec<Signature> = defined.iter().copied().filter(|s| labelled.contains(s)).collect();
            let wanted = if asked.is_empty() { defined } else { asked };
            return Ok(Fluents { wanted, labelled, values: None, symmetries });
        };
        let mut known = defined;
        known.extend(labelled.iter().filter(|s| !known.contains(s)).copied().collect::<Vec<_>>());
        let fluent = parse_atom(&format!("holdsAt({text}, 0)")).map_err(|_| {
            Error::Plan(format!("`{text}` is no fluent\nhint: write it like `meeting(p1,p2)` or `meeting(p1,_)`"))
        })?;
        let signature = Signature::of(&fluent);
        let readings =
            [Some(fluent.clone()), ordinary(&fluent), Some(Atom { name: Symbol::new("happensAt"), ..fluent })];
        let readings = readings.into_iter().flatten().map(|atom| (Signature::of(&atom), atom));
        if let Some((signature, atom)) = readings.into_iter().find(|(s, _)| known.contains(s)) {
            let mut values = Vec::new();
            for_each_hole(&atom.args, &mut |term| {
                values.push(if let Term::Value(value) = term { Some(*value) } else { None });
            });
            values.pop();
            return Ok(Fluents { wanted: vec![signature], labelled, values: Some(values), symmetries });
        }
        let name = |s: &Signature| label_name(*s).map(|n| n.as_str().to_string()).unwrap_or_default();
        let named: Vec<Signature> = known.iter().copied().filter(|s| name(s) == text.trim()).collect();
        if named.is_empty() {
            let names: Vec<String> = known.iter().map(name).collect();
            let asked = signature.inner_name().map_or(text, |n| n.as_str());
            let hint = match did_you_mean(asked, names.iter().map(String::as_str)) {
                Some(near) if near != asked => format!("did you mean `{near}`?"),
                _ => format!("fluents are {}", names.join(", ")),
            };
            return Err(Error::Plan(format!("no rule and no label is about `{text}`\nhint: {hint}")));
        }
        Ok(Fluents { wanted: named, labelled, values: None, symmetries })
    }

    /// Whether one fluent with all its values was named.
    pub fn is_one(&self) -> bool {
        self.values.as_ref().is_some_and(|values| values.iter().all(Option::is_some))
    }

    /// The one instance that was asked for, if it was one.
    pub(super) fn one(&self) -> Option<(Signature, Vec<Value>)> {
        let values = self.values.as_ref()?.iter().copied().collect::<Option<Vec<Value>>>()?;
        Some((*self.wanted.first()?, values))
    }

    pub(super) fn has(&self, signature: Signature, values: &[Value]) -> bool {
        let is = |(asked, value): (&Option<Value>, &Value)| asked.is_none_or(|asked| asked == *value);
        let fits = |asked: &Vec<Option<Value>>| {
            // A symmetric fluent may be asked for in either order.
            let exchanged = || self.symmetries.has(signature) && asked.iter().rev().zip(values).all(is);
            asked.iter().zip(values).all(is) || exchanged()
        };
        self.wanted.contains(&signature) && self.values.as_ref().is_none_or(fits)
    }

    /// Whether labels are about a fluent.
    pub(super) fn is_labelled(&self, signature: Signature) -> bool {
        self.labelled.contains(&signature) && self.wanted.contains(&signature)
    }
}
