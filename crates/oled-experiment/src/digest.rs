//! Digest: a number by which a finished fold is found again; FNV-1a, the same on every platform and in every release.

use oled::lang::Value;
use oled_data::task_folder::TaskFolder;

/// Sixty-four bits of what was put in. It tells changes, not forgeries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digest(u64);

impl Default for Digest {
    fn default() -> Digest {
        Digest(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }

    pub(crate) fn text(&mut self, text: &str) {
        text.bytes().for_each(|b| self.byte(b));
        // So that `ab`, `c` is not `a`, `bc`.
        self.byte(0xff);
    }

    pub(crate) fn number(&mut self, number: u64) {
        number.to_le_bytes().into_iter().for_each(|b| self.byte(b));
    }

    pub(crate) fn value(&mut self, value: &Value) {
        match value {
            Value::Sym(name) => self.text(name.as_str()),
            other => self.text(&other.to_string()),
        }
    }

    /// All of a task that recognition depends on, and how its fluents are to be defined.
    pub(crate) fn task(&mut self, folder: &TaskFolder) {
        folder.texts().iter().for_each(|source| self.text(&source.text));
        let options = &folder.task.options;
        self.number(u64::from(options.interleaved));
        self.text(&options.both.to_string());
        self.text(&format!("{:?}{:?}", folder.every(), folder.task.bias.clock));
        self.number(options.tracked.as_ref().map_or(u64::MAX, |types| types.len() as u64));
        options.tracked.iter().flatten().for_each(|name| self.text(name.as_str()));
        for (fluent, kind) in &options.kinds {
            self.text(fluent.as_str());
            self.text(&kind.to_string());
        }
    }

    pub(crate) fn finish(self) -> u64 {
        self.0
    }
}
