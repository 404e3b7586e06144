//! ARCHITECTURE.md says which crates and modules there are, and which may use which; this test holds the code to it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn architecture() -> String {
    fs::read_to_string("../../ARCHITECTURE.md").unwrap()
}

/// The modules that the files of a module name in `crate::…` paths.
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
fn modules_use_only_the_modules_that_the_architecture_allows() {
    let root = Path::new(".");
    let page = architecture();
    let list = page
        .split("```modules\n")
        .nth(1)
        .and_then(|p| p.split("```").next())
        .expect("ARCHITECTURE.md has a block of modules");
    let mut modules = BTreeSet::new();
    for line in list.lines().filter(|l| !l.trim().is_empty()) {
        let (module, allowed) = line.split_once(':').unwrap_or_else(|| panic!("`{line}` is not `module: modules`"));
        let module = module.trim();
        let allowed: BTreeSet<String> =
            allowed.split(',').map(|r| r.trim().to_string()).filter(|r| !r.is_empty()).collect();
        let mut found = BTreeSet::new();
        for path in [root.join(format!("src/{module}.rs")), root.join(format!("src/{module}"))] {
            if path.exists() {
                used(&path, &mut found);
            }
        }
        found.remove(module);
        assert_eq!(found, allowed, "what the module `{module}` uses, and what ARCHITECTURE.md says");
        modules.insert(module.to_string());
    }
    let lib = fs::read_to_string(root.join("src/lib.rs")).unwrap();
    for module in lib.lines().filter_map(|l| l.strip_prefix("pub mod ")).map(|l| l.trim_end_matches(';')) {
        assert!(modules.contains(module), "ARCHITECTURE.md does not tell what the module `{module}` uses");
    }
}

/// The files of a tree: `├── name  what it is`, four letters further in for each folder.
fn listed(tree: &str) -> Vec<PathBuf> {
    let mut lines = tree.lines();
    let source = Path::new("../..").join(lines.next().unwrap().trim());
    let (mut folders, mut found) = (Vec::<String>::new(), Vec::new());
    for line in lines {
        let at = line.chars().position(|c| c == '├' || c == '└').unwrap_or_else(|| panic!("`{line}` is no branch"));
        let name = line.chars().skip(at + 4).collect::<String>();
        let name = name.split_whitespace().next().unwrap_or_default().to_string();
        folders.truncate(at / 4);
        folders.push(name);
        found.push(source.join(folders.iter().collect::<PathBuf>()).with_extension("rs"));
    }
    found
}

#[test]
fn the_trees_of_the_architecture_are_those_of_the_folders() {
    let page = architecture();
    let trees = page.split("```text\n").skip(1).map(|block| block.split("\n```").next().unwrap());
    let trees: Vec<&str> = trees.filter(|tree| tree.starts_with("crates/")).collect();
    assert_eq!(trees.len(), 4);
    for tree in trees {
        let listed = listed(tree);
        let missing: Vec<_> = listed.iter().filter(|path| !path.exists()).collect();
        assert!(missing.is_empty(), "ARCHITECTURE.md lists what is not there: {missing:?}");
        // Where a folder has some of its files in the tree, it has all of them.
        let folders: BTreeSet<&Path> = listed.iter().filter_map(|path| path.parent()).collect();
        for folder in folders {
            let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
            files.retain(|path| path.extension().is_some_and(|e| e == "rs"));
            files.retain(|path| !["lib.rs", "tests.rs"].iter().any(|name| path.ends_with(name)));
            files.sort();
            let unlisted: Vec<_> = files.iter().filter(|path| !listed.contains(path)).collect();
            assert!(unlisted.is_empty(), "ARCHITECTURE.md does not list {unlisted:?}");
        }
    }
}

#[test]
fn the_crates_of_the_architecture_depend_on_what_their_manifests_say() {
    let page = architecture();
    let rows = page.lines().skip_while(|line| !line.starts_with("| crate |")).skip(2);
    let rows: Vec<Vec<&str>> =
        rows.take_while(|line| line.starts_with('|')).map(|line| line.split('|').map(str::trim).collect()).collect();
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(String::from).collect::<BTreeSet<String>>();
    let crates: BTreeSet<String> = rows.iter().map(|row| row[1].split('`').nth(1).unwrap().to_string()).collect();
    let folders = fs::read_dir("..").unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(crates, folders.collect(), "the crates of ARCHITECTURE.md");
    for row in &rows {
        let name = row[1].split('`').nth(1).unwrap();
        let manifest = fs::read_to_string(format!("../{name}/Cargo.toml")).unwrap();
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default().split("\n[").next().unwrap();
        let used = dependencies.lines().filter_map(|line| line.split([' ', '.', '=']).next());
        let used: BTreeSet<String> = used.filter(|name| crates.contains(*name)).map(String::from).collect();
        assert_eq!(used, names(row[row.len() - 2]), "what `{name}` depends on");
    }
}
