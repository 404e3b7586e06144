//! Programs that are run when something begins or ends, on a thread of their own, one after the other.

use std::io;
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use super::lines::{Change, Event};
use super::options::AlarmArgs;
use crate::progress::say;
use crate::times::printed_time;

/// A program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandLine {
    text: String,
    words: Vec<String>,
}

#[cfg(test)]
impl CommandLine {
    pub(crate) fn words(&self) -> &[String] {
        &self.words
    }
}

impl FromStr for CommandLine {
    type Err = String;

    /// Blanks separate words; single and double quotes keep them together, and a backslash keeps the next letter but between
    /// single quotes. Nothing else means anything: there is no shell.
    fn from_str(text: &str) -> Result<CommandLine, String> {
        let (mut words, mut word): (Vec<String>, Option<String>) = (Vec::new(), None);
        let mut quote = None;
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            match (quote, letter) {
                (Some(q), c) if c == q => quote = None,
                (None, '\'' | '"') => {
                    quote = Some(letter);
                    word.get_or_insert_default();
                }
                (None | Some('"'), '\\') => {
                    let next = letters.next().ok_or("a backslash keeps the letter after it, and there is none")?;
                    word.get_or_insert_default().push(next);
                }
                (None, c) if c.is_whitespace() => words.extend(word.take()),
                (_, c) => word.get_or_insert_default().push(c),
            }
        }
        if let Some(quote) = quote {
            return Err(format!("a quote {quote} is opened and not closed"));
        }
        words.extend(word);
        if words.is_empty() {
            return Err("it names no program".into());
        }
        Ok(CommandLine { text: text.into(), words })
    }
}

/// What is to be run.
struct Job {
    command: Arc<CommandLine>,
    environment: Vec<(String, String)>,
    /// What it is run for.
    what: String,
}

/// How many may wait: enough for what begins at once in a large frame. Then the stream waits, so that none is lost.
const WAITING: usize = 1024;

/// Runs programs.
pub(super) struct Programs {
    on_begin: Option<Arc<CommandLine>>,
    on_end: Option<Arc<CommandLine>>,
    sender: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<()>>,
    /// How many were sent and have not ended.
    waiting: Arc<(Mutex<usize>, Condvar)>,
}

impl Programs {
    /// Those that are asked for, if any are.
    pub(super) fn new(args: &AlarmArgs) -> Option<Programs> {
        if args.on_begin.is_none() && args.on_end.is_none() {
            return None;
        }
        let shared = |command: &Option<CommandLine>| command.clone().map(Arc::new);
        let (sender, receiver) = sync_channel::<Job>(WAITING);
        let waiting: Arc<(Mutex<usize>, Condvar)> = Arc::default();
        let done = waiting.clone();
        let thread = std::thread::spawn(move || {
            for job in receiver {
                if let Err(reason) = job.run() {
                    let Job { command, what, .. } = job;
                    say(&format!("warning: `{}` was run for `{what}`: {reason}", command.text));
                }
                *lock(&done.0) -= 1;
                done.1.notify_all();
            }
        });
        let (on_begin, on_end) = (shared(&args.on_begin), shared(&args.on_end));
        Some(Programs { on_begin, on_end, sender: Some(sender), thread: Some(thread), waiting })
    }

    /// Runs the program for an event, if there is one.
    pub(super) fn run(&self, event: &Event) {
        let command = match event.change {
            Change::Began => &self.on_begin,
            Change::Ended => &self.on_end,
        };
        let (Some(command), Some(sender)) = (command, &self.sender) else { return };
        let what = format!("{} {} {}", event.fluent(), event.change.name(), printed_time(event.time()));
        *lock(&self.waiting.0) += 1;
        let job = Job { command: command.clone(), environment: environment(event), what };
        sender.send(job).expect("the thread takes jobs as long as there is a sender");
    }

    /// Waits until all have ended.
    pub(super) fn settle(&self) {
        let mut waiting = lock(&self.waiting.0);
        while *waiting > 0 {
            waiting = self.waiting.1.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        self.sender = None;
        // A thread that panicked has said so.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn lock(number: &Mutex<usize>) -> MutexGuard<'_, usize> {
    number.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a program is told of an event.
fn environment(event: &Event) -> Vec<(String, String)> {
    let arguments: Vec<String> = event.arguments().iter().map(ToString::to_string).collect();
    let (start, end) = event.end().map(|(start, end)| (printed_time(start), end)).unwrap_or_default();
    let named = [
        ("EVENT", event.change.name().to_string()),
        ("SEGMENT", event.interval.segment.as_str().to_string()),
        ("FLUENT", event.fluent()),
        ("NAME", event.name().to_string()),
        ("ARGUMENTS", arguments.join(",")),
        ("TIME", printed_time(event.time())),
        ("START", start),
        ("CLOSED", end),
    ];
    let named = named.into_iter().map(|(name, value)| (format!("OLED_{name}"), value));
    let each = arguments.into_iter().enumerate().map(|(i, argument)| (format!("OLED_ARGUMENT_{}", i + 1), argument));
    named.chain(each).collect()
}

impl Job {
    fn run(&self) -> Result<(), String> {
        let (program, arguments) = self.command.words.split_first().expect("a command names a program");
        let status = Command::new(program)
            .args(arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            // What is printed is ours alone.
            .stdout(io::stderr())
            .status();
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("it failed with {status}")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let hint = "no shell is used; who wants one names it: `sh -c '…'`";
                Err(format!("there is no program `{program}`\n  hint: {hint}"))
            }
            Err(error) => Err(format!("it cannot be run: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_kept_together_by_quotes_and_nothing_is_expanded() {
        let words = |text: &str| text.parse::<CommandLine>().map(|command| command.words);
        assert_eq!(words("mail -s $HOME *").unwrap(), ["mail", "-s", "$HOME", "*"]);
        assert_eq!(words(r#"sh -c 'echo "$A" >> x' "" a\ b"#).unwrap(), ["sh", "-c", "echo \"$A\" >> x", "", "a b"]);
        assert_eq!(words(r#""a \"b\" c"d"#).unwrap(), ["a \"b\" cd"]);
        assert_eq!(words("say 'it"), Err("a quote ' is opened and not closed".into()));
        assert!(words("  ").is_err() && words("a\\").is_err());
    }
}
