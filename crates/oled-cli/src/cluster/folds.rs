//! Folds in a cluster: each part of an experiment is worked on by one of the processes, and the first one reports.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use oled::partition::{Place, Told, Worker};
use oled::{Frame, StateError, Symbol};
use oled_cluster::{Finished, Head, Hosts, Kept, Make, Next, SHARDS};
use oled_experiment::{Experiment, Store};

use crate::Outcome;
use crate::experiment::{CrossvalArgs, crossval_of, finish, open_store};

/// A worker that runs parts: their numbers come as times.
struct Runs(Arc<Experiment>);

impl Worker for Runs {
    fn over(&mut self, _: Symbol, _: &Place, _: &mut Vec<Told>) {}

    fn frame(&mut self, frame: &Frame, place: &Place, told: &mut Vec<Told>) -> Result<(), String> {
        let store = Store::in_memory();
        let ran = self.0.run_one(usize::try_from(frame.time).unwrap_or(usize::MAX), &store);
        let lines = ran.and_then(|()| store.lines()).map_err(|error| error.to_string())?;
        told.extend(lines.into_iter().map(|text| Told { frame: place.frame, rank: 1, text, made: Vec::new(), tag: 0 }));
        Ok(())
    }

    fn end(&mut self, _: &mut Vec<Told>) {}

    fn save(&mut self) -> Vec<u8> {
        Vec::new()
    }

    fn restore(&mut self, _: &[u8]) -> Result<(), StateError> {
        Ok(())
    }
}

/// The head: numbers of parts out, and what came of them into the store, which is on disk at once.
struct Parts {
    left: std::vec::IntoIter<usize>,
    store: Arc<Mutex<Store>>,
}

impl Head for Parts {
    fn epoch(&self) -> u64 {
        1
    }

    fn shard(&self, frame: &Frame) -> u64 {
        frame.time as u64 % SHARDS as u64
    }

    fn is_interleaved(&self) -> bool {
        true
    }

    fn next(&mut self) -> Next {
        let Some(number) = self.left.next() else { return Next::Over };
        Next::Frame(Frame::new(Symbol::new("parts"), number as i64))
    }

    fn end(&mut self) {}

    fn is_due(&mut self, _: u64) -> bool {
        false
    }

    fn position(&mut self) -> Vec<u8> {
        Vec::new()
    }

    fn write(&mut self, told: Vec<Told>) -> Result<(), String> {
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        told.iter().try_for_each(|told| store.add(&told.text)).map_err(|error| error.to_string())
    }

    fn keep(&mut self, _: &Kept) -> Result<(), String> {
        Ok(())
    }
}

pub(super) fn crossval(hosts: &Hosts, args: &CrossvalArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let is_head = hosts.process == 0;
    let experiment = Arc::new(crossval_of(args, quiet || !is_head)?);
    let hosts = &hosts.clone().agreeing(super::agreed::crossval(&experiment));
    let shared = experiment.clone();
    let make: Make = Arc::new(move || Box::new(Runs(shared.clone())));
    if !is_head {
        oled_cluster::run(hosts, make, None)?;
        return Ok(Outcome::Done);
    }
    let store = open_store(&args.run)?;
    let left = experiment.missing(&store)?.into_iter();
    let store = Arc::new(Mutex::new(store));
    let parts = Parts { left, store: store.clone() };
    let Finished { .. } =
        oled_cluster::run(hosts, make, Some((Box::new(parts), None)))?.context("the first process has a head")?;
    let store = store.lock().unwrap_or_else(PoisonError::into_inner);
    finish(&experiment, &store, args.input.workers.max(1), &args.run, quiet)
}
