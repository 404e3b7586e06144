//! NATS: a stream of `JetStream`, whose subjects are its partitions; its messages are numbered throughout.

use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer, pull};
use async_nats::jetstream::{self, stream::Stream};
use futures_util::StreamExt;
use tokio::runtime::{Builder, Runtime};

use super::{Message, Messages, Positions, Stretch};

/// How long a server that does not answer is waited for.
const PATIENCE: Duration = Duration::from_secs(15);

/// Messages that are asked for together: with fewer there are more requests than needed, with more there is more memory.
const BATCH: usize = 1024;

struct Nats {
    runtime: Runtime,
    stream: Stream,
    name: String,
    /// What there was when it was opened, as the one partition that it has.
    all: Stretch,
    /// Who gives the messages from a number on.
    consumer: Option<(i64, PullConsumer)>,
}

pub(super) fn open(host: &str, name: &str, from: &Positions) -> Result<Box<dyn Messages>, String> {
    let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    let stream = runtime.block_on(async {
        let connecting = async_nats::ConnectOptions::new().connection_timeout(PATIENCE).connect(host);
        let client = match tokio::time::timeout(PATIENCE, connecting).await {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => return Err(unreachable(host, &error.to_string())),
            Err(_) => return Err(unreachable(host, "nobody answers")),
        };
        let context = jetstream::new(client);
        match context.get_stream(name).await {
            Ok(stream) => Ok(stream),
            Err(error) => Err(not_there(&context, name, &error.to_string()).await),
        }
    })?;
    let all = all(&stream, name, from)?;
    Ok(Box::new(Nats { runtime, stream, name: name.into(), all, consumer: None }))
}

fn unreachable(host: &str, why: &str) -> String {
    format!(
        "no server of NATS is reached at `{host}`: {why}\nhint: is it running? try `nc -vz {}`",
        host.replace(':', " ")
    )
}

async fn not_there(context: &jetstream::Context, name: &str, why: &str) -> String {
    let mut names: Vec<String> = context.stream_names().filter_map(|name| async { name.ok() }).collect().await;
    names.sort_unstable();
    let known = if names.is_empty() { "it has none".to_string() } else { format!("it has {}", names.join(", ")) };
    format!(
        "the server has no stream `{name}`: {why}\nhint: {known}; `JetStream` must be on, as with `nats-server -js`"
    )
}

/// What there is in a stream and was not read before.
fn all(stream: &Stream, name: &str, from: &Positions) -> Result<Stretch, String> {
    let state = &stream.cached_info().state;
    let [first, to] =
        [state.first_sequence.max(1), state.last_sequence + 1].map(|n| i64::try_from(n).unwrap_or(i64::MAX));
    let at = from.get(&0).copied().unwrap_or(first);
    if at < first || at > to {
        let last = to - 1;
        return Err(format!(
            "the stream `{name}` has the messages {first} to {last}, and is to be read from {at} on\nhint: what was not read is gone: was the stream made anew, or does it forget too soon?"
        ));
    }
    Ok(Stretch { partition: 0, from: at, to })
}

impl Messages for Nats {
    fn stretches(&self) -> Vec<Stretch> {
        vec![self.all]
    }

    fn fetch(&mut self, Stretch { from, to, .. }: Stretch) -> Result<Vec<Message>, String> {
        let (name, stream, before) = (&self.name, &self.stream, self.consumer.take());
        let failed = |error: &dyn std::fmt::Display| format!("the stream `{name}` cannot be read further: {error}");
        let (found, consumer) = self.runtime.block_on(async {
            let consumer = match before.filter(|(at, _)| *at == from) {
                Some((_, consumer)) => consumer,
                None => {
                    let config = pull::Config {
                        deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: from.unsigned_abs() },
                        ack_policy: AckPolicy::None,
                        ..pull::Config::default()
                    };
                    stream.create_consumer(config).await.map_err(|error| failed(&error))?
                }
            };
            let mut found = Vec::new();
            // No more than there are, so that who goes on misses none.
            let most = BATCH.min(usize::try_from(to - from).unwrap_or(BATCH));
            let mut batch = consumer.fetch().max_messages(most).messages().await.map_err(|error| failed(&error))?;
            while let Some(message) = batch.next().await {
                let message = message.map_err(|error| failed(&error))?;
                let number = message.info().map_err(|error| failed(&error))?.stream_sequence;
                let next = i64::try_from(number + 1).map_err(|error| failed(&error))?;
                if next <= to {
                    found.push(Message { text: message.payload.to_vec(), next });
                }
                if next >= to {
                    break;
                }
            }
            Ok::<_, String>((found, consumer))
        })?;
        self.consumer = found.last().map(|last| (last.next, consumer));
        Ok(found)
    }
}
