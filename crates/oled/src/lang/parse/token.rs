//! Tokens: names, variables, numbers and signs, and where they stand.

use super::{Parsed, Parser};
use crate::lang::{Diagnostic, Span, Symbol, Value, unescape};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token {
    Name(Symbol),
    Var(Symbol),
    Number(Value),
    /// One of `( ) [ ] , + - * / ^ #`, `:-`, `.` and the comparisons, which `==`, `\=` and `=<` are written as.
    Sign(&'static str),
    End,
}

const SIGNS: [(&str, &str); 21] = [
    (":-", ":-"),
    ("<-", ":-"),
    ("==", "="),
    ("\\=", "!="),
    ("!=", "!="),
    ("<>", "!="),
    ("=<", "<="),
    ("<=", "<="),
    (">=", ">="),
    ("**", "^"),
    ("<", "<"),
    (">", ">"),
    ("=", "="),
    ("(", "("),
    (")", ")"),
    (",", ","),
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("//", "//"),
    ("/", "/"),
];

impl Parser<'_> {
    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        Span { source: Some(self.source.clone()), start: start as u32, end: end as u32 }
    }

    /// The place of the token; the end of the file is behind the last token, not behind the blank lines after it.
    pub(super) fn here(&self) -> Span {
        if self.token == Token::End { self.span(self.behind, self.behind) } else { self.span(self.start, self.end) }
    }

    pub(super) fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) -> Parsed<()> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            if self.rest().starts_with("%*") {
                match self.rest().find("*%") {
                    Some(end) => self.at += end + 2,
                    None => {
                        let span = self.span(self.at, self.at + 2);
                        self.at = self.text.len();
                        return Err(Diagnostic::new(&span, "this comment never ends").hint("close it with `*%`"));
                    }
                }
            } else if self.rest().starts_with('%') {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else {
                return Ok(());
            }
        }
    }

    pub(super) fn advance(&mut self) -> Parsed<()> {
        self.behind = self.end;
        self.skip_blanks()?;
        self.start = self.at;
        self.token = Token::Sign(","); // where lexing fails: a token that ends no clause
        self.token = self.lex()?;
        self.end = self.at;
        Ok(())
    }

    fn lex(&mut self) -> Parsed<Token> {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else { return Ok(Token::End) };
        let word_len = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = &rest[..word_len];
        if c.is_ascii_digit() {
            return self.number();
        }
        if c == '_' || c.is_uppercase() {
            let token = Token::Var(Symbol::new(word));
            self.at += word_len;
            return Ok(token);
        }
        if c.is_alphabetic() {
            let token = Token::Name(Symbol::new(word));
            self.at += word_len;
            return Ok(token);
        }
        if c == '\'' || c == '"' {
            return self.quoted(c);
        }
        for (written, sign) in SIGNS {
            if rest.starts_with(written) {
                self.at += written.len();
                return Ok(Token::Sign(sign));
            }
        }
        self.at += c.len_utf8();
        match c {
            '.' => Ok(Token::Sign(".")),
            '^' => Ok(Token::Sign("^")),
            '[' => Ok(Token::Sign("[")),
            ']' => Ok(Token::Sign("]")),
            '#' => Ok(Token::Sign("#")),
            _ => {
                let problem =
                    Diagnostic::new(&self.span(self.at - c.len_utf8(), self.at), format!("`{c}` means nothing here"));
                Err(match c {
                    ';' => problem.hint("separate conditions with `,`; write alternatives as separate rules"),
                    '{' | '}' | '@' | '~' | '&' | '|' | '?' | '$' => {
                        problem.hint("rules are `head :- literal, literal.`; choice, pools and aggregates are not part of the language")
                    }
                    _ => problem.hint("put names with special characters in quotes: 'like this'"),
                })
            }
        }
    }

    fn number(&mut self) -> Parsed<Token> {
        let bytes = self.rest().as_bytes();
        let digits = |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut end = digits(0);
        let mut real = false;
        if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
            (end, real) = (digits(end + 1), true);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits(end + 1 + sign);
            if exponent > end + 1 + sign {
                (end, real) = (exponent, true);
            }
        }
        let text = &self.rest()[..end];
        let value = if real { text.parse().ok().and_then(Value::real) } else { text.parse().ok().map(Value::Int) };
        let tail = self.rest()[end..].chars().next();
        let start = self.at;
        self.at += end;
        if tail.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            let word = self.rest().find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest().len());
            self.at += word;
            let span = self.span(start, self.at);
            return Err(Diagnostic::new(&span, format!("`{}` is neither a number nor a name", span.text()))
                .hint(format!("names start with a letter; put others in quotes: '{}'", span.text())));
        }
        value.map(Token::Number).ok_or_else(|| {
            Diagnostic::new(&self.span(start, self.at), "this number is too large")
                .hint("integers go up to 9223372036854775807, reals up to 1.8e308")
        })
    }

    fn quoted(&mut self, quote: char) -> Parsed<Token> {
        let start = self.at;
        let rest = &self.text[start..];
        let mut name = String::new();
        let mut at = quote.len_utf8();
        while let Some(c) = rest[at..].chars().next() {
            at += c.len_utf8();
            match c {
                c if c == quote => {
                    self.at += at;
                    return Ok(Token::Name(Symbol::new(&name)));
                }
                '\\' => {
                    let Some((c, length)) = unescape(&rest[at..]) else { break };
                    name.push(c);
                    at += length;
                }
                '\n' => break,
                c => name.push(c),
            }
        }
        // The clause most likely ends with the line: reading goes on there.
        let line = self.rest().lines().next().unwrap_or("").trim_end();
        self.at += line.strip_suffix('.').unwrap_or(line).len().max(1);
        Err(Diagnostic::new(&self.span(start, start + 1), "this quote is never closed")
            .hint(format!("close it with `{quote}` on the same line")))
    }

    /// Goes to the full stop that ends the clause, so that the rest of the file is read too. Errors in the part
    /// that is skipped are consequences more often than causes, and are not reported.
    pub(super) fn recover(&mut self) {
        while !matches!(self.token, Token::Sign(".") | Token::End) {
            let _ = self.advance();
        }
    }

    pub(super) fn describe(&self) -> String {
        match self.token {
            Token::End => "the end of the file".into(),
            _ => format!("`{}`", self.here().text()),
        }
    }
}
