//! Zones: how far the clocks of places are ahead of UTC, by the names of the IANA database, which comes with the program.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use oled::lang::{Zone, did_you_mean};

/// Changes of clocks are known up to the year 2100: seconds since 1970 began. What laws say of later years is a guess in any case;
/// with twice as many years there are twice as many changes to look through.
const LAST: i64 = 4_102_444_800;

/// The zone of a name, or what to do about a name that nobody knows.
pub(crate) fn find(name: &str) -> Result<Zone, String> {
    let Ok(zone) = TimeZone::get(name) else { return Err(remedy(name)) };
    let first = i64::from(zone.to_offset(Timestamp::MIN).seconds());
    let mut changes: Vec<(i64, i64)> = Vec::new();
    for change in zone.following(Timestamp::MIN) {
        let since = change.timestamp().as_second();
        if since >= LAST {
            break;
        }
        let ahead = i64::from(change.offset().seconds());
        // Some changes are of the name of a time only.
        if changes.last().map_or(first, |(_, before)| *before) != ahead {
            changes.push((since, ahead));
        }
    }
    Ok(Zone::new(zone.iana_name().unwrap_or(name), first, &changes))
}

fn remedy(name: &str) -> String {
    let known: Vec<String> = jiff::tz::db().available().map(|known| known.to_string()).collect();
    let form = "write the name of a place as the IANA database has it, `zone = \"Europe/Athens\"`, or how far its clock is \
                ahead of UTC, `zone = \"+02:00\"`";
    // Whoever leaves the continent out means a place.
    let place = |known: &&String| known.rsplit('/').next().is_some_and(|place| place.eq_ignore_ascii_case(name));
    let near = known.iter().find(place).map(String::as_str);
    match near.or_else(|| did_you_mean(name, known.iter().map(String::as_str))) {
        Some(near) => format!("did you mean `{near}`? Else {form}"),
        None => form.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_change_when_laws_say_so() {
        let athens = find("Europe/Athens").unwrap();
        // The last Sunday of March 2026, at 01:00 UTC, and of October.
        for (seconds, ahead) in
            [(1_774_745_999, 7200), (1_774_746_000, 10_800), (1_792_889_999, 10_800), (1_792_890_000, 7200)]
        {
            assert_eq!(athens.ahead(seconds), ahead, "{seconds}");
        }
        // A clock that is put forward at three skips an hour, and one that is put back shows an hour twice: the first counts.
        assert_eq!(athens.seconds(1_774_746_000 + 7200 + 1800), 1_774_746_000 + 1800);
        assert_eq!(athens.seconds(1_792_890_000 + 7200 + 1800), 1_792_890_000 - 3600 + 1800);
        assert_eq!(find("europe/athens").map(|zone| zone.name()), Ok(athens.name()));
        assert!(find("UTC").unwrap().changes().is_empty());
        assert_eq!(find("Asia/Kolkata").unwrap().ahead(1_774_746_000), 19_800);
    }

    #[test]
    fn an_unknown_name_gets_the_nearest_one() {
        for (name, near) in
            [("Europe/Athen", "Europe/Athens"), ("athens", "Europe/Athens"), ("Amerika/Lima", "America/Lima")]
        {
            let hint = find(name).unwrap_err();
            assert!(hint.starts_with(&format!("did you mean `{near}`?")), "{hint}");
        }
        assert!(find("summer").unwrap_err().contains("IANA"));
    }
}
