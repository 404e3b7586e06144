//! Source texts, places in them, and diagnostics that show the place and say what to do.

use std::fmt;
use std::sync::Arc;

use super::escape::{is_unprintable, printable};

/// A text with the name it is shown under.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// Usually the path of a file, as the user wrote it.
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl Source {
    /// A text under a name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Source> {
        Arc::new(Source { name: name.into(), text: text.into() })
    }
}

/// A range of bytes in a source. Two things that differ in their place only are equal, so all spans are.
#[derive(Clone, Default)]
pub struct Span {
    /// The text; `None` for what a program wrote.
    pub source: Option<Arc<Source>>,
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl PartialEq for Span {
    fn eq(&self, _: &Span) -> bool {
        true
    }
}

impl Eq for Span {}

impl std::hash::Hash for Span {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

impl Span {
    /// The text of the span.
    pub fn text(&self) -> &str {
        self.source.as_ref().map_or("", |s| &s.text[self.start as usize..self.end as usize])
    }

    /// The part of this span where a word stands on its own (a variable within its literal); the whole span if nowhere.
    #[must_use]
    pub fn find_word(&self, word: &str) -> Span {
        let text = self.text();
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let found = text.match_indices(word).find(|(at, _)| {
            !is_word(text[..*at].chars().next_back()) && !is_word(text[at + word.len()..].chars().next())
        });
        match found {
            Some((at, _)) => {
                let start = self.start + at as u32;
                Span { source: self.source.clone(), start, end: start + word.len() as u32 }
            }
            None => self.clone(),
        }
    }

    /// `file:line:column`, counted from one, columns in characters.
    pub fn place(&self) -> String {
        match &self.source {
            None => "(no file)".into(),
            Some(source) => {
                let (line, column) = self.line_column(source);
                format!("{}:{line}:{column}", source.name)
            }
        }
    }

    fn line_column(&self, source: &Source) -> (usize, usize) {
        let before = &source.text[..self.start as usize];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

/// Something wrong with a text: what, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where.
    pub span: Span,
    /// What is wrong: a lower-case sentence without a full stop.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A problem at a place.
    pub fn new(span: &Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { span: span.clone(), message: message.into(), hint: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into());
        self
    }

    /// Where it stands in its source: for putting problems in reading order.
    pub fn position(&self) -> (String, u32) {
        (self.span.source.as_ref().map_or_else(String::new, |s| s.name.clone()), self.span.start)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, "")
    }
}

/// A diagnostic with a word in front that says how bad it is.
struct Headed<'a>(&'static str, &'a Diagnostic);

impl fmt::Display for Headed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.1.write(f, self.0)
    }
}

impl Diagnostic {
    /// The same, as a program reports an error: `error: no predicate …`.
    pub fn as_error(&self) -> impl fmt::Display {
        Headed("error: ", self)
    }

    /// The same as a warning: what is probably not meant, although it can be used.
    pub fn as_warning(&self) -> impl fmt::Display {
        Headed("warning: ", self)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, head: &str) -> fmt::Result {
        write!(f, "{head}{}", printable(&self.message))?;
        if let Some(source) = &self.span.source {
            let (line, column) = self.span.line_column(source);
            let text = source.text.lines().nth(line - 1).unwrap_or("");
            let width = self.span.text().lines().next().map_or(1, |l| l.chars().count()).max(1);
            let place = format!("{}:{line}:{column}", source.name);
            write_excerpt(f, &place, &line.to_string(), text, column, width)?;
        }
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {}", printable(hint)),
            None => Ok(()),
        }
    }
}

/// Everything that is wrong with some texts, in reading order: found in one go, not one per run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(Vec<Diagnostic>);

impl Problems {
    /// An error if there are any.
    pub fn check(mut problems: Vec<Diagnostic>) -> Result<(), Problems> {
        problems.sort_by_key(Diagnostic::position);
        if problems.is_empty() { Ok(()) } else { Err(Problems(problems)) }
    }

    /// The problems.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.0
    }

    /// All of them, each as a program reports an error.
    pub fn as_errors(&self) -> String {
        let errors: Vec<String> = self.0.iter().map(|problem| problem.as_error().to_string()).collect();
        errors.join("\n\n")
    }
}

impl From<Diagnostic> for Problems {
    fn from(problem: Diagnostic) -> Problems {
        Problems(vec![problem])
    }
}

impl From<Problems> for Vec<Diagnostic> {
    fn from(problems: Problems) -> Vec<Diagnostic> {
        problems.0
    }
}

impl std::error::Error for Problems {}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("\n\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

/// Writes a place, the line found there and a caret under the column, as every error of `oled` shows it.
/// Of a very long line only the neighbourhood of the column is shown.
pub fn write_excerpt(
    f: &mut fmt::Formatter<'_>,
    place: &str,
    line: &str,
    text: &str,
    column: usize,
    width: usize,
) -> fmt::Result {
    const SHOWN: usize = 100;
    let length = text.chars().count();
    let skip = if length > SHOWN && column > SHOWN * 3 / 4 { column - SHOWN / 2 } else { 0 };
    let shown: String = text.chars().skip(skip).take(SHOWN).map(|c| if is_unprintable(c) { ' ' } else { c }).collect();
    let left = if skip > 0 { "…" } else { "" };
    let right = if length > skip + SHOWN { "…" } else { "" };
    let indent = column - 1 - skip + left.chars().count();
    let width = width.min(SHOWN.saturating_sub(indent)).max(1);
    let gutter = " ".repeat(line.len());
    write!(f, "\n{gutter}--> {place}\n{gutter} |\n{line} | {left}{shown}{right}")?;
    write!(f, "\n{gutter} | {}{}", " ".repeat(indent), "^".repeat(width))
}

/// The known name nearest to a misspelt one, if any is near.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (name.chars().count() / 3).clamp(1, 3);
    known
        .into_iter()
        .map(|k| (edit_distance(name, k), k))
        .filter(|(d, k)| *d > 0 && (*d <= allowed || k.eq_ignore_ascii_case(name)))
        .min()
        .map(|(_, k)| k)
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested_and_far_ones_are_not() {
        assert_eq!(did_you_mean("wlaking", ["walking", "waking", "active"]), Some("waking"));
        assert_eq!(did_you_mean("hapensAt", ["happensAt", "holdsAt"]), Some("happensAt"));
        assert_eq!(did_you_mean("x", ["happensAt", "holdsAt"]), None);
    }

    #[test]
    fn a_variable_is_found_as_a_word() {
        let source = Source::new("a.lp", "p(XY, X)");
        let span = Span { source: Some(source), start: 0, end: 8 };
        assert_eq!(span.find_word("X").place(), "a.lp:1:7");
    }
}
