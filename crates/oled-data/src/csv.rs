//! CSV: how a field of a table is written, so that neither a comma nor a spreadsheet takes it for something else.

use std::borrow::Cow;

use oled::lang::{is_unprintable, quoted};

/// A field: what cannot be printed is escaped, what a spreadsheet would compute is quoted as a name of the language is
/// (a field in double quotes is computed all the same), and what has separators stands in double quotes.
///
/// ```
/// use oled_data::csv_field;
/// assert_eq!(csv_field("walk1"), "walk1");
/// assert_eq!(csv_field("-0.5"), "-0.5");
/// assert_eq!(csv_field("meeting(id1,id2)"), "\"meeting(id1,id2)\"");
/// assert_eq!(csv_field("=HYPERLINK(1)"), "'=HYPERLINK(1)'");
/// assert_eq!(csv_field("a\u{1b}b"), r"'a\u{1b}b'");
/// ```
pub fn csv_field(text: &str) -> Cow<'_, str> {
    let is_formula = text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) && text.parse::<f64>().is_err();
    let text: Cow<'_, str> =
        if is_formula || text.contains(is_unprintable) { Cow::Owned(quoted(text)) } else { Cow::Borrowed(text) };
    if text.contains([',', ';', '"']) || text.starts_with(' ') || text.ends_with(' ') {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        text
    }
}
