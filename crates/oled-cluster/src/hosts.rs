//! Hosts: the processes of a cluster, one address a line, as timely has them.

use std::any::Any;
use std::net::ToSocketAddrs;
use std::path::Path;

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
