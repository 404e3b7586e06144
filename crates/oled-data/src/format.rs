//! Formats: what they are called, and which one a file name promises.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A way to write down frames.
///
/// ```
/// use oled_data::Format;
/// assert_eq!(Format::guess("logs/walk1.jsonl.gz".as_ref()), Some(Format::Jsonl));
/// assert_eq!("rtec".parse(), Ok(Format::Rtec));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// JSON Lines: one frame a line.
    Jsonl,
    /// Documents of OLED as `mongoexport` writes them: they may span several time points.
    Mongo,
    /// Facts with full stops, as logic programs have them.
    Facts,
    /// Delimited text as RTEC reads it.
    Rtec,
    /// The ground truth of CAVIAR: an XML file, or a directory with many.
    Caviar,
    /// A table of delimited text: a header, then a row a line.
    Csv,
    /// A table as JSON Lines: a flat object a row.
    Records,
    /// A table of Apache Parquet.
    Parquet,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 8] = [
        Format::Jsonl,
        Format::Mongo,
        Format::Facts,
        Format::Rtec,
        Format::Caviar,
        Format::Csv,
        Format::Records,
        Format::Parquet,
    ];

    /// The name that [`FromStr`] reads.
    pub fn name(self) -> &'static str {
        match self {
            Format::Jsonl => "jsonl",
            Format::Mongo => "mongo",
            Format::Facts => "facts",
            Format::Rtec => "rtec",
            Format::Caviar => "caviar",
            Format::Csv => "csv",
            Format::Records => "records",
            Format::Parquet => "parquet",
        }
    }

    /// The format that a file name promises, or that a directory's content does. `.json` promises documents of `MongoDB`;
    /// the reader looks inside and takes them for JSON Lines where the first has no `_id`. `.csv` promises a table, and RTEC's
    /// delimited text where the first line has bars and no header.
    pub fn guess(path: &Path) -> Option<Format> {
        if path.is_dir() {
            return has_xml(path).then_some(Format::Caviar);
        }
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = compression_of(&name).map_or(&name[..], |(plain, _)| plain);
        match name.rsplit_once('.')?.1 {
            "jsonl" => Some(Format::Jsonl),
            "json" | "ndjson" => Some(Format::Mongo),
            "lp" | "pl" | "facts" | "txt" => Some(Format::Facts),
            "csv" | "tsv" => Some(Format::Csv),
            "psv" | "rtec" => Some(Format::Rtec),
            "parquet" => Some(Format::Parquet),
            "xml" => Some(Format::Caviar),
            _ => None,
        }
    }

    /// The names of all formats, for messages.
    pub(crate) fn names() -> String {
        Format::ALL.map(Format::name).join(", ")
    }
}

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    Gzip,
    Zstd,
}

/// A file name without the ending that says how it is compressed, if there is one.
pub(crate) fn compression_of(name: &str) -> Option<(&str, Compression)> {
    let (plain, ending) = name.rsplit_once('.')?;
    let is = |known: &str| ending.eq_ignore_ascii_case(known);
    if is("gz") {
        return Some((plain, Compression::Gzip));
    }
    (is("zst") || is("zstd")).then_some((plain, Compression::Zstd))
}

fn has_xml(directory: &Path) -> bool {
    directory.join("xml").is_dir()
        || directory
            .read_dir()
            .is_ok_and(|entries| entries.flatten().any(|e| e.path().extension().is_some_and(|x| x == "xml")))
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Format, String> {
        Format::ALL
            .into_iter()
            .find(|f| f.name() == name)
            .ok_or_else(|| format!("unknown format `{name}`: formats are {}", Format::names()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_promise_formats_also_when_compressed() {
        let guess = |name: &str| Format::guess(Path::new(name));
        assert_eq!(guess("a.JSONL"), Some(Format::Jsonl));
        assert_eq!(guess("a.b/c.ndjson.gz"), Some(Format::Mongo));
        assert_eq!(guess("a.lp"), Some(Format::Facts));
        assert_eq!(guess("a.psv.gz"), Some(Format::Rtec));
        assert_eq!(guess("a.csv.zst"), Some(Format::Csv));
        assert_eq!(guess("a.parquet"), Some(Format::Parquet));
        assert_eq!(guess("wk1gt.xml"), Some(Format::Caviar));
        assert_eq!(guess("jsonl"), None);
        assert_eq!(guess("-"), None);
    }

    #[test]
    fn every_name_is_read_back() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        assert!("xml".parse::<Format>().is_err());
    }
}
