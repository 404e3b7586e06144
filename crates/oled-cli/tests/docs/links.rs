//! Links: each leads to a page or a heading that is there.

use std::ops::Range;

use super::page::blocks;
use super::{chapters, pages, read, root, shown};

#[test]
fn every_chapter_is_in_the_summary_and_every_entry_is_a_chapter() {
    let summary = read(&root().join("book/src/SUMMARY.md"));
    for chapter in chapters() {
        let name = chapter.file_name().unwrap().to_string_lossy().into_owned();
        assert!(summary.contains(&format!("({name})")), "{name} is not in SUMMARY.md");
    }
}

#[test]
fn every_link_and_every_picture_is_there() {
    let mut pages = pages();
    let others = ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "book/src/SUMMARY.md", "tasks/lobby/README.md"];
    pages.extend(others.map(|name| root().join(name)));
    let mut broken = Vec::new();
    for page in &pages {
        for link in links(&read(page)) {
            if link.starts_with("http://") || link.starts_with("https://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').map_or((link.as_str(), None), |(f, a)| (f, Some(a)));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            let found = target.exists() && anchor.is_none_or(|a| anchors(&read(&target)).contains(&a.to_string()));
            if !found {
                broken.push(format!("{}: {link}", shown(page)));
            }
        }
    }
    assert!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
}

/// The lines that are not in blocks.
fn prose(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let inside: Vec<Range<usize>> = blocks(&lines).into_iter().map(|b| b.lines.start - 1..b.lines.end + 1).collect();
    (0..lines.len()).filter(|i| !inside.iter().any(|r| r.contains(i))).map(|i| lines[i]).collect()
}

/// What links of a page point to: `[text](target)`, outside of code.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    for line in prose(text) {
        let plain: String = line.split('`').step_by(2).collect::<Vec<_>>().join("code");
        for part in plain.split("](").skip(1) {
            links.extend(part.split_once(')').map(|(target, _)| target.to_string()));
        }
    }
    links
}

/// The anchors of a page's headings, as mdBook and GitHub make them.
fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).into_iter().filter(|l| l.starts_with('#'));
    headings
        .map(|heading| {
            let title = heading.trim_start_matches('#').trim().to_lowercase();
            title
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
                .collect::<String>()
                .replace(' ', "-")
        })
        .collect()
}
