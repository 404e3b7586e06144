//! Candidates in learning: where the background says which instances are looked at, those are the instances that there are,
//! and conditions on all of their arguments are asked of nobody else.
//!
//! ```text
//! candidates(meet(X, Y), T) :- near(X, Y, T).
//! apart(X, Y, R, T) :- coords(X, A, B, T), coords(Y, C, D, T), R = sqrt((A - C)^2 + (B - D)^2).
//! ```
//!
//! What is learned of `meet` may ask how far apart two are, whatever the distance, so that all pairs would have to be
//! measured. Of the candidates it is enough:
//!
//! ```text
//! apart among meet(X, Y, R, T) :- candidates(meet(X, Y), T), apart(X, Y, R, T).
//! ```

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::instances::filled;
use crate::induce::{Column, LiteralTable};
use crate::lang::{Clause, Literal, Signature, Span, Symbol, Term, Value};
use crate::logic::{Model, Pred, Program, Role, Vocabulary};

/// Heads whose instances are found together: their variables have the same types, and the same are looked at.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Family {
    pub(crate) types: Vec<Symbol>,
    /// Whether a pair is one instance.
    pub(crate) symmetric: bool,
    /// Who is looked at, where not all are: a predicate, and for each column of it a variable of the heads or a constant.
    pub(crate) candidates: Option<(Signature, Vec<Result<usize, Value>>)>,
}

/// Who is looked at of a group of heads, as a relation of the program.
#[derive(Clone, Debug)]
pub(super) struct Candidates {
    pub(super) pred: Pred,
    pub(super) columns: Vec<Result<usize, Value>>,
}

impl Candidates {
    pub(super) fn of(family: &Family, program: &Program) -> Option<Candidates> {
        let (signature, columns) = family.candidates.as_ref()?;
        let pred = program.pred(*signature).expect("candidates are wanted");
        Some(Candidates { pred, columns: columns.clone() })
    }

    /// Whether an instance is looked at.
    pub(super) fn contain(&self, values: &[Value], model: &Model) -> bool {
        model.rows(self.pred).contains(&filled(&self.columns, values).collect::<Vec<_>>())
    }

    /// Calls a function with the arguments of each instance that is looked at.
    pub(super) fn for_each(&self, model: &Model, width: usize, mut each: impl FnMut(&[Value])) {
        let mut values: Option<Vec<Value>> = None;
        for row in model.rows(self.pred).rows() {
            let values = values.get_or_insert_with(|| vec![row[0]; width]);
            let mut fits = true;
            for (column, value) in self.columns.iter().zip(row) {
                match column {
                    Ok(v) => values[*v] = *value,
                    Err(constant) => fits &= constant == value,
                }
            }
            if fits {
                each(values);
            }
        }
    }
}

/// Where the conditions of a table are looked up.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// The predicate of each literal.
    pub(crate) closed: Vec<Signature>,
    /// What is measured for each literal with an open threshold.
    pub(crate) open: Vec<Signature>,
}

impl Asked {
    /// The predicates that the conditions of a table are about; where only candidates are looked at, the same for those, with
    /// rules that are added.
    pub(super) fn new(
        family: &Family,
        table: &LiteralTable,
        vocabulary: &mut Vocabulary,
        rules: &mut IndexSet<Clause, FxBuildHasher>,
    ) -> Asked {
        // What is measured alike is derived once.
        let measured: Vec<Signature> =
            vocabulary.measures.iter().map(|m| vocabulary.measures[m.same_as].measured).collect();
        let mut asked = |signature: Signature, columns: &[Option<Column>]| {
            let Some(rule) = among(family, signature, columns, vocabulary) else { return signature };
            let asked = Signature::of(&rule.head);
            let predicate = vocabulary.predicates[&signature].clone();
            vocabulary.predicates.entry(asked).or_insert(predicate);
            rules.insert(rule);
            asked
        };
        let whole = |columns: &[Column]| columns.iter().copied().map(Some).collect::<Vec<_>>();
        let closed = table.patterns().iter().map(|p| asked(p.signature, &whole(&p.columns))).collect();
        let open = table.open_literals().iter().map(|o| asked(measured[o.measure], &o.columns)).collect();
        Asked { closed, open }
    }
}

/// The rule for a condition that is asked of candidates only, where it is about all variables of the heads.
fn among(family: &Family, signature: Signature, columns: &[Option<Column>], vocabulary: &Vocabulary) -> Option<Clause> {
    let (candidates, own) = family.candidates.as_ref()?;
    let variables: Vec<usize> =
        columns.iter().filter_map(|c| if let Some(Column::Variable(v)) = c { Some(*v) } else { None }).collect();
    let width = family.types.len();
    let is_whole = width > 1 && variables.len() == width && variables.iter().all(|v| *v < width);
    let predicate = vocabulary.predicates.get(&signature)?;
    if !is_whole || predicate.role != Role::Derived || !predicate.timed || signature.inner_name().is_some() {
        return None;
    }
    let (variable, time) = (|v: usize| Term::var(&format!("X{v}")), Term::var("T"));
    // Constants and thresholds are looked for in the rows.
    let terms = columns.iter().enumerate().map(|(i, column)| match column {
        Some(Column::Variable(v)) => variable(*v),
        Some(Column::Constant(_)) | None => Term::var(&format!("C{i}")),
    });
    let terms: Vec<Term> = terms.chain([time.clone()]).collect();
    let looked_at = own.iter().map(|column| column.map_or_else(Term::Value, variable)).chain([time]);
    let looked_at = candidates.fill(looked_at.collect::<Vec<_>>());
    // With spaces in it, as no plain name has; orders of the variables are told apart.
    let name = format!("{} among {looked_at} {variables:?}", signature.name());
    let body = [looked_at, signature.fill(terms.clone())].map(Literal::positive);
    Some(Clause { head: signature.renamed(&name).fill(terms), body: body.into(), span: Span::default() })
}
