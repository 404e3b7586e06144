//! The crates can be packaged, and a stranger can build on the packages.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn cargo(folder: &Path, target: &Path, arguments: &[&str]) -> (bool, String) {
    let done = Command::new(env!("CARGO"))
        .args(arguments)
        .arg("--offline")
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .output()
        .unwrap();
    (done.status.success(), String::from_utf8_lossy(&done.stderr).into_owned())
}

/// The packages, in a folder; each unpacked.
fn packages(target: &Path) -> PathBuf {
    let (packaged, said) = cargo(&root(), target, &["package", "--workspace", "--no-verify", "--allow-dirty"]);
    assert!(packaged, "{said}");
    assert!(!said.contains("warning"), "{said}");
    target.join("package")
}

/// The program of a stranger, who has read the front page.
const PROGRAM: &str = r#"use oled::{Frame, Learner, Replay, ReplaySettings, Source, Task};
use oled_data::{Feed, ReadOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let modes = "input(happensAt(opens(+door), +time)). example(holdsAt(open(+door), +time)).
                 modeh(initiatedAt(open(+door), +time)). modeb(happensAt(opens(+door), +time)).";
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", ""))?;
    let mut learner = Replay::new(&task, ReplaySettings::default())?;
    let mut feed = Feed::new(&ReadOptions::default())?;
    for time in 0..20 {
        let mut frame = Frame::new("hall".into(), time);
        frame.happens("opens", ["front"]);
        feed.push(frame)?;
        while let Some(frame) = feed.take() {
            learner.observe(&frame?, &mut ());
        }
    }
    println!("{}", learner.learned(&mut ()).summary());
    Ok(())
}
"#;

#[test]
fn every_crate_is_packaged_with_all_that_it_needs() {
    let target = tempfile::tempdir().unwrap();
    let folder = packages(target.path());
    let crates = ["oled-ec", "oled-data", "oled-asp", "oled-experiment", "oled-cluster", "oled-cli"];
    for name in crates {
        assert!(folder.join(format!("{name}-0.1.0.crate")).is_file(), "{name}");
        let readme = root().join("crates").join(name.replace("oled-ec", "oled")).join("README.md");
        assert!(fs::read_to_string(readme).unwrap().starts_with(&format!("# {name}\n")), "{name}");
    }
}

/// Compiles the library again, which takes minutes: `OLED_SLOW=1`.
#[test]
fn a_stranger_builds_on_the_packages() {
    if std::env::var_os("OLED_SLOW").is_none() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: OLED_SLOW=1 compiles a stranger's program against the packages");
        return;
    }
    let target = tempfile::tempdir().unwrap();
    let folder = packages(target.path());
    for name in ["oled-ec-0.1.0", "oled-data-0.1.0"] {
        let archive = folder.join(format!("{name}.crate"));
        let unpacked = Command::new("tar").arg("xzf").arg(archive).current_dir(&folder).status().unwrap();
        assert!(unpacked.success(), "{name}");
    }
    let stranger = target.path().join("stranger");
    fs::create_dir_all(stranger.join("src")).unwrap();
    let manifest = format!(
        "[package]\nname = \"stranger\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n\
         [dependencies]\noled = {{ package = \"oled-ec\", version = \"0.1\" }}\noled-data = \"0.1\"\n\
         [patch.crates-io]\noled-ec = {{ path = {:?} }}\noled-data = {{ path = {:?} }}\n",
        folder.join("oled-ec-0.1.0"),
        folder.join("oled-data-0.1.0"),
    );
    fs::write(stranger.join("Cargo.toml"), manifest).unwrap();
    fs::write(stranger.join("src/main.rs"), PROGRAM).unwrap();
    let lock = root().join("Cargo.lock");
    fs::copy(lock, stranger.join("Cargo.lock")).unwrap();
    let (compiled, said) = cargo(&stranger, &target.path().join("build"), &["check"]);
    assert!(compiled, "{said}");
    assert!(PROGRAM.lines().count() <= 25);
}
