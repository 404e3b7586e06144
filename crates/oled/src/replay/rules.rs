//! Rules as clauses, and clauses as rules: between what a search is made of and what people read and write.

use super::learner::Replay;
use super::literal::{Lit, Rule};
use crate::induce::{LiteralTable, Threshold};
use crate::lang::{Clause, Diagnostic, Literal, Problems, Signature};
use crate::learn::{Connected, meant_for_others, rename};

impl Replay {
    /// A rule that is made of the literals of the modes as it would be printed if it were learned: it says which of its
    /// variables are observed, where its conditions do not.
    pub fn written(&self, clause: &Clause) -> Result<Clause, Problems> {
        let (target, rule) = self.given(clause)?;
        Ok(self.clause(target, &rule))
    }

    /// A rule as a clause.
    pub(super) fn clause(&self, target: usize, rule: &Rule) -> Clause {
        let table = self.table(target);
        let closed = rule.body.iter().filter_map(|l| if let Lit::Plain(bit) = l { Some(*bit as usize) } else { None });
        let implied = table.body(&closed.collect());
        let literal = |l: &Lit| match *l {
            Lit::Plain(bit) => table.literals()[bit as usize].clone(),
            Lit::Threshold { slot, threshold } => {
                table.open_literal(slot as usize, threshold.value(), self.propositionaliser.measures())
            }
        };
        let mut body: Vec<Literal> = rule.body.iter().map(literal).collect();
        // What has to be said of a variable that only negated literals mention.
        body.extend(implied.into_iter().filter(|l| table.find(l).is_none()));
        self.propositionaliser.clause(&self.heads[self.head_of(target, rule.kind)], body)
    }

    /// The literals of a rule that is given.
    pub(super) fn given(&self, clause: &Clause) -> Result<(usize, Rule), Diagnostic> {
        let signature = Signature::of(&clause.head);
        let Some(head) = self.heads.iter().find(|h| h.is_of(clause)) else {
            return Err(Diagnostic::new(&clause.head.span, format!("no mode declares the head `{signature}`"))
                .hint("rules to start from have heads that are to be learned"));
        };
        let table = self.table(head.target);
        let renamed = rename(clause, &head.atom);
        let mut body = Vec::new();
        for (literal, original) in renamed.body.iter().zip(&clause.body) {
            // What a printed rule says of a variable that only negated literals mention, or that is not known to be here.
            if table.is_type_of_introduced(literal) || self.propositionaliser.is_observation(head.target, literal) {
                continue;
            }
            let closed = table.find(literal).map(|i| Lit::Plain(i as u16));
            let open = || self.open_literal(table, literal);
            match closed.or_else(open) {
                Some(literal) if !self.scope(head.target).allows(head.kind, literal) => {
                    return Err(meant_for_others(original, &head.atom));
                }
                Some(literal) if self.is_left_out(head.target, literal) => {
                    let message = format!("what `{original}` will be is not known while `{}` is learned", head.name);
                    return Err(Diagnostic::new(&original.span, message).hint(
                        "it follows from what is learned: declare a fluent before those whose rules speak of it, and speak of \
                         it directly",
                    ));
                }
                Some(literal) => body.push(literal),
                None => {
                    let message = format!("the modes do not allow the condition `{original}`");
                    return Err(Diagnostic::new(&original.span, message).hint("add a `modeb` for it"));
                }
            }
        }
        if body.is_empty() {
            let message = "a rule to start from has conditions";
            return Err(Diagnostic::new(&clause.head.span, message).hint("say when it fires"));
        }
        let links = self.propositionaliser.links(head.target);
        let connected = body.iter().fold(Connected::APART, |connected, literal| match *literal {
            Lit::Plain(bit) => links.and(connected, bit as usize),
            Lit::Threshold { slot, .. } => links.and_open(connected, slot as usize),
        });
        self.propositionaliser.check_linked(head, clause, connected)?;
        body.sort_unstable();
        body.dedup();
        Ok((head.target, Rule { kind: head.kind, body }))
    }

    /// Whether a literal may not be used for a target.
    fn is_left_out(&self, target: usize, literal: Lit) -> bool {
        match literal {
            Lit::Plain(bit) => self.targets[target].left_out.has(bit as usize),
            Lit::Threshold { slot, .. } => self.propositionaliser.wrapping(target).1[slot as usize],
        }
    }

    /// A literal with an open threshold.
    fn open_literal(&self, table: &LiteralTable, literal: &Literal) -> Option<Lit> {
        (0..table.open_literals().len()).find_map(|slot| {
            let threshold = table.threshold_of(slot, literal, self.propositionaliser.measures())?;
            Some(Lit::Threshold { slot: slot as u16, threshold: Threshold::new(threshold) })
        })
    }
}
