//! Parts of a protocol: folds, orders and seeds.

use std::path::{Path, PathBuf};

use crate::common::{oled, stderr};

/// A directory of CAVIAR's form with four short videos: two people walk side by side in some, apart in others.
fn videos(folder: &Path) -> PathBuf {
    let directory = folder.join("videos");
    std::fs::create_dir_all(directory.join("folds")).unwrap();
    let mut parts = String::from("fold,video\n");
    for video in 0..4_usize {
        let mut text = String::from("<dataset>");
        for frame in 0..40_usize {
            let together = (frame / 10 + video) % 2 == 0;
            let (movement, far) = if together { ("walking", 20) } else { ("inactive", 200) };
            let object = |id: usize, x: usize| {
                format!(
                    "<object id=\"{id}\"><orientation>0</orientation><box xc=\"{x}\" yc=\"50\" w=\"9\" h=\"30\"/>\
                     <appearance>visible</appearance><hypothesislist><hypothesis evaluation=\"1.0\">\
                     <movement>{movement}</movement></hypothesis></hypothesislist></object>"
                )
            };
            let group = "<group id=\"0\"><members>0,1</members><hypothesislist><hypothesis evaluation=\"1.0\">\
                         <movement>movement</movement><role>walkers</role><context>walking</context>\
                         <situation>moving</situation></hypothesis></hypothesislist></group>";
            let objects = [object(0, 10 + frame), object(1, 10 + frame + far)].concat();
            let group = if together { group } else { "" };
            text += &["<frame number=\"", &frame.to_string(), "\"><objectlist>", &objects, "</objectlist>"].concat();
            text += &["<grouplist>", group, "</grouplist></frame>"].concat();
        }
        std::fs::write(directory.join(format!("v{video}.xml")), text + "</dataset>").unwrap();
        parts += &[&video.to_string(), ",v", &video.to_string(), "\n"].concat();
    }
    std::fs::write(directory.join("folds/clip.csv"), parts).unwrap();
    directory
}

#[test]
fn parts_of_a_protocol_are_taken_without_a_fold_and_in_the_order_of_a_seed() {
    let folder = tempfile::tempdir().unwrap();
    let directory = videos(folder.path());
    let log = folder.path().join("log.jsonl");
    let caviar = "caviar-listed";
    let run = |more: &[&str]| {
        let mut args = vec!["learn", caviar, "--input", directory.to_str().unwrap(), "--protocol", "clip"];
        args.extend([
            "--learner",
            "oled",
            "--set",
            "warmup=0",
            "--delta",
            "0.2",
            "--json",
            "--log",
            log.to_str().unwrap(),
        ]);
        args.extend(more);
        let output = oled(&args);
        assert!(output.status.code() != Some(2), "{}", stderr(&output));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (json, std::fs::read_to_string(&log).unwrap())
    };
    let (all, in_order) = run(&[]);
    assert_eq!((&all["interpretations"], &all["seed"]), (&156.into(), &serde_json::Value::Null));
    assert_eq!(run(&["--seed", "5"]).1, in_order, "without shuffling there is nothing to choose");
    assert_eq!(run(&["--train-fold", "2"]).0["interpretations"], 117);

    let logs: Vec<String> = (1..=8).map(|seed: u64| run(&["--shuffle", "--seed", &seed.to_string()]).1).collect();
    assert_eq!(run(&["--shuffle", "--seed", "3"]).1, logs[2]);
    assert!(logs.iter().any(|log| *log != in_order), "some order begins with another video");

    for (args, message) in [
        (&["--protocol", "clip", "--train-fold", "7"][..], "has no fold 7\nhint: its folds are 0, 1, 2, 3"),
        (&["--shuffle"][..], "--protocol <NAME>"),
        (&["--learner", "best"][..], "[possible values: replay, oled, xhail, iled]"),
    ] {
        let mut command = vec!["learn", "tasks/caviar-listed", "--input", directory.to_str().unwrap()];
        command.extend(args);
        let output = oled(&command);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
}

#[test]
fn a_fold_is_tested_on_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let directory = videos(folder.path());
    let frames = |more: &[&str]| {
        let mut args =
            vec!["evaluate", "tasks/caviar-listed", "--theory", "hand", "--input", directory.to_str().unwrap()];
        args.extend(["--protocol", "clip", "--json"]);
        args.extend(more);
        let output = oled(&args);
        let json: serde_json::Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)));
        json["frames"].as_u64().unwrap()
    };
    assert_eq!((frames(&[]), frames(&["--test-fold", "3"])), (160, 40));
}
