//! What happens at any time: rows of payments, names that take turns; and what two have in common.

use super::*;

#[test]
fn rows_that_come_at_any_time_are_events_that_are_counted_and_waited_for() {
    // Three small payments in a row; the last payment is long ago when it is over.
    let (mut rows, mut labels) = (Vec::new(), String::from("fluent,card,start,end\n"));
    for card in 0..12 {
        let mut time = 100 * card;
        for group in 0..25 {
            let many = chance(100 * card + group, 3) == 0;
            let first = time;
            for number in 0..if many { 3 + chance(card + group, 3) } else { 1 + chance(card - group, 3) } {
                time += 20 + chance(7 * time + card, 60);
                let small = many || chance(time, 4) == 0;
                let amount = if small { 1 + chance(3 * time, 200) } else { 500 + chance(5 * time, 5000) };
                rows.push((time, card, amount));
                if many && number == 2 {
                    write!(labels, "testing,c{card},{}", time + 1).unwrap();
                }
            }
            assert!(time > first);
            if many {
                writeln!(labels, ",{}", time + 900).unwrap();
            }
            time += 2_000 + chance(11 * time, 9_000);
        }
    }
    rows.sort_unstable();
    let mut text = String::from("time,card,amount,place\n");
    rows.iter().for_each(|(time, card, amount)| writeln!(text, "{time},c{card},{amount},shop").unwrap());
    let tables = Tables::new(&[("payments.csv", &text), ("labels.csv", &labels)]);
    let draft = tables.draft();
    assert!(
        draft.manifest.contains("\"happensAt(payments(card))\"") && draft.manifest.contains("\ntick = "),
        "{}",
        draft.manifest
    );
    let (theory, f1) = tables.learned();
    assert!(f1 > 0.95 && theory.contains("payments_count_") && theory.contains("payments_quiet(X0, "), "{f1} {theory}");
}

#[test]
fn a_gauge_that_reports_by_a_clock_does_not_make_events_of_its_rows() {
    let mut rows = String::from("time,machine,load\n");
    for (time, m) in (0..300).flat_map(|time| (0..4).map(move |m| (time, m))) {
        // Now and then a report is lost, or late, and some report less often than others.
        if chance(time + 1000 * m, 10) > 0 && (m < 2 || time % 7 == 0) {
            writeln!(rows, "{},m{m},{}", 1000 + 10 * time + chance(time * m, 5), level(m, time, 3, 100)).unwrap();
        }
    }
    let mut labels = String::from("fluent,machine,start,end\n");
    (0..4).for_each(|m| writeln!(labels, "busy,m{m},{},{}", 1500 + 70 * m, 1700 + 70 * m).unwrap());
    let draft = Tables::new(&[("loads.csv", &rows), ("labels.csv", &labels)]).draft();
    assert!(!draft.manifest.contains("happensAt") && !draft.manifest.contains("tick"), "{}", draft.manifest);
}

#[test]
fn names_that_take_turns_among_others_say_what_it_is_between() {
    // A valve that is open or closed, beside resets; high pressure behind a closed valve is a fault until somebody resets it.
    let (mut rows, mut log, mut labels) = (
        String::from("time,machine,pressure\n"),
        String::from("time,machine,event\n"),
        String::from("fluent,machine,start,end\n"),
    );
    for m in 0..6 {
        let (mut closed, mut fault) = (false, None);
        for time in 0..400 {
            if chance(time + 10_000 * m, 25) == 0 {
                closed = !closed;
                writeln!(log, "{time},m{m},valve {}", if closed { "closed" } else { "open" }).unwrap();
            }
            let pressure = level(m, time, 5, 100);
            if chance(3 * time + 777 * m, 30) == 0 {
                writeln!(log, "{time},m{m},reset").unwrap();
                if let Some(start) = fault.take() {
                    writeln!(labels, "fault,m{m},{start},{time}").unwrap();
                }
            } else if closed && pressure > 80 {
                fault.get_or_insert(time + 1);
            }
            writeln!(rows, "{time},m{m},{pressure}").unwrap();
        }
        if let Some(start) = fault {
            writeln!(labels, "fault,m{m},{start},400").unwrap();
        }
    }
    let tables = Tables::new(&[("pressure.csv", &rows), ("log.csv", &log), ("labels.csv", &labels)]);
    let draft = tables.draft();
    assert!(draft.background.contains("event_turn('valve closed')."), "{}", draft.background);
    assert!(!draft.background.contains("event_turn(reset)."), "{}", draft.background);
    let (theory, f1) = tables.learned();
    assert!(f1 > 0.99 && theory.contains("event_since(X0, 'valve closed', T)"), "{f1} {theory}");
}

#[test]
fn rules_about_two_may_ask_whether_they_are_in_the_same_state() {
    let place = |p: i64, t: i64, axis: i64| chance(1000 * p + t / 3 + 50_000 * axis, 10);
    let near = |a: i64, b: i64, t: i64| {
        (place(a, t, 0) - place(b, t, 0)).pow(2) + (place(a, t, 1) - place(b, t, 1)).pow(2) <= 9
    };
    let (mut rows, mut labels) = (String::from("time,player,team,x,y\n"), String::from("fluent,one,other,start,end\n"));
    for t in 0..200 {
        for p in 0..6 {
            writeln!(rows, "{t},p{p},{},{},{}", ["red", "blue"][p as usize % 2], place(p, t, 0), place(p, t, 1))
                .unwrap();
            for other in (0..6).filter(|other| other % 2 != p % 2 && near(p, *other, t)) {
                writeln!(labels, "duel,p{p},p{other},{t},{t}").unwrap();
            }
        }
    }
    let (theory, f1) = Tables::new(&[("track.csv", &rows), ("labels.csv", &labels)]).learned();
    assert!(f1 > 0.99 && theory.contains("not same_team(X0, X1, T)"), "{f1} {theory}");
}

#[test]
fn names_with_line_ends_do_not_end_the_comments_of_a_draft() {
    let (mut log, mut labels) = (String::from("time,door,event\n"), String::from("fluent,door,start,end\n"));
    for time in 0..60 {
        let name = ["\"opened,\nby hand\"", "knock", "closed"][time % 3];
        writeln!(log, "{},d,{name}", 10 * time).unwrap();
    }
    (0..4).for_each(|n| writeln!(labels, "visit,d,{},{}", 100 * n + 10, 100 * n + 40).unwrap());
    let draft = Tables::new(&[("log.csv", &log), ("labels.csv", &labels)]).draft();
    assert!(draft.background.contains("take turns"), "{}", draft.background);
    TaskFolder::from_texts("drafted", &draft.manifest, &draft.modes, &draft.background).unwrap();
}

#[test]
fn rows_about_two_are_asked_about_each_of_them_where_labels_are_about_one() {
    // Whoever sends three large messages within a short while is labelled, and whoever receives three is something else.
    let (mut rows, mut labels) = (Vec::new(), String::from("fluent,sender,start,end\n"));
    for host in 0..12 {
        let mut time = 17 * host;
        for group in 0..20 {
            let (kind, other) = (chance(100 * host + group, 8), (host + 1 + chance(host + 7 * group, 11)) % 12);
            for number in 0..if kind < 2 { 6 } else { 1 } {
                time += 3 + chance(5 * time + host, 4);
                let bytes = if kind < 2 { 900 + chance(time, 90) } else { 10 + chance(3 * time, 400) };
                let (from, to) = if kind == 1 { (other, host) } else { (host, other) };
                rows.push((time, from, to, bytes));
                if kind < 2 && number == 2 {
                    write!(labels, "{},h{host},{time}", ["flooding", "flooded"][kind as usize]).unwrap();
                }
            }
            if kind < 2 {
                writeln!(labels, ",{}", time + 20).unwrap();
            }
            time += 60 + chance(11 * time, 300);
        }
    }
    rows.sort_unstable();
    let mut text = String::from("time,sender,receiver,bytes\n");
    rows.iter().for_each(|(time, a, b, bytes)| writeln!(text, "{time},h{a},h{b},{bytes}").unwrap());
    let tables = Tables::new(&[("messages.csv", &text), ("labels.csv", &labels)]);
    let draft = tables.draft();
    for fact in ["bytes(sender, bytes)", "receiver_bytes(receiver, bytes)", "happensAt(receiver_messages(receiver))"] {
        assert_eq!(draft.manifest.matches(&format!("\"{fact}\"")).count(), 1, "{}", draft.manifest);
    }
    assert_eq!(draft.manifest.matches("[[table]]").count(), 1, "{}", draft.manifest);
    assert!(!draft.manifest.contains("segment ="), "a row is about two, and of no segment of one: {}", draft.manifest);
    let (theory, f1) = tables.learned();
    let of = |fluent: &str, condition: &str| theory.contains(&format!("({fluent}(X0), T) :-\n    {condition}"));
    assert!(f1 > 0.5 && of("flooded", "receiver_bytes_") && of("flooding", "bytes_"), "{f1} {theory}");
}
