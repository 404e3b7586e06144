//! Hosts: the processes of a cluster, one address a line, as timely has them.

use std::any::Any;
use std::net::{TcpListener, ToSocketAddrs};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use timely::communication::Hooks;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};

use crate::Error;
use crate::connect::connect;

/// The processes, and which of them this one is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts {
    /// An address each: `host:port`.
    pub addresses: Vec<String>,
    /// The number of this one, counted from zero.
    pub process: usize,
    /// The workers of each process; all have the same number.
    pub workers: usize,
    /// What all of them must have in common, by name: rules and options. It is compared before anything is read.
    pub agreed: Vec<(String, String)>,
}

impl Hosts {
    /// Reads the file of hosts; addresses that nobody knows are told.
    pub fn read(path: &Path, process: usize, workers: usize) -> Result<Hosts, Error> {
        let name = path.display();
        let text = std::fs::read_to_string(path).map_err(|error| {
            Error::Hosts(format!(
                "cannot read the file of hosts `{name}`: {error}\nhint: it has a line `host:port` for each process"
            ))
        })?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let addresses: Vec<String> = lines.map(Into::into).collect();
        let count = addresses.len();
        if process >= count {
            return Err(Error::Hosts(format!(
                "`{name}` names {count} hosts, so that there is no process {process}\nhint: processes are numbered from 0 on, in the order of the lines"
            )));
        }
        for (i, address) in addresses.iter().enumerate() {
            check(address).map_err(|why| {
                let hint = "write `host:port`; the name must be known on this machine: try `getent hosts NAME`";
                Error::Hosts(format!("line {} of `{name}`: `{address}` {why}\nhint: {hint}", i + 1))
            })?;
            if addresses[..i].contains(address) {
                return Err(Error::Hosts(format!(
                    "`{name}` names `{address}` twice\nhint: each process needs a port of its own"
                )));
            }
        }
        Ok(Hosts { addresses, process, workers: workers.max(1), agreed: Vec::new() })
    }

    /// The same with what all processes must have in common.
    #[must_use]
    pub fn agreeing(mut self, agreed: Vec<(String, String)>) -> Hosts {
        self.agreed = agreed;
        self
    }

    /// What workers talk to each other by, and who sees to it that all is sent.
    pub(crate) fn channels(&self) -> Result<(Vec<AllocatorBuilder>, Box<dyn Any + Send>), Error> {
        if self.addresses.len() < 2 {
            return timely::CommunicationConfig::Process(self.workers).try_build().map_err(Error::Network);
        }
        let sockets = connect(self)?;
        let hooks = Hooks::default();
        let local = ProcessBuilder::new_typed_vector(self.workers, hooks.refill.clone(), hooks.spill.clone());
        let network = initialize_networking_from_sockets(local, sockets, self.process, self.workers, hooks);
        let (builders, guard) = network.map_err(|error| Error::Network(error.to_string()))?;
        Ok((builders.into_iter().map(AllocatorBuilder::Tcp).collect(), Box::new(guard)))
    }
}

/// So many addresses of this machine whose ports are free now, to try a cluster at.
///
/// A port that the system chooses (port 0) would not stay free: it is one of those for outgoing connections, and any of these may
/// have it before the process that is meant comes to listen. These lie below, and one program is given none twice.
pub fn local(count: usize) -> std::io::Result<Vec<String>> {
    const PORTS: std::ops::Range<u32> = 10_000..30_000;
    static GIVEN: AtomicU32 = AtomicU32::new(0);
    // Programs that are started one after the other begin apart.
    let first = std::process::id().wrapping_mul(61);
    let mut addresses = Vec::with_capacity(count);
    for _ in PORTS {
        if addresses.len() == count {
            return Ok(addresses);
        }
        let given = GIVEN.fetch_add(1, Ordering::Relaxed);
        let address = format!("127.0.0.1:{}", PORTS.start + first.wrapping_add(given) % PORTS.len() as u32);
        if TcpListener::bind(&address).is_ok() {
            addresses.push(address);
        }
    }
    Err(std::io::Error::new(std::io::ErrorKind::AddrInUse, "no port of this machine is free"))
}

fn check(address: &str) -> Result<(), String> {
    let Some((_, port)) = address.rsplit_once(':') else { return Err("has no port".into()) };
    if port.parse::<u16>().is_err() {
        return Err(format!("has no port: `{port}` is none"));
    }
    let mut found = address.to_socket_addrs().map_err(|error| format!("is not known: {error}"))?;
    found.next().map(|_| ()).ok_or_else(|| "is no address".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, process: usize) -> Result<Hosts, String> {
        let path = std::env::temp_dir().join(format!("oled-hosts-{}-{process}-{}", std::process::id(), text.len()));
        std::fs::write(&path, text).unwrap();
        let read = Hosts::read(&path, process, 1);
        std::fs::remove_file(&path).unwrap();
        read.map_err(|error| error.to_string())
    }

    #[test]
    fn ports_to_try_a_cluster_at_are_free_and_not_given_twice() {
        let [one, other] = [3, 2].map(|count| local(count).unwrap());
        assert_eq!((one.len(), other.len()), (3, 2));
        assert!(other.iter().all(|address| !one.contains(address)), "{one:?}, {other:?}");
        assert!(one.iter().chain(&other).all(|address| TcpListener::bind(address).is_ok()));
    }

    #[test]
    fn hosts_are_lines_and_what_is_wrong_with_them_is_told() {
        let hosts = read("# two\nlocalhost:2101\n\nlocalhost:2102\n", 1).unwrap();
        assert_eq!((hosts.addresses.len(), hosts.process), (2, 1));
        for (text, process, expected) in [
            ("localhost:2101\n", 1, "names 1 hosts, so that there is no process 1"),
            ("localhost\n", 0, "`localhost` has no port"),
            ("localhost:port\n", 0, "`port` is none"),
            ("no-such-host.invalid:2101\n", 0, "is not known"),
            ("localhost:1\nlocalhost:1\n", 0, "twice"),
        ] {
            let error = read(text, process).unwrap_err();
            assert!(error.contains(expected) && error.contains("hint:"), "{error}");
        }
        assert!(Hosts::read(Path::new("no such file"), 0, 1).unwrap_err().to_string().contains("cannot read"));
    }
}
