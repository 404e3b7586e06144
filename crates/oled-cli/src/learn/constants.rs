//! Constants that nobody lists, taken from the stream before it is learned from.

use anyhow::bail;
use oled_data::task_folder::TaskFolder;
use oled_data::{Constants, MOST_CONSTANTS, ReadOptions, open};

use super::options::LearnArgs;
use super::report::can_be_read_again;
use crate::input::stream_path;
use crate::progress::say;

/// A task that lists all constants that its rules may have, as far as the stream has them.
pub(crate) fn taken(folder: TaskFolder, args: &LearnArgs, quiet: bool) -> anyhow::Result<TaskFolder> {
    let Some(mut constants) = Constants::wanted(&folder.task) else { return Ok(folder) };
    // What is read once has to be learned from; whoever needs the constants tells that they are missing.
    let in_files = args.input.input.iter().all(|path| path.is_file());
    if args.protocol.is_some() || !in_files || !can_be_read_again(&folder, args)? {
        return Ok(folder);
    }
    let options = ReadOptions { labels_from: None, ticks: None, ..args.input.read_options(&folder) };
    for frame in open(&stream_path(&folder, &args.input)?, &options)? {
        if let Err(kind) = constants.see(&frame?) {
            bail!(
                "the stream has more than {MOST_CONSTANTS} values of the type `{kind}`, whose constants rules may have\n\
                 hint: list those that matter in background.lp, each as a fact: `{kind}(value).`"
            );
        }
    }
    if !quiet {
        for (kind, count) in constants.counts().filter(|(_, count)| *count > 0) {
            let values = if count == 1 { "1 value".to_string() } else { format!("{count} values") };
            say(&format!("remark: {values} of `{kind}` taken from the stream: background.lp lists none"));
        }
    }
    Ok(folder.with_facts(&constants.facts())?)
}
