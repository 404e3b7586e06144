//! Names: what columns are called in rules.

/// Names that mean something in the language.
const RESERVED: [&str; 27] = [
    "ago",
    "lasting",
    "since",
    "last",
    "within",
    "count",
    "sum",
    "min",
    "max",
    "mean",
    "time",
    "input",
    "example",
    "type",
    "modeh",
    "modeb",
    "horizon",
    "comparison",
    "symmetric",
    "exclusive",
    "candidates",
    "not",
    "mod",
    "abs",
    "sqrt",
    "any",
    "segment",
];

/// A name as rules have it: lower-case letters, digits and `_`.
pub(super) fn name_of(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            name.push(c);
        } else if let Some(latin) = latin(c) {
            name.push_str(latin);
        } else if !name.ends_with('_') {
            name.push('_');
        }
    }
    let name = name.trim_matches('_').to_string();
    let first = name.chars().next().is_none_or(|c| !c.is_ascii_lowercase());
    let special = RESERVED.contains(&name.as_str())
        || ["real", "int", "number", "symbol"].contains(&name.as_str())
        || name.ends_with("at") && ["holdsat", "happensat", "initiatedat", "terminatedat"].contains(&name.as_str());
    if first || special { format!("c_{name}") } else { name }
}

/// How a small letter with a mark, or a digit above or below the line, is written without it.
fn latin(c: char) -> Option<&'static str> {
    const MARKED: [(&str, &str); 32] = [
        ("ä", "ae"),
        ("ö", "oe"),
        ("ü", "ue"),
        ("ß", "ss"),
        ("æ", "ae"),
        ("ø", "oe"),
        ("å", "aa"),
        ("œ", "oe"),
        ("àáâãāăą", "a"),
        ("çćč", "c"),
        ("ďđ", "d"),
        ("èéêëēęě", "e"),
        ("ğ", "g"),
        ("ìíîïīı", "i"),
        ("ł", "l"),
        ("ñńň", "n"),
        ("òóôõōő", "o"),
        ("ř", "r"),
        ("śšş", "s"),
        ("ťţ", "t"),
        ("ùúûūůű", "u"),
        ("ýÿ", "y"),
        ("źżž", "z"),
        ("⁰₀", "0"),
        ("¹₁", "1"),
        ("²₂", "2"),
        ("³₃", "3"),
        ("⁴₄", "4"),
        ("µμ", "u"),
        ("%", "percent"),
        ("°", "deg"),
        ("º", "deg"),
    ];
    MARKED.iter().find(|(marked, _)| marked.contains(c)).map(|(_, plain)| *plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_columns_become_names_of_rules() {
        let names = [
            ("Temp (°C)", "temp_degc"),
            ("CO₂", "co2"),
            ("Größe", "groesse"),
            ("7th", "c_7th"),
            ("time", "c_time"),
            ("温度", "c_"),
        ];
        names.iter().for_each(|(column, name)| assert_eq!(name_of(column), *name));
    }
}
