//! Connecting: every process with every other, before timely takes over; whoever does not answer, or works on something else, is
//! told.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use oled::state;

use crate::Error;
use crate::hosts::Hosts;
use crate::shards::SHARDS;

/// How long processes wait for each other: some minutes are usual until all machines of a cluster are there.
const PATIENCE: Duration = Duration::from_secs(300);

/// How often it is tried again: not so often that it costs anything.
const AGAIN: Duration = Duration::from_millis(20);

/// How long somebody who has connected may take to say who it is.
const SAYS: Duration = Duration::from_secs(5);

/// Nobody has so much to say about rules and options; whoever does is not one of us.
const LONGEST: u32 = 1 << 20;

/// What connected processes say to each other first: that they are of one program, and how many there are. What they work on follows.
type Greeting = [u8; 32];

/// What a process works on, by name.
type Agreed = Vec<(String, String)>;

fn greeting(hosts: &Hosts, process: usize) -> Greeting {
    let mut greeting = Greeting::default();
    greeting[..8].copy_from_slice(b"oled 2\n\0");
    for (i, number) in [process, hosts.addresses.len(), hosts.workers * SHARDS].into_iter().enumerate() {
        greeting[8 * (i + 1)..8 * (i + 2)].copy_from_slice(&(number as u64).to_le_bytes());
    }
    greeting
}

/// The connections to all others, by their numbers; none to itself.
type Sockets = Vec<Option<TcpStream>>;

/// Connects to all others, who must work on the same.
pub(crate) fn connect(hosts: &Hosts) -> Result<Sockets, Error> {
    let (sockets, works_on) = connected(hosts).map_err(Error::Network)?;
    // Everybody knows what all work on, and so comes to the same conclusion: nobody is left waiting.
    differing(&works_on, &hosts.addresses).map_or(Ok(sockets), |who| Err(Error::Differs(who)))
}

/// Connects to all others; what each works on is told.
fn connected(hosts: &Hosts) -> Result<(Sockets, Vec<Agreed>), String> {
    let Hosts { addresses, process, .. } = hosts;
    let own = &addresses[*process];
    let listener = TcpListener::bind(own).and_then(|listener| listener.set_nonblocking(true).map(|()| listener));
    let listener = listener.map_err(|error| format!("process {process} cannot listen at `{own}`: {error}"))?;
    let until = Instant::now() + PATIENCE;
    let mut sockets = Sockets::new();
    let mut works_on: Vec<Option<Agreed>> = vec![None; addresses.len()];
    works_on[*process] = Some(hosts.agreed.clone());
    // Those before this one listen, those after it call.
    for (other, address) in addresses.iter().enumerate().take(*process) {
        let failed = |error: io::Error| format!("process {other} at `{address}` does not answer: {error}");
        let mut socket = loop {
            match TcpStream::connect(address) {
                Ok(socket) => break socket,
                Err(error) if Instant::now() > until => return Err(failed(error)),
                Err(_) => sleep(AGAIN),
            }
        };
        greet(&mut socket, hosts).map_err(failed)?;
        let answer = heard(&mut socket).map_err(failed)?;
        if answer != greeting(hosts, other) {
            return Err(format!(
                "who answers at `{address}` is not process {other} of a cluster with as many processes and workers"
            ));
        }
        works_on[other] = Some(heard_works_on(&mut socket).map_err(failed)?);
        sockets.push(Some(socket));
    }
    sockets.resize_with(addresses.len(), || None);
    while let Some(missing) = (process + 1..addresses.len()).find(|other| sockets[*other].is_none()) {
        match listener.accept() {
            Ok((mut socket, _)) => {
                // Somebody who says nothing sensible is not one of us.
                let Ok(said) = socket.set_nonblocking(false).and_then(|()| heard(&mut socket)) else { continue };
                let caller = (process + 1..addresses.len()).find(|other| said == greeting(hosts, *other));
                let answered = greet(&mut socket, hosts);
                let Some(caller) = caller else { continue };
                if let (Ok(()), Ok(agreed)) = (answered, heard_works_on(&mut socket)) {
                    works_on[caller] = Some(agreed);
                    sockets[caller] = Some(socket);
                }
            }
            Err(_) if Instant::now() > until => {
                return Err(format!("process {missing} at `{}` has not called", addresses[missing]));
            }
            Err(_) => sleep(AGAIN),
        }
    }
    Ok((sockets, works_on.into_iter().map(Option::unwrap_or_default).collect()))
}

/// Says who this is, and what it works on.
fn greet(socket: &mut TcpStream, hosts: &Hosts) -> io::Result<()> {
    let works_on = state::encode(&hosts.agreed);
    let length = u32::try_from(works_on.len()).unwrap_or(u32::MAX).to_le_bytes();
    socket.set_nodelay(true)?;
    socket.write_all(&[&greeting(hosts, hosts.process)[..], &length, &works_on].concat())
}

/// Who works on something else than the first process, and on what.
fn differing(works_on: &[Agreed], addresses: &[String]) -> Option<String> {
    let (first, others) = works_on.split_first()?;
    let value = |agreed: &Agreed, name: &str| {
        let own = agreed.iter().find(|(known, value)| known == name && !value.is_empty());
        own.map_or_else(|| "nothing".to_string(), |(_, value)| format!("`{value}`"))
    };
    let mut told = Vec::new();
    for (i, other) in others.iter().enumerate().filter(|(_, other)| *other != first) {
        let mut names: Vec<&str> = first.iter().chain(other).map(|(name, _)| name.as_str()).collect();
        names.dedup();
        let differs = names.iter().enumerate().filter(|(i, name)| !names[..*i].contains(name));
        let differs = differs.map(|(_, name)| (*name, value(first, name), value(other, name)));
        let differs: Vec<String> = differs
            .filter(|(_, first, other)| first != other)
            .map(|(name, first, other)| format!("{name}: {other}, and in process 0 {first}"))
            .collect();
        told.push(format!("process {} at `{}` has {}", i + 1, addresses[i + 1], differs.join("; ")));
    }
    (!told.is_empty()).then(|| {
        let hint = "start all processes with the same program, task, rules and options, but for the option `process`";
        format!("{}\nhint: {hint}", told.join("\n"))
    })
}

/// What somebody works on.
fn heard_works_on(socket: &mut TcpStream) -> io::Result<Agreed> {
    let mut length = [0; 4];
    socket.set_read_timeout(Some(SAYS))?;
    socket.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "what it says is no greeting"));
    }
    let mut said = vec![0; length as usize];
    socket.read_exact(&mut said)?;
    socket.set_read_timeout(None)?;
    state::decode(&said).map_err(io::Error::other)
}

/// What somebody says first.
fn heard(socket: &mut TcpStream) -> io::Result<Greeting> {
    let mut said = Greeting::default();
    socket.set_read_timeout(Some(SAYS))?;
    socket.read_exact(&mut said)?;
    socket.set_read_timeout(None)?;
    Ok(said)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn named(pairs: &[(&str, &str)]) -> Agreed {
        pairs.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string())).collect()
    }

    #[test]
    fn who_differs_is_named_with_what_it_has() {
        let addresses: Vec<String> = (0..3).map(|i| format!("node{i}:1")).collect();
        let first = named(&[("the task", "lobby"), ("`--frames`", "")]);
        assert_eq!(differing(&[first.clone(), first.clone(), first.clone()], &addresses), None);
        let other = named(&[("the task", "lobby"), ("`--frames`", "yes")]);
        let told = differing(&[first.clone(), first.clone(), other], &addresses).unwrap();
        assert!(
            told.starts_with("process 2 at `node2:1` has `--frames`: `yes`, and in process 0 nothing\nhint:"),
            "{told}"
        );
        let fewer = named(&[("the task", "hall")]);
        let told = differing(&[first, fewer.clone(), fewer], &addresses).unwrap();
        assert_eq!(told.lines().filter(|line| line.contains("the task: `hall`, and in process 0 `lobby`")).count(), 2);
    }

    #[test]
    fn all_processes_learn_of_one_that_differs() {
        let addresses = crate::hosts::local(3).unwrap();
        for odd in [None, Some(0), Some(2)] {
            let one = |process: usize| {
                let agreed = named(&[("the theory", if odd == Some(process) { "b" } else { "a" })]);
                let hosts = Hosts { addresses: addresses.clone(), process, workers: 1, agreed };
                thread::spawn(move || connect(&hosts).map(|sockets| sockets.len()).map_err(|error| error.to_string()))
            };
            let ended: Vec<_> =
                (0..3).map(one).collect::<Vec<_>>().into_iter().map(|thread| thread.join().unwrap()).collect();
            for result in ended {
                match odd {
                    None => assert_eq!(result, Ok(3)),
                    Some(0) => {
                        assert!(result.as_ref().is_err_and(|e| e.contains("process 1") && e.contains("process 2")));
                    }
                    Some(_) => assert!(result.as_ref().is_err_and(|e| e.contains("same: process 2 at"))),
                }
            }
        }
    }
}
