//! Tasks that every build carries.

/// A task that every build carries.
#[derive(Debug)]
pub(super) struct Embedded {
    pub(super) name: &'static str,
    pub(super) manifest: &'static str,
    pub(super) modes: &'static str,
    pub(super) background: &'static str,
    /// By name.
    pub(super) theories: &'static [(&'static str, &'static str)],
}

/// The text of a file in `tasks/`, by a link in this package, so that the package has the files in it.
macro_rules! text {
    ($($part:expr),+) => {
        include_str!(concat!("../../tasks/", $($part),+))
    };
}

/// A folder of `tasks/` with the named theories.
macro_rules! embedded {
    ($name:literal, $($theory:literal),+) => {
        Embedded {
            name: $name,
            manifest: text!($name, "/task.toml"),
            modes: text!($name, "/modes.lp"),
            background: text!($name, "/background.lp"),
            theories: &[$(($theory, text!($name, "/theories/", $theory, ".lp"))),+],
        }
    };
}

pub(super) static LOBBY: Embedded = embedded!("lobby", "changed", "hand", "true");
pub(super) static HOMES: Embedded = embedded!("homes", "true");
pub(super) static CAVIAR: Embedded = embedded!("caviar", "duals", "hand", "hand-while");
pub(super) static LOBBY_LISTED: Embedded = embedded!("lobby-listed", "changed", "hand", "true");
pub(super) static CAVIAR_LISTED: Embedded = embedded!("caviar-listed", "duals", "hand", "hand-while");

/// The tasks that are built in.
pub(super) static EMBEDDED: [&Embedded; 5] = [&LOBBY, &HOMES, &CAVIAR, &LOBBY_LISTED, &CAVIAR_LISTED];

/// Their names, as a sentence has them.
pub(super) fn built_in() -> String {
    let names = EMBEDDED.map(|task| format!("`{}`", task.name));
    let (last, others) = names.split_last().expect("some tasks are built in");
    format!("{} and {last}", others.join(", "))
}
