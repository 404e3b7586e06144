//! Files that a run calls its own: what a checkpoint goes on with, what is replaced, who may write, and streams that are
//! rotated.

#![cfg(unix)]

mod common;

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use common::{oled, stderr, stdout, until};

/// A folder with a stream of the simulated world, in which commands run.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let world = ["simulate", "--segments", "3", "--length", "100", "--people", "4"];
        fs::write(folder.path().join("s.jsonl"), oled(&world).stdout).unwrap();
        Place { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn append(&self, name: &str, text: &str) {
        File::options().append(true).create(true).open(self.path(name)).unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oled"));
        command.args(line.split(' ')).current_dir(self.folder.path()).env("NO_COLOR", "1");
        command
    }

    fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Runs a command that must succeed.
    fn runs(&self, line: &str) -> Output {
        let output = self.run(line);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{line}: {}", stderr(&output));
        output
    }

    /// Runs a command that must be refused for a reason.
    fn is_refused(&self, line: &str, reason: &str) {
        let output = self.run(line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", stderr(&output));
        assert!(stderr(&output).contains(reason), "{line}: {}", stderr(&output));
    }

    /// Starts a command, with a pipe for its standard input, whose messages go into the file `messages`.
    fn start(&self, line: &str) -> Running {
        let messages = File::create(self.path("messages")).unwrap();
        Running(self.command(line).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(messages).spawn().unwrap())
    }
}

/// A program that is running, at most as long as the test that started it.
struct Running(Child);

impl Running {
    /// Waits for its end.
    fn code(&mut self) -> Option<i32> {
        self.0.wait().unwrap().code()
    }

    /// Asks it to end.
    fn terminate(&mut self) -> Option<i32> {
        assert!(Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status().unwrap().success());
        self.code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Where it has ended there is nothing left to kill.
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

const RECOGNISE: &str = "recognise lobby -t true -i s.jsonl --checkpoint run.ckpt --every 50";
const LEARN: &str = "learn lobby-listed --learner oled -i s.jsonl --quiet --checkpoint run.ckpt --every 50";

// ---------------------------------------------------------------------------------------------------------------------
// What a checkpoint goes on with.

#[test]
fn a_resume_never_cuts_a_file_that_is_not_the_one_it_goes_on_with() {
    for (command, option) in [(RECOGNISE, "--output"), (LEARN, "--log")] {
        let place = Place::new();
        place.runs(&format!("{command} {option} own"));
        let own = place.text("own");
        let precious = "1\n".repeat(10_000);
        place.write("precious", &precious);
        let other = format!("was made with `{option}` `own`, and this is `precious`");
        place.is_refused(&format!("{command} {option} precious --resume"), &other);
        assert_eq!(place.text("precious"), precious);
        // A stranger's file under the same name, longer, shorter, and not there.
        for stranger in [&precious, "1\n", ""] {
            place.write("own", stranger);
            let message = "`own` does not begin with what was written to it before the checkpoint";
            place.is_refused(&format!("{command} {option} own --resume"), message);
            assert_eq!(place.text("own"), stranger);
        }
        fs::remove_file(place.path("own")).unwrap();
        place.is_refused(&format!("{command} {option} own --resume"), "`own` is not there");
        // With what was written since the checkpoint it is still its own; that is cut off.
        place.write("own", &format!("{own}more"));
        place.runs(&format!("{command} {option} own --resume"));
        assert_eq!(place.text("own"), own);
    }
}

#[test]
fn a_checkpoint_and_its_output_can_be_moved_together() {
    let place = Place::new();
    fs::create_dir(place.path("here")).unwrap();
    let run =
        |folder: &str| format!("recognise lobby -t true -i s.jsonl --checkpoint {folder}/c --output {folder}/out");
    place.runs(&run("here"));
    fs::rename(place.path("here"), place.path("there")).unwrap();
    place.runs(&format!("{} --resume", run("there")));
    place.is_refused("recognise lobby -t true -i s.jsonl --checkpoint there/c --output out --resume", "was made with");
}

#[test]
fn settings_of_task_toml_are_part_of_what_a_checkpoint_is_made_of() {
    let cases = [
        ("--learner replay --no-refits", "[replay]\nwindow = 2\n", "the setting window `none`, and this is `2`"),
        ("--learner oled", "[learn]\ndepth = 1\n", "the setting depth of meeting `2`, and this is `1`"),
        ("--learner oled", "[learn.meeting]\ndepth = 1\n", "the setting depth of meeting `2`, and this is `1`"),
        ("--learner oled", "[preset.default]\ndelta = 0.5\n", "the setting delta of "),
        ("--learner oled --preset default", "[preset.sane]\ndelta = 0.5\n", "the setting delta of "),
        ("--learner oled --preset letter", "[preset.as-printed]\ndelta = 0.5\n", "the setting delta of "),
    ];
    let tasks = common::root().join("tasks/lobby-listed");
    for (learner, more, reason) in cases {
        let place = Place::new();
        fs::create_dir(place.path("task")).unwrap();
        for name in ["modes.lp", "background.lp"] {
            fs::copy(tasks.join(name), place.path("task").join(name)).unwrap();
        }
        place.write("task/task.toml", "name = \"task\"\n");
        let command = format!("learn task {learner} -i s.jsonl --quiet --checkpoint run.ckpt --every 50");
        place.runs(&command);
        place.write("task/task.toml", &format!("name = \"task\"\n{more}"));
        place.is_refused(&format!("{command} --resume"), reason);
        // A comment decides nothing.
        place.write("task/task.toml", "# the same\nname = \"task\"\n");
        place.runs(&format!("{command} --resume"));
    }
}

#[test]
fn a_change_of_the_stream_anywhere_before_the_position_is_told() {
    let place = Place::new();
    let text = place.text("s.jsonl");
    let changed = text.replacen("p1", "q1", 1);
    let other = "does not go on where it was read before";
    place.runs(&format!("{RECOGNISE} --output out"));
    place.write("s.jsonl", &changed);
    place.is_refused(&format!("{RECOGNISE} --output out --resume"), other);
    place.write("s.jsonl", &text);
    place.runs(&format!("{RECOGNISE} --output out --resume"));
    // Compressed, and from a pipe that begins anew.
    place.runs("convert s.jsonl s.jsonl.gz");
    let packed = "recognise lobby -t true -i s.jsonl.gz --checkpoint packed.ckpt --every 50";
    place.runs(packed);
    place.write("changed.jsonl", &changed);
    place.runs("convert changed.jsonl s.jsonl.gz");
    place.is_refused(&format!("{packed} --resume"), other);
    let pipe = |name: &str, more: &str| {
        let line = format!("recognise lobby -t true -i - --from jsonl --checkpoint pipe.ckpt --every 50{more}");
        place.command(&line).stdin(File::open(place.path(name)).unwrap()).output().unwrap()
    };
    assert!(matches!(pipe("s.jsonl", "").status.code(), Some(0 | 1)));
    let output = pipe("changed.jsonl", " --resume");
    assert!(output.status.code() == Some(2) && stderr(&output).contains(other), "{}", stderr(&output));
}

/// A video of CAVIAR in which somebody is at a place.
fn video(at: usize) -> String {
    let hypothesis = "<hypothesis id=\"1\"><movement>walking</movement><role>walker</role><context>walking</context>\
                      <situation>moving</situation></hypothesis>";
    format!(
        "<dataset><frame number=\"0\"><objectlist><object id=\"0\"><orientation>90</orientation>\
         <box xc=\"{at}\" yc=\"2\" w=\"3\" h=\"4\"/><appearance>appear</appearance>\
         <hypothesislist>{hypothesis}</hypothesislist></object></objectlist><grouplist></grouplist></frame></dataset>"
    )
}

#[test]
fn a_change_of_the_videos_before_the_position_is_told() {
    let place = Place::new();
    fs::create_dir(place.path("videos")).unwrap();
    place.write("videos/a.xml", &video(10));
    place.write("videos/b.xml", &video(20));
    let command = "recognise caviar -t hand -i videos --checkpoint run.ckpt --output out";
    place.runs(command);
    place.runs(&format!("{command} --resume"));
    place.write("videos/a.xml", &video(11));
    place.is_refused(&format!("{command} --resume"), "does not go on where it was read before");
}

// ---------------------------------------------------------------------------------------------------------------------
// Who may write, and what is replaced.

#[test]
fn of_two_processes_on_one_checkpoint_the_second_is_refused_and_a_killed_one_blocks_nobody() {
    let place = Place::new();
    let follow = format!("{RECOGNISE} --follow --output out --resume");
    let first = place.start(&follow);
    until("a checkpoint", || place.path("run.ckpt").exists());
    let message = format!("another process, {}, works on the checkpoint `run.ckpt`", first.0.id());
    for _ in 0..2 {
        place.is_refused(&follow, &message);
    }
    symlink("run.ckpt", place.path("link.ckpt")).unwrap();
    place.is_refused("learn lobby -i s.jsonl --checkpoint link.ckpt --resume", "another process, ");
    drop(first);
    assert!(place.path("run.ckpt.lock").exists(), "it was killed");
    place.runs(&format!("{RECOGNISE} --output out --resume"));
    assert!(!place.path("run.ckpt.lock").exists(), "it has ended");
}

#[test]
fn planted_links_do_not_choose_what_is_overwritten() {
    let place = Place::new();
    place.write("victim", "precious");
    for planted in ["run.ckpt.new", "run.ckpt.previous", ".t.lp.partial"] {
        symlink("victim", place.path(planted)).unwrap();
    }
    place.runs(&format!("{LEARN} -o t.lp"));
    assert_eq!(place.text("victim"), "precious");
    assert!(!fs::symlink_metadata(place.path("t.lp")).unwrap().is_symlink());
    fs::remove_file(place.path("run.ckpt")).unwrap();
    symlink("no-such-file", place.path("run.ckpt.lock")).unwrap();
    place.is_refused(LEARN, "cannot write the checkpoint `run.ckpt`");
    assert!(!place.path("no-such-file").exists());
}

#[test]
fn the_mode_of_a_checkpoint_and_of_an_output_is_kept() {
    let place = Place::new();
    place.runs(&format!("{LEARN} -o t.lp"));
    for name in ["run.ckpt", "t.lp"] {
        fs::set_permissions(place.path(name), fs::Permissions::from_mode(0o600)).unwrap();
    }
    place.runs(&format!("{LEARN} -o t.lp --resume"));
    assert_eq!(["run.ckpt", "run.ckpt.previous", "t.lp"].map(|name| mode(&place.path(name))), [0o600; 3]);
}

#[test]
fn a_linked_checkpoint_and_a_linked_output_are_written_through() {
    let place = Place::new();
    fs::create_dir(place.path("disk")).unwrap();
    for name in ["run.ckpt", "t.lp"] {
        symlink(format!("disk/{name}"), place.path(name)).unwrap();
    }
    for more in ["", " --resume"] {
        place.runs(&format!("{LEARN} -o t.lp{more}"));
        for name in ["run.ckpt", "t.lp"] {
            assert!(fs::symlink_metadata(place.path(name)).unwrap().is_symlink(), "{name}");
        }
    }
    let mut names: Vec<_> = fs::read_dir(place.path("disk")).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["run.ckpt", "run.ckpt.previous", "t.lp"]);
}

#[test]
fn a_place_that_cannot_be_written_to_is_told_before_anything_is_read() {
    let place = Place::new();
    fs::create_dir(place.path("folder")).unwrap();
    for (command, file) in [
        ("learn lobby -i - --output no/such/t.lp", "no/such/t.lp"),
        ("learn lobby -i - --output folder", "folder"),
        ("learn lobby -i - --log no/such/log", "no/such/log"),
        ("learn lobby -i - --report no/such/r.html", "no/such/r.html"),
        ("learn lobby -i - --checkpoint no/such/c", "no/such/c"),
        ("recognise lobby -t true -i - --output no/such/out", "no/such/out"),
        ("recognise lobby -t true -i - --checkpoint no/such/c", "no/such/c"),
        ("convert - no/such/s.lp --from jsonl", "no/such/s.lp"),
    ] {
        // Nobody writes to the pipe, and nobody closes it.
        let mut child = place.start(command);
        let _pipe = child.0.stdin.take();
        assert_eq!(child.code(), Some(2), "{command}");
        let told = place.text("messages");
        assert!(told.contains("cannot write") && told.contains(&format!("`{file}`")), "{command}: {told}");
    }
}

#[test]
fn an_old_output_is_left_alone_if_there_is_nothing_to_read() {
    let place = Place::new();
    place.write("out", "what was found before");
    place.is_refused("recognise lobby -t true -i no-such-stream.jsonl --output out", "cannot open");
    assert_eq!(place.text("out"), "what was found before");
}

#[test]
fn a_checkpoint_that_fails_once_is_told_and_tried_again() {
    let place = Place::new();
    let text = place.text("s.jsonl");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    fs::create_dir(place.path("disk")).unwrap();
    let command = "recognise lobby -t true -i - --from jsonl --output out --checkpoint disk/c --every 50";
    let mut child = place.start(command);
    let mut stdin = child.0.stdin.take().unwrap();
    let mut send = |from: usize, to: usize| stdin.write_all(lines[from..to].concat().as_bytes()).unwrap();
    send(0, 60);
    until("a checkpoint", || place.path("disk/c").exists());
    // The disk is gone for a while.
    fs::rename(place.path("disk"), place.path("away")).unwrap();
    send(60, 170);
    until("a warning", || {
        place.text("messages").contains("warning: cannot write the checkpoint `disk/c`: No such file")
    });
    assert!(place.text("messages").contains("hint: it is tried again when the next is due"));
    fs::rename(place.path("away"), place.path("disk")).unwrap();
    send(170, 230);
    until("a remark", || place.text("messages").contains("remark: the checkpoint `disk/c` is written again"));
    send(230, lines.len());
    drop(stdin);
    assert!(matches!(child.code(), Some(0 | 1)), "{}", place.text("messages"));
    let expected = stdout(&place.runs("recognise lobby -t true -i s.jsonl"));
    assert_eq!(place.text("out"), expected);
}

// ---------------------------------------------------------------------------------------------------------------------
// Streams that are rotated.

/// What holds at each time point of a stream, a line each.
const FRAMES: &str = "recognise lobby -t true --frames --format jsonl";

#[test]
fn a_followed_file_that_is_rotated_is_told_and_gone_on_with_also_after_a_restart() {
    let place = Place::new();
    let text = place.text("s.jsonl");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let part = |from: usize, to: usize| lines[from..to].concat();
    let printed = || fs::read_to_string(place.path("out")).map_or(0, |text| text.lines().count());
    let command = format!("{FRAMES} -i live.jsonl --output out --checkpoint run.ckpt --every 10");
    place.write("live.jsonl", &part(0, 80));
    let mut child = place.start(&format!("{command} --follow"));
    until("the first file", || printed() == 80);
    fs::rename(place.path("live.jsonl"), place.path("live.jsonl.1")).unwrap();
    place.append("live.jsonl", &part(80, 150));
    until("the second file", || printed() == 150);
    let told = place.text("messages");
    assert!(told.contains("remark: `live.jsonl` was replaced by another file"), "{told}");
    assert_eq!(child.terminate(), Some(130));
    // The position is that in the second file: the first one may be gone.
    fs::remove_file(place.path("live.jsonl.1")).unwrap();
    place.append("live.jsonl", &part(150, 220));
    let mut child = place.start(&format!("{command} --follow --resume"));
    until("more of the second file", || printed() == 220);
    assert_eq!(child.terminate(), Some(130));
    place.append("live.jsonl", &part(220, lines.len()));
    place.runs(&format!("{command} --resume"));
    assert_eq!(place.text("out"), stdout(&place.runs(&format!("{FRAMES} -i s.jsonl"))));
}

#[test]
fn a_file_that_was_rotated_while_nobody_followed_it_is_gone_on_with_through_a_pipe() {
    let place = Place::new();
    let text = place.text("s.jsonl");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let command = format!("{FRAMES} --from jsonl --output out --checkpoint run.ckpt --every 10");
    place.write("live.jsonl", &lines[..80].concat());
    let mut child = place.start(&format!("{command} -i live.jsonl --follow"));
    until("a checkpoint", || place.path("run.ckpt").exists());
    assert_eq!(child.terminate(), Some(130));
    place.append("live.jsonl", &lines[80..120].concat());
    fs::rename(place.path("live.jsonl"), place.path("live.jsonl.1")).unwrap();
    place.append("live.jsonl", &lines[120..].concat());
    place.is_refused(&format!("{command} -i live.jsonl --resume"), "does not go on where it was read before");
    // As `cat live.jsonl.1 live.jsonl |` does.
    place.write("both", &(place.text("live.jsonl.1") + &place.text("live.jsonl")));
    let both = File::open(place.path("both")).unwrap();
    let output = place.command(&format!("{command} -i - --resume")).stdin(both).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(place.text("out"), stdout(&place.runs(&format!("{FRAMES} -i s.jsonl"))));
}

#[test]
fn a_followed_file_that_is_cut_ends_with_a_clear_error() {
    let place = Place::new();
    let text = place.text("s.jsonl");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    place.write("live.jsonl", &lines[..20].concat());
    let mut child = place.start(&format!("{FRAMES} -i live.jsonl --follow --lenient --output out"));
    until("the first lines", || fs::read_to_string(place.path("out")).is_ok_and(|text| text.lines().count() == 20));
    // At once longer than it was before.
    place.write("live.jsonl", &lines[100..].concat());
    assert_eq!(child.code(), Some(2));
    let told = place.text("messages");
    assert!(told.contains("error: cannot read `live.jsonl`: it was cut while it was followed\nhint: "), "{told}");
}
