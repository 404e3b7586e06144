//! ARCHITECTURE.md says which room may use which; this test holds the code to it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The modules that the files of a room name in `crate::…` paths.
fn used(path: &Path, found: &mut BTreeSet<String>) {
    if path.is_dir() {
        let mut entries: Vec<_> = fs::read_dir(path).unwrap().map(|e| e.unwrap().path()).collect();
        entries.sort();
        return entries.iter().for_each(|p| used(p, found));
    }
    let text = fs::read_to_string(path).unwrap();
    // Tests at the foot of a file may use anything.
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    for part in code.split("crate::").skip(1) {
        let name: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        found.insert(name);
    }
}

#[test]
fn rooms_use_only_the_rooms_that_the_architecture_allows() {
    let root = Path::new(".");
    let page = fs::read_to_string(root.join("../../ARCHITECTURE.md")).unwrap();
    let list = page
        .split("```rooms\n")
        .nth(1)
        .and_then(|p| p.split("```").next())
        .expect("ARCHITECTURE.md has a block of rooms");
    let mut rooms = BTreeSet::new();
    for line in list.lines().filter(|l| !l.trim().is_empty()) {
        let (room, allowed) = line.split_once(':').unwrap_or_else(|| panic!("`{line}` is not `room: rooms`"));
        let room = room.trim();
        let allowed: BTreeSet<String> =
            allowed.split(',').map(|r| r.trim().to_string()).filter(|r| !r.is_empty()).collect();
        let mut found = BTreeSet::new();
        for path in [root.join(format!("src/{room}.rs")), root.join(format!("src/{room}"))] {
            if path.exists() {
                used(&path, &mut found);
            }
        }
        found.remove(room);
        assert_eq!(found, allowed, "what the room `{room}` uses, and what ARCHITECTURE.md says");
        rooms.insert(room.to_string());
    }
    let lib = fs::read_to_string(root.join("src/lib.rs")).unwrap();
    for module in lib.lines().filter_map(|l| l.strip_prefix("pub mod ")).map(|l| l.trim_end_matches(';')) {
        assert!(rooms.contains(module), "ARCHITECTURE.md does not tell what the room `{module}` uses");
    }
}
