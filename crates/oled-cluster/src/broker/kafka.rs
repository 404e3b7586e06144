//! Kafka: the partitions of a topic.

use std::time::Duration;

use rskafka::BackoffConfig;
use rskafka::client::partition::{OffsetAt, PartitionClient, UnknownTopicHandling};
use rskafka::client::{Client, ClientBuilder};
use tokio::runtime::{Builder, Runtime};

use super::{Message, Messages, Positions, Stretch};

/// How long a broker that does not answer is asked again: one that is started at the same time is there by then.
const PATIENCE: Duration = Duration::from_secs(15);

/// Bytes of a fetch: with fewer there are more requests than needed, with more there is more memory and no more speed.
const FETCH: std::ops::Range<i32> = 1..(4 << 20);

/// How long the broker may wait for something to send, in milliseconds: there is something, so it does not.
const WAIT: i32 = 1000;

struct Kafka {
    runtime: Runtime,
    /// Each with where it is gone on from and where it ends.
    partitions: Vec<(PartitionClient, i64, i64)>,
    topic: String,
}

pub(super) fn open(host: &str, topic: &str, from: &Positions) -> Result<Box<dyn Messages>, String> {
    let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    let brokers: Vec<String> = host.split(',').map(Into::into).collect();
    let partitions = runtime.block_on(async {
        let backoff =
            BackoffConfig { max_backoff: Duration::from_secs(1), deadline: Some(PATIENCE), ..BackoffConfig::default() };
        let connecting = ClientBuilder::new(brokers).backoff_config(backoff).build();
        let client = match tokio::time::timeout(PATIENCE, connecting).await {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => return Err(unreachable(host, &error.to_string())),
            Err(_) => return Err(unreachable(host, &format!("nobody answers within {} s", PATIENCE.as_secs()))),
        };
        partitions(&client, topic, from).await
    })?;
    Ok(Box::new(Kafka { runtime, partitions, topic: topic.into() }))
}

fn unreachable(host: &str, why: &str) -> String {
    format!(
        "no broker of Kafka is reached at `{host}`: {why}\nhint: is it running, and is this its `advertised.listeners`? try `nc -vz {}`",
        host.split(',').next().unwrap_or(host).replace(':', " ")
    )
}

async fn partitions(
    client: &Client,
    topic: &str,
    from: &Positions,
) -> Result<Vec<(PartitionClient, i64, i64)>, String> {
    let failed = |error: rskafka::client::error::Error| format!("the topic `{topic}` cannot be read: {error}");
    let topics = client.list_topics().await.map_err(failed)?;
    let Some(found) = topics.iter().find(|known| known.name == topic) else {
        let mut names: Vec<&str> = topics.iter().map(|known| known.name.as_str()).collect();
        names.sort_unstable();
        let known = if names.is_empty() { "it has none".into() } else { format!("it has {}", names.join(", ")) };
        return Err(format!("the broker has no topic `{topic}`\nhint: {known}; names are case-sensitive"));
    };
    if let Some(missing) = from.keys().find(|partition| !found.partitions.contains(partition)) {
        return Err(format!(
            "the topic `{topic}` has no partition {missing}, which was read before\nhint: it has {} partitions: was it made anew?",
            found.partitions.len()
        ));
    }
    let mut all = Vec::new();
    for partition in &found.partitions {
        let own = client.partition_client(topic, *partition, UnknownTopicHandling::Error).await.map_err(failed)?;
        let first = own.get_offset(OffsetAt::Earliest).await.map_err(failed)?;
        let end = own.get_offset(OffsetAt::Latest).await.map_err(failed)?;
        let at = from.get(partition).copied().unwrap_or(first);
        if at < first || at > end {
            return Err(format!(
                "partition {partition} of `{topic}` has the messages {first} to {end}, and was read up to {at}\nhint: what was not read is gone: was the topic made anew, or does it forget too soon?"
            ));
        }
        all.push((own, at, end));
    }
    Ok(all)
}

impl Messages for Kafka {
    fn stretches(&self) -> Vec<Stretch> {
        let stretch = |(client, from, to): &(PartitionClient, i64, i64)| (client.partition(), *from, *to);
        let all = self.partitions.iter().map(stretch);
        all.map(|(partition, from, to)| Stretch { partition, from, to }).collect()
    }

    fn fetch(&mut self, Stretch { partition, from, to }: Stretch) -> Result<Vec<Message>, String> {
        let failed = |why: String| format!("partition {partition} of `{}` cannot be read at {from}: {why}", self.topic);
        let own = self.partitions.iter().find(|(client, ..)| client.partition() == partition);
        let (client, ..) = own.ok_or_else(|| failed("it is not there".into()))?;
        let fetched = self.runtime.block_on(client.fetch_records(from, FETCH, WAIT));
        let (records, _) = fetched.map_err(|error| failed(error.to_string()))?;
        // The last numbers of a log may be those of marks that are no messages.
        let own = records.into_iter().filter(|found| found.offset < to);
        Ok(own.map(|found| Message { text: found.record.value.unwrap_or_default(), next: found.offset + 1 }).collect())
    }
}
