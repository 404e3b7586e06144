//! Fillings: the literals of a table, from all ways to fill the places of the modes with variables and constants.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::{Column, Introduced, LiteralTable, OpenLiteral, Pattern};
use crate::induce::Mask;
use crate::lang::{Bias, Diagnostic, Mark, MeantFor, Mode, Monotone, Span, Symbol, Term, Value};
use crate::logic::{Measure, Vocabulary};

impl LiteralTable {
    /// The table for heads with variables of these types, or what is wrong with the declarations. Output places may
    /// introduce variables up to `depth` literals away from the head. All thresholds must be listed.
    pub fn new(
        bias: &Bias,
        vocabulary: &Vocabulary,
        types: &[Symbol],
        depth: usize,
    ) -> Result<LiteralTable, Diagnostic> {
        LiteralTable::check_listed(bias, vocabulary)?;
        LiteralTable::closed(bias, vocabulary, types, depth)
    }

    /// Whether all thresholds are listed; if not, what to do about the first.
    pub(crate) fn check_listed(bias: &Bias, vocabulary: &Vocabulary) -> Result<(), Diagnostic> {
        if let Some(mode) = bias.bodies.iter().find(|m| measure_of(vocabulary, m).is_some()) {
            let name = mode.atom.name;
            let message = format!(
                "the thresholds of `{name}` are open: this learner needs them listed; \
                 give them a type of their own, `type(distance, real).` and `#distance` in modes.lp, and in background.lp \
                 facts of it, `distance(25).`, and the condition `distance(D)` in the rule of `{name}`"
            );
            return Err(Diagnostic::new(&mode.atom.span, message));
        }
        Ok(())
    }

    /// The same for those who find thresholds themselves: literals with open ones have no numbers here, and are apart in
    /// [`LiteralTable::open_literals`].
    pub fn closed(
        bias: &Bias,
        vocabulary: &Vocabulary,
        types: &[Symbol],
        depth: usize,
    ) -> Result<LiteralTable, Diagnostic> {
        let mut table = LiteralTable {
            types: types.to_vec(),
            introduced: Vec::new(),
            literals: Vec::new(),
            patterns: Vec::new(),
            heads: Vec::new(),
            implied: Vec::new(),
            open: Vec::new(),
        };
        let mut sizes: Vec<(String, usize)> = Vec::new();
        let mut known = FxHashMap::default();
        for level in 0..=depth {
            for mode in &bias.bodies {
                if let Some(measure) = measure_of(vocabulary, mode) {
                    if level == 0 {
                        table.add_open(mode, measure, vocabulary)?;
                    }
                    continue;
                }
                let before = table.patterns.len();
                table.add_mode(mode, level, level < depth, vocabulary, &mut known)?;
                sizes.push((mode.atom.to_string(), table.patterns.len() - before));
            }
        }
        if table.patterns.len() > LiteralTable::MOST {
            sizes.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
            let largest: Vec<String> =
                sizes.iter().take(3).map(|(mode, n)| format!("`{mode}` ({n} literals)")).collect();
            let message = format!(
                "the modes allow {} literals, at most {} are possible: narrow {}",
                table.patterns.len(),
                LiteralTable::MOST,
                largest.join(", ")
            );
            // There are too many of them together: the first stands for all.
            let place = bias.bodies.first().map_or_else(Span::default, |m| m.atom.span.clone());
            return Err(Diagnostic::new(&place, message));
        }
        table.literals = table.patterns.iter().map(|p| table.literal(p)).collect();
        table.implied = table.implications(bias);
        Ok(table)
    }

    fn level(&self, variable: usize) -> usize {
        if variable < self.types.len() { 0 } else { self.introduced[variable - self.types.len()].level }
    }

    fn kind(&self, variable: usize) -> Symbol {
        if variable < self.types.len() {
            self.types[variable]
        } else {
            self.introduced[variable - self.types.len()].kind
        }
    }

    /// All ways to fill the places of a mode with constants and with variables that are at most so many literals away from
    /// the head; `None` in output places.
    fn fillings(
        &self,
        mode: &Mode,
        holes: &[&Term],
        level: usize,
        vocabulary: &Vocabulary,
    ) -> Result<Vec<Vec<Option<Column>>>, Diagnostic> {
        let count = self.types.len() + self.introduced.len();
        let mut fillings: Vec<Vec<Option<Column>>> = vec![Vec::new()];
        for hole in holes {
            let choices: Vec<Option<Column>> = match hole {
                Term::Value(value) => vec![Some(Column::Constant(*value))],
                Term::Mark(Mark::Constant, kind) => {
                    let Some(values) = vocabulary.enumerations.get(kind) else {
                        return Err(unlisted(mode, *kind));
                    };
                    values.iter().map(|v| Some(Column::Constant(*v))).collect()
                }
                Term::Mark(Mark::Input, kind) => {
                    let fits = |&v: &usize| self.kind(v) == *kind && self.level(v) <= level;
                    (0..count).filter(fits).map(|v| Some(Column::Variable(v))).collect()
                }
                Term::Mark(Mark::Output, _) => vec![None],
                Term::Var(_) | Term::App(..) => unreachable!("modes have place markers and constants only"),
            };
            fillings = fillings
                .iter()
                .flat_map(|filling| {
                    // Different places of a literal are about different variables.
                    let fresh = |c: &&Option<Column>| !matches!(c, Some(Column::Variable(_))) || !filling.contains(c);
                    choices.iter().filter(fresh).map(|c| [filling.as_slice(), &[*c]].concat()).collect::<Vec<_>>()
                })
                .collect();
        }
        Ok(fillings)
    }

    /// Adds the literals of a mode with an open threshold, over the variables of the head. An output place would introduce
    /// others: there are none of those.
    fn add_open(&mut self, mode: &Mode, measure: usize, vocabulary: &Vocabulary) -> Result<(), Diagnostic> {
        let Measure { column: threshold, duration, .. } = vocabulary.measures[measure];
        let holes = holes(mode);
        let open_duration = duration.filter(|column| matches!(holes[*column], Term::Mark(Mark::Constant, _)));
        let left_out: Vec<usize> = std::iter::once(threshold).chain(open_duration).collect();
        let others = (0..holes.len()).filter(|column| !left_out.contains(column)).map(|column| holes[column]);
        let others: Vec<&Term> = others.collect();
        let fillings = self.fillings(mode, &others, 0, vocabulary)?;
        for columns in fillings.iter().filter(|columns| !columns.contains(&None)) {
            // Each duration that is tried is a literal of its own.
            let durations = match open_duration {
                Some(_) => vocabulary.durations.iter().map(|span| Some(Column::Constant((*span).into()))).collect(),
                None => vec![None],
            };
            for duration in durations {
                let mut rest = columns.iter();
                let at = |column: usize| match () {
                    () if column == threshold => None,
                    () if open_duration == Some(column) => duration,
                    () => rest.next().copied().flatten(),
                };
                self.add_one_open(mode, measure, (0..holes.len()).map(at).collect());
            }
        }
        Ok(())
    }

    fn add_one_open(&mut self, mode: &Mode, measure: usize, columns: Vec<Option<Column>>) {
        let (before, heads) = (self.patterns.len(), mode.heads.clone());
        let literal = OpenLiteral { measure, columns, negated: mode.negated, before, heads };
        let same = |o: &OpenLiteral| (o.measure, &o.columns, o.negated) == (measure, &literal.columns, mode.negated);
        match self.open.iter_mut().find(|o| same(o)) {
            Some(known) => mean(&mut known.heads, mode),
            None => self.open.push(literal),
        }
    }

    /// Adds the literals of a mode whose known variables are at most so many literals away from the head, and one of
    /// them exactly so many; those that are `known` are not added again.
    fn add_mode(
        &mut self,
        mode: &Mode,
        level: usize,
        outputs: bool,
        vocabulary: &Vocabulary,
        known: &mut FxHashMap<Pattern, usize>,
    ) -> Result<(), Diagnostic> {
        let holes = holes(mode);
        let fillings = self.fillings(mode, &holes, level, vocabulary)?;
        for filling in fillings {
            let variables =
                filling.iter().filter_map(|c| if let Some(Column::Variable(v)) = c { Some(*v) } else { None });
            let introduces = filling.contains(&None);
            if variables.map(|v| self.level(v)).max().unwrap_or(0) != level || introduces && !outputs {
                continue;
            }
            let literal = self.patterns.len();
            let mut columns = Vec::new();
            for (column, (hole, filled)) in holes.iter().zip(filling).enumerate() {
                columns.push(filled.unwrap_or_else(|| {
                    let Term::Mark(_, kind) = hole else { unreachable!("only output places are left open") };
                    self.introduced.push(Introduced { kind: *kind, source: (literal, column), level: level + 1 });
                    Column::Variable(self.types.len() + self.introduced.len() - 1)
                }));
            }
            let pattern = Pattern { signature: mode.signature(), columns, negated: mode.negated };
            match known.get(&pattern) {
                Some(known) => mean(&mut self.heads[*known], mode),
                None => {
                    known.insert(pattern.clone(), self.patterns.len());
                    self.patterns.push(pattern);
                    self.heads.push(mode.heads.clone());
                }
            }
        }
        Ok(())
    }

    /// What each literal implies: itself with looser thresholds.
    fn implications(&self, bias: &Bias) -> Vec<Mask> {
        let mut implied = vec![Mask::EMPTY; self.patterns.len()];
        for threshold in &bias.comparisons {
            let signature = threshold.mode.signature();
            // Literals that differ in their thresholds only.
            let mut alike: IndexMap<_, Vec<(usize, Value)>, FxBuildHasher> = IndexMap::default();
            for (number, pattern) in self.patterns.iter().enumerate().filter(|(_, p)| p.signature == signature) {
                if let Column::Constant(value) = pattern.columns[threshold.column] {
                    let mut others = pattern.columns.clone();
                    others.remove(threshold.column);
                    alike.entry((pattern.negated, others)).or_default().push((number, value));
                }
            }
            for ((negated, _), literals) in &alike {
                // Negation turns the order around.
                let larger = (threshold.monotone == Monotone::Up) != *negated;
                for (number, own) in literals {
                    let looser = literals.iter().filter(|(_, its)| if larger { its > own } else { its < own });
                    let looser: Mask = looser.map(|(other, _)| *other).collect();
                    implied[*number].add(&looser);
                }
            }
        }
        implied
    }
}

/// Adds the heads that a mode is meant for to those of a literal that another mode declared already.
fn mean(heads: &mut Vec<MeantFor>, mode: &Mode) {
    if mode.heads.is_empty() {
        heads.clear();
    } else if !heads.is_empty() {
        heads.extend(mode.heads.iter().cloned());
    }
}

/// What is wrong with a mode whose constants nobody lists.
fn unlisted(mode: &Mode, kind: Symbol) -> Diagnostic {
    let message = format!("the type `{kind}` of a constant in `modeb({})` has no facts", mode.atom);
    Diagnostic::new(&mode.atom.span.find_word(&kind.to_string()), message)
        .hint(format!(
            "list its values in background.lp, each as a fact: `{kind}(value).`; `oled learn` takes them from its stream, where \
             that is kept in files and inputs have values of this type"
        ))
}

/// The places of a mode, the time's left out.
fn holes(mode: &Mode) -> Vec<&Term> {
    let mut holes = mode.holes();
    holes.truncate(holes.len() - usize::from(mode.is_timed()));
    holes
}

/// The measure of a mode's predicate, if its threshold is open and the mode has none.
fn measure_of(vocabulary: &Vocabulary, mode: &Mode) -> Option<usize> {
    let signature = mode.signature();
    let open = |m: &Measure| m.predicate == signature && m.fixed(mode).is_none();
    vocabulary.measures.iter().position(open)
}
