//! Prolog as far as RTEC's test files use it: clauses of terms, comments, lists and a few operators.

/// A term.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Term {
    /// A number, as it is written.
    Number(String),
    /// A variable.
    Variable,
    /// A name with arguments, or none; `=` and other operators are names with two.
    App(String, Vec<Term>),
    /// A list.
    List(Vec<Term>),
    /// Terms in brackets, with commas between them.
    Tuple(Vec<Term>),
}

/// A clause: its head, and the goals of its body.
pub(crate) type Clause = (Term, Vec<Term>);

impl Term {
    /// The name and the arguments of a compound term.
    pub(crate) fn app(&self) -> Option<(&str, &[Term])> {
        match self {
            Term::App(name, args) => Some((name, args)),
            _ => None,
        }
    }

    /// A whole number.
    pub(crate) fn int(&self) -> Option<i64> {
        if let Term::Number(text) = self { text.parse().ok() } else { None }
    }

    /// The terms of a list.
    pub(crate) fn list(&self) -> &[Term] {
        if let Term::List(terms) = self { terms } else { &[] }
    }
}

impl std::fmt::Display for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let joined = |args: &[Term]| args.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        match self {
            Term::Number(text) => f.write_str(text),
            Term::Variable => f.write_str("_"),
            Term::App(name, args) if args.is_empty() => f.write_str(name),
            Term::App(name, args) if name == "=" => write!(f, "{}={}", args[0], args[1]),
            Term::App(name, args) => write!(f, "{name}({})", joined(args)),
            Term::List(args) => write!(f, "[{}]", joined(args)),
            Term::Tuple(args) => write!(f, "({})", joined(args)),
        }
    }
}

/// The clauses of a text; directives are left out.
pub(crate) fn clauses(text: &str) -> Vec<Clause> {
    let mut reader = Reader { tokens: tokens(text), at: 0 };
    let mut clauses = Vec::new();
    while reader.at < reader.tokens.len() {
        if reader.take(":-") {
            while !reader.take(".") {
                reader.at += 1;
            }
            continue;
        }
        let head = reader.term();
        let mut body = Vec::new();
        if reader.take(":-") {
            body.push(reader.term());
            while reader.take(",") {
                body.push(reader.term());
            }
        }
        assert!(reader.take("."), "a clause ends in a full stop, here: {:?}", reader.rest());
        clauses.push((head, body));
    }
    clauses
}

const OPERATORS: [&str; 9] = [">=", "=<", "\\=", "==", "=", "<", ">", "-", "|"];

/// The words of a text, without comments. A full stop that ends a clause is followed by blanks, one in a number is not.
fn tokens(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    let run = |from: usize, of: &dyn Fn(usize) -> bool| (from..letters.len()).take_while(|i| of(*i)).count();
    while let Some(&letter) = letters.get(at) {
        let two: String = letters[at..].iter().take(2).collect();
        let length = match letter {
            _ if letter.is_whitespace() => {
                at += 1;
                continue;
            }
            '%' => {
                at += run(at, &|i| letters[i] != '\n');
                continue;
            }
            '/' if two == "/*" => {
                at += 2 + run(at + 2, &|i| !(letters[i] == '/' && letters[i - 1] == '*')) + 1;
                continue;
            }
            '\'' => 2 + run(at + 1, &|i| letters[i] != '\''),
            '0'..='9' => {
                let is_point = |i: usize| letters[i] == '.' && letters.get(i + 1).is_some_and(char::is_ascii_digit);
                run(at, &|i| letters[i].is_ascii_digit() || is_point(i))
            }
            _ if letter.is_alphanumeric() || letter == '_' => {
                run(at, &|i| letters[i].is_alphanumeric() || letters[i] == '_')
            }
            _ if two == ":-" || two == "\\+" || OPERATORS.contains(&two.as_str()) => 2,
            _ => 1,
        };
        tokens.push(letters[at..at + length].iter().collect());
        at += length;
    }
    tokens
}

struct Reader {
    tokens: Vec<String>,
    at: usize,
}

impl Reader {
    fn take(&mut self, token: &str) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|t| t == token);
        self.at += usize::from(found);
        found
    }

    fn rest(&self) -> &[String] {
        &self.tokens[self.at..self.tokens.len().min(self.at + 20)]
    }

    /// A term, with operators between its parts, all of the same strength: enough for what is read here.
    fn term(&mut self) -> Term {
        let mut left = self.part();
        while let Some(operator) = self.tokens.get(self.at).filter(|t| OPERATORS.contains(&t.as_str())).cloned() {
            self.at += 1;
            left = Term::App(operator, vec![left, self.part()]);
        }
        left
    }

    fn terms(&mut self, end: &str) -> Vec<Term> {
        let mut terms = Vec::new();
        while !self.take(end) {
            terms.push(self.term());
            self.take(",");
        }
        terms
    }

    fn part(&mut self) -> Term {
        let token = self.tokens[self.at].clone();
        self.at += 1;
        match token.chars().next().expect("words have letters") {
            '[' => Term::List(self.terms("]")),
            '(' => Term::Tuple(self.terms(")")),
            '-' => match self.part() {
                Term::Number(text) => Term::Number(format!("-{text}")),
                other => Term::App("-".into(), vec![other]),
            },
            '\\' => Term::App("not".into(), vec![self.part()]),
            '0'..='9' => Term::Number(token),
            'A'..='Z' | '_' => Term::Variable,
            _ => {
                let args = if self.take("(") { self.terms(")") } else { Vec::new() };
                Term::App(token, args)
            }
        }
    }
}
