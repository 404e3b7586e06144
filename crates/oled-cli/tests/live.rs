//! Running for weeks: checkpoints, streams that are followed, late frames, signals.

mod common;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use common::{oled, start, stderr, stdout, until};

/// A stream of the simulated world in a folder of its own.
fn stream(segments: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let text = stdout(&oled(&["simulate", "--segments", segments, "--length", "150", "--people", "4"]));
    let path = folder.path().join("stream.jsonl");
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_string();
    (folder, path)
}

/// The first so many bytes of a stream, under the name that the whole will have.
fn cut(whole: &str, folder: &Path, bytes: usize) -> String {
    let path = folder.join("growing.jsonl");
    fs::write(&path, &fs::read(whole).unwrap()[..bytes]).unwrap();
    path.to_str().unwrap().to_string()
}

#[test]
fn recognition_goes_on_byte_for_byte_wherever_the_stream_was_cut() {
    let (folder, whole) = stream("2");
    let size = fs::read(&whole).unwrap().len();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (expected, output, checkpoint) = (file("expected.csv"), file("output.csv"), file("run.ckpt"));
    let run = |input: &str, more: &[&str]| {
        let mut args = vec!["recognise", "lobby", "--theory", "true", "--input", input];
        args.extend(more);
        oled(&args)
    };
    assert!(run(&whole, &["--output", &expected]).status.success());
    assert_eq!(fs::read_to_string(&expected).unwrap(), stdout(&run(&whole, &[])));
    // In the middle of lines, too: what was begun is read when it is there.
    for part in [0, 1, size / 3, size / 2 + 17, size - 1, size] {
        let growing = cut(&whole, folder.path(), part);
        let more = ["--output", &output, "--checkpoint", &checkpoint, "--every", "40", "--lenient"];
        let first = run(&growing, &more);
        assert!(matches!(first.status.code(), Some(0 | 1)), "cut at {part}: {}", stderr(&first));
        fs::copy(&whole, &growing).unwrap();
        let second = run(&growing, &[&more[..], &["--resume"]].concat());
        assert!(second.status.success(), "cut at {part}: {}", stderr(&second));
        assert_eq!(fs::read(&expected).unwrap(), fs::read(&output).unwrap(), "cut at {part}");
        fs::remove_file(&checkpoint).unwrap();
    }
}

#[test]
fn learning_goes_on_byte_for_byte_with_its_log() {
    let (folder, whole) = stream("5");
    let size = fs::read(&whole).unwrap().len();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    for (learner, more) in [("replay", &["--prequential", "--no-refits"][..]), ("oled", &["--delta", "0.05"])] {
        let run = |input: &str, name: &str, checkpoint: &[&str]| {
            let (theory, log) = (file(&format!("{name}.lp")), file(&format!("{name}.log")));
            let mut args = vec!["learn", "lobby-listed", "--learner", learner, "--input", input];
            args.extend(["--json", "--output", &theory, "--log", &log]);
            args.extend(more.iter().chain(checkpoint));
            let output = oled(&args);
            assert!(matches!(output.status.code(), Some(0 | 1)), "{learner}: {}", stderr(&output));
            (fs::read_to_string(theory).unwrap(), fs::read_to_string(log).unwrap())
        };
        let expected = run(&whole, "expected", &[]);
        let checkpoint = file(&format!("{learner}.ckpt"));
        let growing = cut(&whole, folder.path(), size * 2 / 3 + 5);
        let saved = ["--lenient", "--checkpoint", &checkpoint, "--every", "100"];
        run(&growing, "resumed", &saved);
        fs::copy(&whole, &growing).unwrap();
        let resumed = run(&growing, "resumed", &[&saved[..], &["--resume"]].concat());
        assert_eq!(expected, resumed, "{learner}");
    }
}

#[test]
fn what_a_checkpoint_is_no_use_for_is_refused_with_the_reason() {
    let (folder, whole) = stream("1");
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let checkpoint = file("run.ckpt");
    let run = |task: &str, input: &str, more: &[&str]| {
        let mut args = vec!["recognise", task, "--theory", "true", "--input", input, "--checkpoint", &checkpoint];
        args.extend(["--every", "50"].iter().chain(more));
        let output = oled(&args);
        (output.status.code(), stderr(&output))
    };
    let refused = |(code, text): (Option<i32>, String), reason: &str| {
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(reason), "{text}");
    };
    let (code, text) = run("lobby", &whole, &["--resume"]);
    assert!(matches!(code, Some(0 | 1)) && text.contains("there is no checkpoint"), "{text}");
    refused(run("lobby", &whole, &[]), "go on from it with `--resume`, or remove it");
    refused(run("lobby", &whole, &["--resume", "--all"]), "was made with `--all` none, and this is `yes`");
    refused(run("lobby-listed", &whole, &["--resume"]), "was made with the task `lobby");
    let other = file("other.jsonl");
    fs::write(&other, fs::read_to_string(&whole).unwrap().replace("p1", "q1")).unwrap();
    refused(run("lobby", &other, &["--resume"]), "does not go on where it was read before");
    let good = fs::read(&checkpoint).unwrap();
    let mut damaged = good.clone();
    damaged[good.len() / 2] ^= 4;
    fs::write(&checkpoint, &damaged).unwrap();
    refused(run("lobby", &whole, &["--resume"]), "its checksum is wrong");
    refused(run("lobby", &whole, &["--resume"]), "hint: the one before it is good: `cp ");
    fs::copy(format!("{checkpoint}.previous"), &checkpoint).unwrap();
    assert!(matches!(run("lobby", &whole, &["--resume"]).0, Some(0 | 1)));
    let report = oled(&["learn", "lobby", "--input", &whole, "--checkpoint", &checkpoint, "--report", "r.html"]);
    assert_eq!(report.status.code(), Some(2));
}

#[test]
fn late_frames_are_put_in_order_and_faults_are_counted_exactly() {
    let (folder, whole) = stream("1");
    let text = fs::read_to_string(&whole).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    let twice = lines[20];
    lines.insert(22, twice);
    lines.swap(40, 43);
    let too_late = lines.remove(60);
    lines.insert(80, too_late);
    let spoilt = folder.path().join("spoilt.jsonl");
    fs::write(&spoilt, lines.join("\n") + "\n{\"time\":\n").unwrap();
    let spoilt = spoilt.to_str().unwrap();
    let args = ["recognise", "lobby", "--theory", "true", "--input", spoilt, "--lateness", "5"];
    let strict = oled(&args);
    assert_eq!(strict.status.code(), Some(2));
    assert!(stderr(&strict).contains("comes twice in segment `lobby1`"), "{}", stderr(&strict));
    let lenient = oled(&[&args[..], &["--lenient"]].concat());
    let told = stderr(&lenient);
    assert!(told.contains("skipped 3: 1 syntax error, 1 frame out of order, 1 duplicate frame"), "{told}");
    // The two that were exchanged leave three late ones between them: those after the first, and the second itself.
    assert!(told.contains("remark: 3 frames came late and were put in order"), "{told}");
    let mut without: Vec<&str> = text.lines().collect();
    without.remove(59);
    fs::write(spoilt, without.join("\n") + "\n").unwrap();
    assert_eq!(stdout(&lenient), stdout(&oled(&args[..6])));
}

#[test]
#[cfg(unix)]
fn a_file_is_followed_until_a_signal_ends_it_with_a_checkpoint() {
    let (folder, whole) = stream("2");
    let text = fs::read_to_string(&whole).unwrap();
    let half = text.len() / 2;
    let growing = cut(&whole, folder.path(), half);
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (output, checkpoint) = (file("out.csv"), file("run.ckpt"));
    let theory = ["recognise", "lobby", "--theory", "true", "--input", &growing, "--output", &output];
    let args = [&theory[..], &["--follow", "--checkpoint", &checkpoint, "--every", "0.05s"]].concat();
    let child = start(&args);
    // A checkpoint is written although nothing comes any more.
    until("a checkpoint", || Path::new(&checkpoint).exists());
    let before = fs::metadata(&output).unwrap().len();
    fs::OpenOptions::new().append(true).open(&growing).unwrap().write_all(&text.as_bytes()[half..]).unwrap();
    until("a recognition", || fs::metadata(&output).unwrap().len() > before);
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{}", stderr(&ended));
    // What was open when it was stopped is cut off, and the rest is as if it had never been.
    let resumed = oled(&[&theory[..], &["--checkpoint", &checkpoint, "--resume"]].concat());
    assert!(resumed.status.success(), "{}", stderr(&resumed));
    let expected = oled(&["recognise", "lobby", "--theory", "true", "--input", &whole]);
    assert_eq!(fs::read_to_string(&output).unwrap(), stdout(&expected));
}

#[test]
#[cfg(unix)]
fn a_signal_ends_a_join_with_a_checkpoint_as_of_the_last_whole_frame() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    fs::write(file("task.toml"), "[calculus]\ntracked = []\n").unwrap();
    fs::write(file("modes.lp"), "input(val(+thing, +number, +time)).\ntype(number, int).\n").unwrap();
    let join = "val(A, X, T), val(B, Y, T), val(C, Z, T), val(D, W, T), X + Y + Z + W < -5";
    fs::write(file("j.lp"), format!("holdsAt(odd(A), T) :- {join}.\nholdsAt(one(A), T) :- val(A, 1, T).\n")).unwrap();
    let things = |count: usize, time: i64| {
        let facts: Vec<String> = (0..count).map(|i| format!("\"val(e{i},{i},{time})\"")).collect();
        format!("{{\"time\":{time},\"narrative\":[{}]}}\n", facts.join(","))
    };
    // The third frame has more combinations than anybody would wait for.
    fs::write(file("s.jsonl"), things(2, 1) + &things(0, 2) + &things(2000, 3)).unwrap();
    let (task, theory, input) = (folder.path().to_str().unwrap(), file("j.lp"), file("s.jsonl"));
    let (output, checkpoint) = (file("out.csv"), file("run.ckpt"));
    let args = ["recognise", task, "--theory", &theory, "--input", &input, "--output", &output];
    let args = [&args[..], &["--checkpoint", &checkpoint, "--every", "1"]].concat();
    let child = start(&[&args[..], &["--max-steps", "1000000000000000"]].concat());
    let first = "segment,fluent,start,end,closed\nmain,one(e1),1,1,terminated\n";
    until("a recognition", || fs::read_to_string(&output).is_ok_and(|text| text == first));
    until("a checkpoint", || Path::new(&checkpoint).exists());
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{}", stderr(&ended));
    assert_eq!(fs::read_to_string(&output).unwrap(), first);
    // The frame is seen again, and its rule is named.
    let resumed = oled(&[&args[..], &["--resume", "--max-steps", "1000000"]].concat());
    let told = stderr(&resumed);
    assert_eq!(resumed.status.code(), Some(2), "{told}");
    assert!(told.contains("j.lp:1:1 takes more than 1000000 steps at time 3 of segment `main`"), "{told}");
    assert!(told.contains("after 2 frames"), "{told}");
    assert_eq!(fs::read_to_string(&output).unwrap(), first);
}

#[test]
#[cfg(unix)]
fn learning_from_a_pipe_is_stopped_and_goes_on_from_either_end() {
    let (folder, whole) = stream("5");
    let text = fs::read_to_string(&whole).unwrap();
    let half = text[..text.len() / 2].rfind('\n').unwrap() + 1;
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (theory, checkpoint) = (file("t.lp"), file("run.ckpt"));
    let task = ["learn", "lobby-listed", "--learner", "oled", "--input", "-", "--output", &theory];
    let args = [&task[..], &["--follow", "--checkpoint", &checkpoint, "--every", "0.05s"]].concat();
    let mut child = start(&args);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&text.as_bytes()[..half]).unwrap();
    until("a checkpoint", || Path::new(&checkpoint).exists());
    // Nobody closes the pipe: it ends by the signal alone.
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{}", stderr(&ended));
    assert!(fs::read_to_string(&theory).unwrap().contains("interpretations"), "the theory so far is there");
    // A pipe is read once, so nothing is said of how well the rules fit.
    let mut child = start(&["learn", "lobby-listed", "--learner", "oled", "--input", "-"]);
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let expected = stdout(&child.wait_with_output().unwrap());
    let good = fs::read(&checkpoint).unwrap();
    // Sent from its beginning, what was used is skipped; a feeder that goes on is told from where.
    let mut from = 0;
    for more in [&["--resume"][..], &["--resume", "--continues"]] {
        fs::write(&checkpoint, &good).unwrap();
        let mut child = start(&[&task[..], &["--checkpoint", &checkpoint], more].concat());
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&text.as_bytes()[from..]).unwrap();
        drop(stdin);
        let ended = child.wait_with_output().unwrap();
        assert!(matches!(ended.status.code(), Some(0 | 1)), "{}", stderr(&ended));
        assert_eq!(fs::read_to_string(&theory).unwrap(), expected, "{more:?}");
        let told = stderr(&ended);
        from = told.split("at byte ").nth(1).and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap();
    }
}

#[path = "../examples/kill/harness.rs"]
#[allow(dead_code)] // the example uses more of it
mod harness;

#[test]
fn a_program_that_is_killed_goes_on_byte_for_byte() {
    let found = harness::run(Path::new(env!("CARGO_BIN_EXE_oled")), 6, 1, harness::Size::Small, |_| {});
    assert!(found.is_good() && found.kills() == 6, "{found}");
}

#[test]
fn faults_that_were_made_are_counted_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spoilt.jsonl");
    let world = ["simulate", "--segments", "3", "--length", "300", "--people", "3"];
    let faults = ["--late", "0.05", "--delay", "12", "--duplicate", "0.05", "--malformed", "0.05"];
    let spoilt = oled(&[&world[..], &faults].concat());
    fs::write(&path, &spoilt.stdout).unwrap();
    let made = stderr(&spoilt);
    let numbers = |text: &str| -> Vec<u64> {
        text.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
    };
    // spoilt: N lines: L late (A by B, …), D twice, M malformed
    let by = numbers(made.split('(').nth(1).unwrap().split(')').next().unwrap());
    let rest = numbers(made.split(')').nth(1).unwrap());
    let late = |wanted: &dyn Fn(u64) -> bool| by.chunks(2).filter(|c| wanted(c[1])).map(|c| c[0]).sum::<u64>();
    let (within, beyond) = (late(&|by| by <= 4), late(&|by| by > 4));
    assert!(within > 5 && beyond > 5 && rest[0] > 20 && rest[1] > 20, "{made}");
    let args = ["recognise", "lobby", "--theory", "true", "--input", path.to_str().unwrap(), "--lenient"];
    let told = stderr(&oled(&[&args[..], &["--lateness", "4"]].concat()));
    let counts = format!("{} syntax errors, {beyond} frames out of order, {} duplicate frames", rest[1], rest[0]);
    assert!(told.contains(&counts), "{made}{told}");
    assert!(told.contains(&format!("remark: {within} frames came late and were put in order")), "{made}{told}");
}
