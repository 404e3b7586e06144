//! Rules in a little colour: the words of the calculus, variables and numbers.

use super::escape;

const WORDS: [&str; 8] = ["initiatedAt", "terminatedAt", "holdsAt", "happensAt", "initially", "not", "true", "false"];

/// A rule as markup.
pub(in super::super) fn highlight(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_' || (c == '.' && first.is_ascii_digit());
        if !word(first) {
            out.push_str(&escape(&rest[..first.len_utf8()]));
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let mut length = rest.find(|c| !word(c)).unwrap_or(rest.len());
        // A point after a number ends the rule.
        if rest[..length].ends_with('.') {
            length -= 1;
        }
        let token = escape(&rest[..length]);
        match first {
            _ if WORDS.contains(&token.as_str()) => put!(out, "<b>{token}</b>"),
            '0'..='9' => put!(out, "<s>{token}</s>"),
            'A'..='Z' | '_' => put!(out, "<i>{token}</i>"),
            _ => out.push_str(&token),
        }
        rest = &rest[length..];
    }
    out
}

/// The literals of a body that are joined by commas; commas within brackets and quotes join arguments.
pub(super) fn literals(body: &str) -> Vec<&str> {
    let mut literals = Vec::new();
    let (mut depth, mut start, mut quoted, mut escaped) = (0, 0, false, false);
    for (i, letter) in body.char_indices() {
        let plain = !std::mem::take(&mut escaped);
        match letter {
            '\\' if quoted && plain => escaped = true,
            '\'' if plain => quoted = !quoted,
            '(' | '[' if !quoted => depth += 1,
            ')' | ']' if !quoted => depth -= 1,
            ',' if depth == 0 && !quoted => {
                literals.push(body[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    literals.push(body[start..].trim());
    literals.retain(|literal| !literal.is_empty());
    literals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_variables_and_numbers_are_marked() {
        assert_eq!(
            highlight("holdsAt(close(X, 24), T) < 1."),
            "<b>holdsAt</b>(close(<i>X</i>, <s>24</s>), <i>T</i>) &lt; <s>1</s>."
        );
    }

    #[test]
    fn commas_within_brackets_do_not_end_a_literal() {
        assert_eq!(literals("happensAt(walking(X), T), not p([X, Y])"), ["happensAt(walking(X), T)", "not p([X, Y])"]);
        assert!(literals("").is_empty());
    }

    #[test]
    fn commas_and_brackets_within_quotes_do_not_end_a_literal() {
        let body = r"happensAt(error(X, 'a, b'), T), p('it\'s (', T)";
        assert_eq!(literals(body), ["happensAt(error(X, 'a, b'), T)", r"p('it\'s (', T)"]);
    }
}
