//! Connecting: every process with every other, before timely takes over; whoever does not answer is told.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::hosts::Hosts;
use crate::shards::SHARDS;

/// How long processes wait for each other: some minutes are usual until all machines of a cluster are there.
const PATIENCE: Duration = Duration::from_secs(300);

/// How often it is tried again: not so often that it costs anything.
const AGAIN: Duration = Duration::from_millis(20);

/// How long somebody who has connected may take to say who it is.
const SAYS: Duration = Duration::from_secs(5);

/// What connected processes say to each other first: that they are of one program, and how many there are.
type Greeting = [u8; 32];

fn greeting(hosts: &Hosts, process: usize) -> Greeting {
    let mut greeting = Greeting::default();
    greeting[..8].copy_from_slice(b"oled 1\n\0");
    for (i, number) in [process, hosts.addresses.len(), hosts.workers * SHARDS].into_iter().enumerate() {
        greeting[8 * (i + 1)..8 * (i + 2)].copy_from_slice(&(number as u64).to_le_bytes());
    }
    greeting
}

/// The connections to all others, by their numbers; none to itself.
pub(crate) fn connect(hosts: &Hosts) -> Result<Vec<Option<TcpStream>>, String> {
    let Hosts { addresses, process, .. } = hosts;
    let own = &addresses[*process];
    let listener = TcpListener::bind(own).and_then(|listener| listener.set_nonblocking(true).map(|()| listener));
    let listener = listener.map_err(|error| format!("process {process} cannot listen at `{own}`: {error}"))?;
    let until = Instant::now() + PATIENCE;
    let mut sockets: Vec<Option<TcpStream>> = Vec::new();
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
        socket.write_all(&greeting(hosts, *process)).and_then(|()| socket.set_nodelay(true)).map_err(failed)?;
        let answer = heard(&mut socket).map_err(failed)?;
        if answer != greeting(hosts, other) {
            return Err(format!(
                "who answers at `{address}` is not process {other} of a cluster with as many processes and workers"
            ));
        }
        sockets.push(Some(socket));
    }
    sockets.resize_with(addresses.len(), || None);
    while let Some(missing) = (process + 1..addresses.len()).find(|other| sockets[*other].is_none()) {
        match listener.accept() {
            Ok((mut socket, _)) => {
                // Somebody who says nothing sensible is not one of us.
                let Ok(said) = socket.set_nonblocking(false).and_then(|()| heard(&mut socket)) else { continue };
                let caller = (process + 1..addresses.len()).find(|other| said == greeting(hosts, *other));
                let answered = socket.write_all(&greeting(hosts, *process)).and_then(|()| socket.set_nodelay(true));
                if let (Some(caller), Ok(())) = (caller, answered) {
                    sockets[caller] = Some(socket);
                }
            }
            Err(_) if Instant::now() > until => {
                return Err(format!("process {missing} at `{}` has not called", addresses[missing]));
            }
            Err(_) => sleep(AGAIN),
        }
    }
    Ok(sockets)
}

/// What somebody says first.
fn heard(socket: &mut TcpStream) -> io::Result<Greeting> {
    let mut said = Greeting::default();
    socket.set_read_timeout(Some(SAYS))?;
    socket.read_exact(&mut said)?;
    socket.set_read_timeout(None)?;
    Ok(said)
}
