//! The format of an input, where nobody says it: by its name, and by its first line.

use std::io::ErrorKind;
use std::path::Path;

use super::ReadOptions;
use crate::error::{DataError, Problem, ProblemKind};
use crate::format::Format;
use crate::lines::LineReader;

/// The format that the options, the name or the first line tell, in this order.
pub(crate) fn format_of(name: &str, input: &mut LineReader, options: &ReadOptions) -> Result<Format, DataError> {
    if let Some(format) = options.format {
        return Ok(format);
    }
    let promised = if name == "<stdin>" { None } else { Format::guess(Path::new(name)) };
    let tables = options.tables.as_ref().is_some_and(|tables| tables.has_columns());
    let looks_inside = match promised {
        None | Some(Format::Mongo | Format::Csv) => true,
        Some(Format::Jsonl) => tables,
        Some(_) => false,
    };
    if let (Some(format), false) = (promised, looks_inside) {
        return Ok(format);
    }
    // The first line of a live input may be a while in coming.
    while input.peek().is_err_and(|e| e.kind() == ErrorKind::WouldBlock) && !options.is_stopped() {}
    let first = input.peek().or_else(|e| if options.is_stopped() { Ok(&b"{"[..]) } else { Err(e) });
    let first = first.map_err(|e| DataError::io("read", name, &e))?;
    if promised == Some(Format::Csv) {
        // RTEC's files are called so too: they have bars and no header, or directives of ours.
        let is_rtec = first.starts_with(b"#") || !tables && memchr::memchr(b'|', first).is_some();
        let is_record = tables && first.starts_with(b"{");
        return Ok(if is_rtec {
            Format::Rtec
        } else if is_record {
            Format::Records
        } else {
            Format::Csv
        });
    }
    let has = |key: &[u8]| memchr::memmem::find(first, key).is_some();
    if tables && !first.is_empty() && ![&b"\"narrative\""[..], b"\"annotation\"", b"\"_id\""].into_iter().any(has) {
        return Ok(if first.starts_with(b"{") { Format::Records } else { Format::Csv });
    }
    let is_array = first.starts_with(b"[");
    let is_mongo = is_array || memchr::memmem::find(first, b"\"_id\"").is_some();
    if promised.is_some() || name == "<stdin>" && (is_array || first.starts_with(b"{")) {
        return Ok(if is_mongo { Format::Mongo } else { Format::Jsonl });
    }
    if name == "<stdin>" && first.is_empty() {
        return Err(Problem::new(ProblemKind::Format, 0, "standard input is empty, so its format cannot be told")
            .hint("did the command before it fail? a stream without frames is read with the option `from=jsonl`")
            .of(name));
    }
    let told_by = if name == "<stdin>" { "first line" } else { "name" };
    Err(Problem::new(ProblemKind::Format, 0, format!("cannot tell the format of `{name}` by its {told_by}"))
        .hint(format!("say it with the option `from`: one of {}", Format::names()))
        .of(name))
}
