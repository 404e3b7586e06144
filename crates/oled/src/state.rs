//! State: what a learner or a recogniser knows, as bytes, and bytes as what it knows.
//!
//! Only what the stream has told is written. Programs and tables are made anew from the task, and everything that is read
//! is checked against them, so that no bytes whatever lead to anything worse than an error.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Why bytes are not a state: they were damaged, or are of another task.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StateError(String);

impl StateError {
    /// What is wrong, as a lower-case sentence.
    pub fn new(message: impl Into<String>) -> StateError {
        StateError(message.into())
    }
}

/// Counts beyond this come from no stream; sums of a few of them do not overflow.
const MOST: u64 = 1 << 56;

/// The bytes of a state.
pub fn encode(state: &(impl Serialize + ?Sized)) -> Vec<u8> {
    postcard::to_allocvec(state)
        .expect("what is kept in memory fits there twice, and nothing in it refuses to be written")
}

/// The state of these bytes, all of them.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, StateError> {
    match postcard::take_from_bytes(bytes) {
        Ok((state, [])) => Ok(state),
        Ok((_, rest)) => Err(StateError(format!("{} bytes follow its end", rest.len()))),
        Err(error) => Err(StateError(format!("it cannot be read: {error}"))),
    }
}

/// Whether something is as it must be.
pub fn ensure(good: bool, what: &str) -> Result<(), StateError> {
    if good { Ok(()) } else { Err(StateError(format!("{what} are not those of the task"))) }
}

/// Whether counts can be those of a stream.
pub(crate) fn ensure_counts(counts: impl IntoIterator<Item = u64>) -> Result<(), StateError> {
    let sum = counts.into_iter().try_fold(0, u64::checked_add);
    if sum.is_some_and(|sum| sum <= MOST) {
        Ok(())
    } else {
        Err(StateError("it counts more than any stream has".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_nothing_else() {
        let bytes = encode(&(7u64, "seven"));
        assert_eq!(decode(&bytes), Ok((7u64, "seven".to_string())));
        for cut in 0..bytes.len() {
            assert!(decode::<(u64, String)>(&bytes[..cut]).is_err());
        }
        let more = [&bytes[..], &[0]].concat();
        assert_eq!(decode::<(u64, String)>(&more), Err(StateError::new("1 bytes follow its end")));
    }
}
