//! Scalability: the plot of time and work, and its numbers.

use super::super::number::{count, mean, or_nothing, quantity};
use super::super::svg::{LINES, scale, scale_key};
use super::{Section, TABLE_END, table_start};
use crate::results::Results;

/// The section of scalability.
pub(super) fn section(results: &Results) -> Option<Section> {
    let points = &results.scalability;
    let mut body = String::from("<p>The cost of learning when everything happens several times at once.</p>\n");
    if let Some(plot) = scale(points) {
        let published = points.iter().any(|p| p.published_seconds.is_some());
        let timed = points.iter().any(|p| p.seconds.is_some());
        body.push_str("<ul class=\"legend\">");
        for (class, mark, name) in LINES {
            if (class != "theirs" || published) && (class != "seconds" || timed) {
                put!(body, "<li>{} {name}</li>", scale_key(class, mark));
            }
        }
        put!(body, "</ul>\n<figure class=\"wide\">{plot}</figure>\n");
    }
    body.push_str(&table_start("Means for a time point.", "", "Scalability"));
    body.push_str("<thead><tr>");
    let names =
        ["Copies", "Time points", "Entities", "Head instances", "Literals evaluated", "Seconds", "Published seconds"];
    names.iter().for_each(|name| put!(body, "<th scope=\"col\" class=\"n\">{name}</th>"));
    body.push_str("</tr></thead>\n<tbody>\n");
    for point in points {
        put!(body, "<tr><th scope=\"row\" class=\"n\">{}</th>", count(point.copies));
        let values = [
            count(point.interpretations),
            mean(point.entities),
            mean(point.instances),
            mean(point.literals),
            or_nothing(point.seconds, quantity),
            or_nothing(point.published_seconds, quantity),
        ];
        values.iter().for_each(|value| put!(body, "<td class=\"n\">{value}</td>"));
        body.push_str("</tr>\n");
    }
    body.push_str(TABLE_END);
    (!points.is_empty()).then_some(Section { id: "scalability", title: "Scalability", body })
}
