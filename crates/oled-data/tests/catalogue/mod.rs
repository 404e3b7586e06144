//! The catalogue of bad streams: `name: file, input => message, what lenient mode skips, what is left;`. The tests of the
//! readers go through it, and those of the program, which make a page of the book of it.

pub(crate) mod caviar;
pub(crate) mod facts;
pub(crate) mod jsonl;
pub(crate) mod mongo;
pub(crate) mod rtec;

/// Hands all cases to a macro, format by format.
macro_rules! catalogue {
    ($cases:ident) => {
        $crate::catalogue::jsonl::jsonl!($cases);
        $crate::catalogue::mongo::mongo!($cases);
        $crate::catalogue::facts::facts!($cases);
        $crate::catalogue::rtec::rtec!($cases);
        $crate::catalogue::caviar::caviar!($cases);
    };
}
pub(crate) use catalogue;

/// A line much longer than what a message shows of it.
pub(crate) fn long_line() -> String {
    let atom = r#""happensAt(walking(id1),680)""#;
    let many = [atom; 20].join(",");
    format!("{{\"segment\":\"walk1\",\"time\":680,\"narrative\":[{many},\"happensAt(walking(X),680)\",{many}]}}\n")
}
