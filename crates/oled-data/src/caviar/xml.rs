//! The XML of a video: frames with tracked persons and with groups of them.

use std::borrow::Cow;

use oled::{Facts, Frame};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::Video;
use super::vocabulary::Vocabulary;
use crate::error::{Problem, ProblemKind};
use crate::sink::Sink;

/// Ids are small numbers; a larger one is a mistake, and not worth the names of all below it.
const MOST_PERSONS: usize = 1 << 16;

const HINT: &str = "is the file the ground truth of a video of CAVIAR's first set?";

/// The role of what is left behind, in the XML a person like all others.
const OBJECT: &str = "leaving object";

/// A person or a group in a frame. Of several hypotheses the first counts; there is never more than one.
struct Item<'a> {
    id: Option<usize>,
    /// x, y, width and height.
    place: [Option<i64>; 4],
    texts: [Option<Cow<'a, str>>; Field::COUNT],
    /// The first thing wrong with it.
    problem: Option<Problem>,
    at: usize,
}

/// An element whose text counts.
#[derive(Clone, Copy)]
enum Field {
    Orientation,
    Appearance,
    Movement,
    Role,
    Situation,
    Members,
}

impl Field {
    const COUNT: usize = 6;

    fn of(name: &str) -> Option<Field> {
        match name {
            "orientation" => Some(Field::Orientation),
            "appearance" => Some(Field::Appearance),
            "movement" => Some(Field::Movement),
            "role" => Some(Field::Role),
            "situation" => Some(Field::Situation),
            "members" => Some(Field::Members),
            _ => None,
        }
    }
}

impl<'a> Item<'a> {
    fn start(tag: &BytesStart<'_>, at: usize) -> Item<'a> {
        let mut item = Item { id: None, place: [None; 4], texts: Default::default(), problem: None, at };
        item.id = number(tag, "id", at).and_then(|id| to_id(id, at)).map_err(|p| item.fail(p)).ok();
        item
    }

    fn fail(&mut self, problem: Problem) {
        self.problem.get_or_insert(problem);
    }

    fn set_place(&mut self, tag: &BytesStart<'_>, at: usize) {
        for (slot, key) in ["xc", "yc", "w", "h"].into_iter().enumerate() {
            match number(tag, key, at) {
                Ok(number) => self.place[slot] = Some(number),
                Err(problem) => self.fail(problem),
            }
        }
    }

    fn text(&self, field: Field) -> Option<&str> {
        self.texts[field as usize].as_deref().map(str::trim)
    }

    /// The facts about a person.
    fn person(mut self, video: &Video, words: &mut Vocabulary, frame: &mut Frame) -> Result<(), Problem> {
        if let Some(problem) = self.problem.take() {
            return Err(problem);
        }
        let missing =
            |what: &str| Problem::new(ProblemKind::Missing, self.at, format!("the person has no {what}")).hint(HINT);
        let id = self.id.ok_or_else(|| missing("id"))?;
        let [Some(x), Some(y), Some(w), Some(h)] = self.place else { return Err(missing("box")) };
        let orientation = self.text(Field::Orientation).ok_or_else(|| missing("orientation"))?;
        let orientation: i64 = orientation.parse().map_err(|_| bad_number("orientation", orientation, self.at))?;
        let appearance = self.text(Field::Appearance).ok_or_else(|| missing("appearance"))?;
        let movement = self.text(Field::Movement).ok_or_else(|| missing("movement"))?;
        let abrupt = video.abrupt.iter().any(|a| a.covers(id, frame.time));
        let movement = if abrupt { "abrupt" } else { movement };
        let who = words.person(id);
        if movement != "none" {
            frame.narrative.push(words.label(movement), &[who]);
        }
        frame.narrative.push(words.label(appearance), &[who]);
        frame.narrative.push(words.coords, &[who, x.into(), y.into()]);
        frame.narrative.push(words.size, &[who, w.into(), h.into()]);
        frame.narrative.push(words.orientation, &[who, orientation.into()]);
        Ok(())
    }

    /// What a group's situation says about its members, of whom some are objects.
    fn group(&self, objects: &[usize], words: &mut Vocabulary, frame: &mut Frame) -> Result<(), Problem> {
        let Some((signature, both_orders)) = self.text(Field::Situation).and_then(|s| words.situation(s)) else {
            return Ok(());
        };
        let mut members = Vec::new();
        for member in self.text(Field::Members).unwrap_or("").split([',', ' ']).filter(|m| !m.is_empty()) {
            let id = member.parse().map_err(|_| bad_number("member", member, self.at))?;
            members.push(to_id(id, self.at)?);
        }
        for (i, &p) in members.iter().enumerate() {
            for &q in &members[i + 1..] {
                // One order means: the person first, then the object.
                let (p, q) = if !both_orders && objects.contains(&p) { (q, p) } else { (p, q) };
                let (p, q) = (words.person(p), words.person(q));
                for pair in [[p, q], [q, p]].into_iter().take(1 + usize::from(both_orders)) {
                    if !frame.annotation.contains(signature, &pair) {
                        frame.annotation.push(signature, &pair);
                    }
                }
            }
        }
        Ok(())
    }
}

fn bad_number(what: &str, text: &str, at: usize) -> Problem {
    Problem::new(ProblemKind::BadNumber, at, format!("the {what} `{text}` is not an integer")).hint(HINT)
}

fn to_id(number: i64, at: usize) -> Result<usize, Problem> {
    usize::try_from(number)
        .ok()
        .filter(|id| *id < MOST_PERSONS)
        .ok_or_else(|| bad_number("id", &number.to_string(), at).hint(format!("ids are below {MOST_PERSONS}")))
}

/// An attribute that is an integer.
fn number(tag: &BytesStart<'_>, key: &str, at: usize) -> Result<i64, Problem> {
    let attribute = tag.attributes().with_checks(false).flatten().find(|a| a.key.0 == key);
    let Some(attribute) = attribute else {
        let message = format!("`<{}>` has no attribute `{key}`", tag.name().0);
        return Err(Problem::new(ProblemKind::Missing, at, message).hint(HINT));
    };
    attribute.value.trim().parse().map_err(|_| bad_number(&format!("attribute {key}"), &attribute.value, at))
}

/// Reads a video. A problem with a person, a group or a frame leaves that one out where it is forgiven.
pub(super) fn read(text: &str, video: &Video, words: &mut Vocabulary, sink: &mut Sink) -> Result<(), Problem> {
    let mut reader = Reader::from_str(text);
    let mut scene =
        Scene { video, words, sink, frame: None, item: None, field: None, objects: Vec::new(), room: (0, 0) };
    let mut complete = false;
    loop {
        let at = reader.buffer_position() as usize;
        let event = reader.read_event().map_err(|error| xml_problem(&error, reader.error_position() as usize, text))?;
        match event {
            Event::Start(tag) => scene.start(&tag, at)?,
            Event::Empty(tag) => {
                scene.start(&tag, at)?;
                scene.end(tag.name().0)?;
            }
            Event::Text(content) => {
                if let (Some(field), Some(item)) = (scene.field, &mut scene.item) {
                    item.texts[field as usize].get_or_insert(content.into_inner());
                }
            }
            Event::End(tag) => {
                complete |= tag.name().0 == "dataset";
                scene.end(tag.name().0)?;
            }
            Event::Eof if complete => return Ok(()),
            Event::Eof => return Err(truncated(text)),
            _ => {}
        }
    }
}

/// Where in a video reading has come to.
struct Scene<'a, 'w> {
    video: &'w Video,
    words: &'w mut Vocabulary,
    sink: &'w mut Sink,
    /// The open frame and where it starts.
    frame: Option<(Frame, usize)>,
    /// The open person or group.
    item: Option<Item<'a>>,
    /// The open element whose text counts.
    field: Option<Field>,
    /// Which persons of the frame are objects.
    objects: Vec<usize>,
    /// Numbers of facts and values of the last frame: the next one will be of about the same size.
    room: (usize, usize),
}

impl Scene<'_, '_> {
    fn start(&mut self, tag: &BytesStart<'_>, at: usize) -> Result<(), Problem> {
        match tag.name().0 {
            "frame" => match number(tag, "number", at) {
                Ok(time) => {
                    let narrative = Facts::with_capacity(self.room.0, self.room.1);
                    self.frame = Some((Frame { narrative, ..Frame::new(self.video.name, time) }, at));
                }
                Err(problem) => self.sink.skip_or_fail(problem)?,
            },
            "object" | "group" => self.item = Some(Item::start(tag, at)),
            "box" => {
                if let Some(item) = &mut self.item {
                    item.set_place(tag, at);
                }
            }
            name => self.field = Field::of(name),
        }
        Ok(())
    }

    fn end(&mut self, name: &str) -> Result<(), Problem> {
        self.field = None;
        match name {
            "object" | "group" => {
                let (Some(item), Some((frame, _))) = (self.item.take(), &mut self.frame) else { return Ok(()) };
                let result = if name == "group" {
                    item.group(&self.objects, self.words, frame)
                } else {
                    if item.text(Field::Role) == Some(OBJECT) {
                        self.objects.extend(item.id);
                    }
                    item.person(self.video, self.words, frame)
                };
                result.or_else(|problem| self.sink.skip_or_fail(problem))
            }
            "frame" => {
                self.objects.clear();
                let Some((frame, at)) = self.frame.take() else { return Ok(()) };
                self.room = (frame.narrative.len(), frame.narrative.value_count());
                match self.sink.admit(frame.segment, frame.time) {
                    Ok(()) => {
                        self.sink.push(frame);
                        Ok(())
                    }
                    Err(problem) => self.sink.skip_or_fail(problem.at(at)),
                }
            }
            _ => Ok(()),
        }
    }
}

fn truncated(text: &str) -> Problem {
    Problem::new(ProblemKind::Truncated, text.trim_end().len(), "the XML ends before `</dataset>`")
        .hint("it was probably cut off while it was written, or it is not the ground truth of a CAVIAR video")
}

fn xml_problem(error: &quick_xml::Error, at: usize, text: &str) -> Problem {
    match error {
        // All of these are about something that is not closed before the end.
        quick_xml::Error::Syntax(_) => truncated(text),
        _ => Problem::new(ProblemKind::Syntax, at, format!("broken XML: {error}")).hint(HINT),
    }
}
