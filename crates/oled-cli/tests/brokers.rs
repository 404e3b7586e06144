//! Streams from the logs of brokers come to the same result as streams from files, also where they go on from positions.
//!
//! With NATS where `nats-server` is installed, with Kafka where a Python with `confluent-kafka` is, which has a cluster to try with;
//! `OLED_KAFKA_PYTHON` names that Python. Otherwise the tests say that they are skipped.
#![cfg(feature = "cluster")]

mod common;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::{root, stderr};

/// Runs so many processes of a cluster to their ends; what the first one printed.
fn cluster(args: &[&str], folder: &Path, count: usize) -> Output {
    let hosts = folder.join("hosts");
    std::fs::write(&hosts, oled_cluster::hosts::local(count).unwrap().join("\n")).unwrap();
    let start = |i: usize| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oled"));
        command.arg("cluster").args(args).arg("--hosts").arg(&hosts).arg("--process").arg(i.to_string());
        command.current_dir(root()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..count).map(start).collect();
    let mut outputs = children.into_iter().map(|child| child.wait_with_output().unwrap());
    let first = outputs.next().unwrap();
    outputs.for_each(|other| assert!(other.status.success(), "{}", stderr(&other)));
    first
}

#[test]
fn logs_that_are_not_named_well_or_that_this_program_cannot_read_are_told() {
    let folder = tempfile::tempdir().unwrap();
    for (name, expected) in [("kafka://node1/frames", "names no log"), ("nats://node1:4222", "names no log")] {
        let output = cluster(&["recognise", "lobby", "--theory", "true", "--input", name], folder.path(), 1);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(expected) && stderr(&output).contains("hint:"), "{}", stderr(&output));
    }
    let kept = folder.path().join("kept");
    let plain = ["recognise", "lobby", "--theory", "true", "--input", "nats://node1:4222/frames", "--checkpoint"];
    let output = common::oled(&[&plain[..], &[kept.to_str().unwrap()]].concat());
    assert!(stderr(&output).contains("is a log") && stderr(&output).contains("oled cluster"), "{}", stderr(&output));
    #[cfg(not(feature = "kafka"))]
    {
        let input = "kafka://127.0.0.1:9092/frames";
        let output = common::oled(&["recognise", "lobby", "--theory", "true", "--input", input]);
        assert!(stderr(&output).contains("--features kafka"), "{}", stderr(&output));
    }
}

#[cfg(any(feature = "kafka", feature = "nats"))]
mod with_a_broker {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpStream;
    use std::process::{Child, ChildStdin, ChildStdout};

    use super::*;
    use crate::common::streams::{mixed_task, streams};
    use crate::common::{oled, stdout};

    /// Ends what was started.
    struct Ended(Child);

    impl Drop for Ended {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    /// A stream is read in two parts, with a checkpoint between, by two processes and then by three; `send` sends a part.
    /// `again`: whether what is read as a whole has the same order.
    fn in_two_parts(
        (task, again): (&str, bool),
        input: &str,
        lines: &[String],
        whole: &Path,
        mut send: impl FnMut(&[String]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let args = ["recognise", task, "--theory", "true", "--input", input, "--quiet"];
        // By one reader, and by all of them.
        let ways = [("one", &[][..]), ("all", &["--shared-input"][..])].map(|(name, more)| {
            let [output, kept] =
                ["out", "kept"].map(|of| folder.path().join(format!("{name} {of}")).display().to_string());
            (output, kept, more)
        });
        let middle = lines.len() * 3 / 5;
        for (part, count) in [(&lines[..middle], 2), (&lines[middle..], 3)] {
            send(part);
            for (output, kept, more) in &ways {
                let keep = ["--output", output, "--checkpoint", kept, "--resume", "--every", "100"];
                let done = cluster(&[&args[..], &keep, more].concat(), folder.path(), count);
                assert!(matches!(done.status.code(), Some(0 | 1)), "{}", stderr(&done));
            }
        }
        let plain = oled(&["recognise", task, "--theory", "true", "--input", whole.to_str().unwrap()]);
        assert!(stdout(&plain).lines().count() > 10, "there is something to compare");
        for (output, _, more) in &ways {
            assert_eq!(std::fs::read_to_string(output).unwrap(), stdout(&plain), "{more:?}");
        }
        // The program by itself reads it from the beginning to its end.
        let alone = oled(&args);
        let sorted = |text: String| {
            let mut lines: Vec<String> = text.lines().map(Into::into).collect();
            if !again {
                lines.sort_unstable();
            }
            lines
        };
        assert_eq!(sorted(stdout(&alone)), sorted(stdout(&plain)), "{}", stderr(&alone));
    }

    #[cfg(feature = "nats")]
    #[test]
    fn a_stream_of_nats_is_read_as_a_file_is() {
        let folder = tempfile::tempdir().unwrap();
        let address = oled_cluster::hosts::local(1).unwrap().concat();
        let port: u16 = address.rsplit_once(':').unwrap().1.parse().unwrap();
        let server = Command::new("nats-server")
            .args(["-js", "-a", "127.0.0.1", "-p", &port.to_string(), "-sd"])
            .arg(folder.path())
            .stderr(Stdio::null())
            .spawn();
        let Ok(server) = server else {
            let _ = writeln!(std::io::stderr(), "SKIPPED: there is no `nats-server` here");
            return;
        };
        let _server = Ended(server);
        let mut nats = Nats::connect(port);
        let mixed = mixed_task(folder.path(), "lobby");
        let paths = streams(folder.path(), 3, &[]);
        for (log, task, path) in [("frames", "lobby", &paths[0]), ("mixed", mixed.to_str().unwrap(), &paths[1])] {
            let created = format!(r#"{{"name":"{log}","subjects":["{log}.*"],"storage":"memory"}}"#);
            nats.request(&format!("$JS.API.STREAM.CREATE.{log}"), &created);
            let text = std::fs::read_to_string(path).unwrap();
            let lines: Vec<String> = text.lines().map(Into::into).collect();
            let input = format!("nats://127.0.0.1:{port}/{log}");
            in_two_parts((task, true), &input, &lines, path, |part| {
                part.iter().for_each(|line| nats.request(&format!("{log}.lobby"), line));
            });
        }
        let missing = format!("nats://127.0.0.1:{port}/frame");
        let output = oled(&["recognise", "lobby", "--theory", "true", "--input", &missing]);
        let told = stderr(&output);
        assert!(told.contains("no stream `frame`") && told.contains("it has frames, mixed"), "{told}");
        let output = oled(&["recognise", "lobby", "--theory", "true", "--input", "nats://127.0.0.1:1/frames"]);
        assert!(stderr(&output).contains("no server of NATS is reached at `127.0.0.1:1`"), "{}", stderr(&output));
    }

    /// The protocol of NATS, as far as it takes to publish: each message is answered when it is stored.
    #[cfg(feature = "nats")]
    struct Nats(BufReader<TcpStream>);

    #[cfg(feature = "nats")]
    impl Nats {
        fn connect(port: u16) -> Nats {
            let socket = (0..500).find_map(|_| {
                std::thread::sleep(std::time::Duration::from_millis(20));
                TcpStream::connect(("127.0.0.1", port)).ok()
            });
            let mut socket = socket.expect("the server comes up");
            socket.write_all(b"CONNECT {\"verbose\":false}\r\nSUB answers 1\r\n").unwrap();
            Nats(BufReader::new(socket))
        }

        fn request(&mut self, subject: &str, text: &str) {
            let command = format!("PUB {subject} answers {}\r\n{text}\r\n", text.len());
            self.0.get_mut().write_all(command.as_bytes()).unwrap();
            loop {
                let mut line = String::new();
                self.0.read_line(&mut line).unwrap();
                if line.starts_with("PING") {
                    self.0.get_mut().write_all(b"PONG\r\n").unwrap();
                } else if let Some(length) = line.strip_prefix("MSG ").and_then(|line| line.trim().rsplit(' ').next()) {
                    let mut answer = vec![0; length.parse::<usize>().unwrap() + 2];
                    self.0.read_exact(&mut answer).unwrap();
                    let answer = String::from_utf8_lossy(&answer).into_owned();
                    assert!(!answer.contains("\"error\""), "{answer}");
                    return;
                }
            }
        }
    }

    /// Takes lines `PARTITION LINE`; after an empty one all are stored, and it says where the broker is.
    #[cfg(feature = "kafka")]
    const BROKER: &str = r#"
import sys
from confluent_kafka import Producer
producer = Producer({"bootstrap.servers": "none", "test.mock.num.brokers": 1, "log_level": 0})
broker = list(producer.list_topics(timeout=20).brokers.values())[0]
for line in sys.stdin:
    line = line.rstrip("\n")
    if not line:
        producer.flush(20)
        print(f"{broker.host}:{broker.port}", flush=True)
        continue
    partition, text = line.split(" ", 1)
    producer.produce("frames", value=text, partition=int(partition))
    producer.poll(0)
"#;

    #[cfg(feature = "kafka")]
    #[test]
    fn a_topic_of_kafka_is_read_partition_by_partition() {
        let python = std::env::var("OLED_KAFKA_PYTHON").unwrap_or_else(|_| "python3".into());
        let known = Command::new(&python).args(["-c", "import confluent_kafka"]).stderr(Stdio::null()).status();
        if !known.is_ok_and(|status| status.success()) {
            let _ = writeln!(std::io::stderr(), "SKIPPED: `{python}` has no `confluent-kafka`, whose broker is tried");
            return;
        }
        let mut broker = Command::new(python)
            .args(["-c", BROKER])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (mut to, from) = (broker.stdin.take().unwrap(), broker.stdout.take().unwrap());
        let _broker = Ended(broker);
        let mut from = BufReader::new(from);
        let mut address = String::new();
        let mut send = |lines: &[String], to: &mut ChildStdin, from: &mut BufReader<ChildStdout>| {
            to.write_all((lines.join("\n") + "\n\n").as_bytes()).unwrap();
            address.clear();
            from.read_line(&mut address).unwrap();
            address.trim().to_string()
        };
        let folder = tempfile::tempdir().unwrap();
        let task = mixed_task(folder.path(), "lobby");
        let text = std::fs::read_to_string(&streams(folder.path(), 4, &[])[1]).unwrap();
        // Segments have their partitions; the second part of each comes after all of the first parts.
        let partition =
            |line: &str| line.bytes().take_while(|b| *b != b',').fold(0_u32, |sum, b| sum + u32::from(b)) % 3;
        let numbered: Vec<String> = text.lines().map(|line| format!("{} {line}", partition(line))).collect();
        let middle = numbered.len() * 3 / 5;
        let in_order = |lines: &[String]| {
            let mut lines = lines.to_vec();
            lines.sort_by_key(|line| line.as_bytes()[0]);
            lines.iter().map(|line| line[2..].to_string() + "\n").collect::<String>()
        };
        let whole = folder.path().join("whole.jsonl");
        std::fs::write(&whole, in_order(&numbered[..middle]) + &in_order(&numbered[middle..])).unwrap();
        let address = send(&numbered[..1], &mut to, &mut from);
        let input = format!("kafka://{address}/frames");
        let (task, mut first) = (task.to_str().unwrap(), true);
        let send_part = |part: &[String]| {
            let part = if std::mem::take(&mut first) { &part[1..] } else { part };
            send(part, &mut to, &mut from);
        };
        in_two_parts((task, false), &input, &numbered, &whole, send_part);
        let missing = format!("kafka://{address}/frame");
        let told = stderr(&oled(&["recognise", task, "--theory", "true", "--input", &missing]));
        assert!(told.contains("no topic `frame`") && told.contains("it has frames"), "{told}");
    }
}
