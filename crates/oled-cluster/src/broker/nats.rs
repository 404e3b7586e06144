//! NATS: a stream of `JetStream`, whose subjects are its partitions; its messages are numbered throughout.

use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer, pull};
use async_nats::jetstream::{self, stream::Stream};
use futures_util::StreamExt;
use tokio::runtime::{Builder, Runtime};

use super::{Message, Messages, Positions};

/// How long a server that does not answer is waited for.
const PATIENCE: Duration = Duration::from_secs(15);

/// Messages that are asked for together: with fewer there are more requests than needed, with more there is more memory.
const BATCH: usize = 1024;

struct Nats {
    runtime: Runtime,
    consumer: Option<PullConsumer>,
    name: String,
    /// The number of the next message, and of the last one.
    at: u64,
    last: u64,
}

pub(super) fn open(host: &str, name: &str, from: &Positions) -> Result<Box<dyn Messages>, String> {
    let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    let (consumer, at, last) = runtime.block_on(async {
        let connecting = async_nats::ConnectOptions::new().connection_timeout(PATIENCE).connect(host);
        let client = match tokio::time::timeout(PATIENCE, connecting).await {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => return Err(unreachable(host, &error.to_string())),
            Err(_) => return Err(unreachable(host, "nobody answers")),
        };
        let context = jetstream::new(client);
        let stream = match context.get_stream(name).await {
            Ok(stream) => stream,
            Err(error) => return Err(not_there(&context, name, &error.to_string()).await),
        };
        consumer(&stream, name, from).await
    })?;
    Ok(Box::new(Nats { runtime, consumer, name: name.into(), at, last }))
}

fn unreachable(host: &str, why: &str) -> String {
    format!(
        "no server of NATS is reached at `{host}`: {why}\nhint: is it running? try `nc -vz {}`",
        host.replace(':', " ")
    )
}

async fn not_there(context: &jetstream::Context, name: &str, why: &str) -> String {
    let names: Vec<String> = context.stream_names().filter_map(|name| async { name.ok() }).collect().await;
    let known = if names.is_empty() { "it has none".to_string() } else { format!("it has {}", names.join(", ")) };
    format!(
        "the server has no stream `{name}`: {why}\nhint: {known}; `JetStream` must be on, as with `nats-server -js`"
    )
}

async fn consumer(stream: &Stream, name: &str, from: &Positions) -> Result<(Option<PullConsumer>, u64, u64), String> {
    let state = &stream.cached_info().state;
    let (first, last) = (state.first_sequence.max(1), state.last_sequence);
    let at = match from.get(&0) {
        Some(at) => u64::try_from(*at).unwrap_or(u64::MAX),
        None => first,
    };
    if at < first || at > last + 1 {
        return Err(format!(
            "the stream `{name}` has the messages {first} to {last}, and is to be read from {at} on\nhint: what was not read is gone: was the stream made anew, or does it forget too soon?"
        ));
    }
    if at > last {
        return Ok((None, at, last));
    }
    let config = pull::Config {
        deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: at },
        ack_policy: AckPolicy::None,
        ..pull::Config::default()
    };
    let consumer = stream.create_consumer(config).await;
    let consumer = consumer.map_err(|error| format!("the stream `{name}` cannot be read: {error}"))?;
    Ok((Some(consumer), at, last))
}

impl Messages for Nats {
    fn more(&mut self) -> Result<Vec<Message>, String> {
        let Some(consumer) = self.consumer.as_ref().filter(|_| self.at <= self.last) else { return Ok(Vec::new()) };
        let (last, name) = (self.last, &self.name);
        let failed = |error: &dyn std::fmt::Display| format!("the stream `{name}` cannot be read further: {error}");
        let found = self.runtime.block_on(async {
            let mut found = Vec::new();
            let mut batch = consumer.fetch().max_messages(BATCH).messages().await.map_err(|error| failed(&error))?;
            while let Some(message) = batch.next().await {
                let message = message.map_err(|error| failed(&error))?;
                let number = message.info().map_err(|error| failed(&error))?.stream_sequence;
                if number <= last {
                    let next = i64::try_from(number + 1).map_err(|error| failed(&error))?;
                    found.push(Message { text: message.payload.to_vec(), partition: 0, next });
                }
                if number >= last {
                    break;
                }
            }
            Ok::<_, String>(found)
        })?;
        // Where the last ones were deleted nothing comes any more.
        self.at = found.last().map_or(self.last + 1, |message| message.next.unsigned_abs());
        Ok(found)
    }
}
