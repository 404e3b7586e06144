//! Registry: the learners XHAIL and ILED as specs, which are there also where the program is built without clingo.

use oled::registry::{Effective, LearnerSpec, NotMade};

use crate::settings::{ILED_SETTINGS, IledSettings, XHAIL_SETTINGS, XhailSettings};

/// The learners of this crate.
pub static LEARNERS: [LearnerSpec; 2] = [
    LearnerSpec {
        name: "xhail",
        about: "a batch learner on clingo: abduction, then the best theory within a kernel",
        settings: &XHAIL_SETTINGS,
        presets: &[],
        usual_preset: None,
        section: None,
        effective: |_, named| {
            let settings = xhail_settings(named)?;
            Ok(Effective { text: format!("{settings:?}"), capabilities: XhailSettings::CAPABILITIES })
        },
        maker: |task, wishes| {
            let settings = xhail_settings(&(wishes.settings)(None)).map_err(NotMade::Wishes)?;
            #[cfg(feature = "clingo")]
            return Ok(Box::new(crate::Xhail::new(task, settings)?));
            #[cfg(not(feature = "clingo"))]
            return Err(without_clingo("xhail", task, settings));
        },
    },
    LearnerSpec {
        name: "iled",
        about: "an incremental learner on clingo, for annotation without noise",
        settings: &ILED_SETTINGS,
        presets: &[],
        usual_preset: None,
        section: None,
        effective: |_, named| {
            let settings = iled_settings(named)?;
            Ok(Effective { text: format!("{settings:?}"), capabilities: IledSettings::CAPABILITIES })
        },
        maker: |task, wishes| {
            let settings = iled_settings(&(wishes.settings)(None)).map_err(NotMade::Wishes)?;
            #[cfg(feature = "clingo")]
            return Ok(Box::new(crate::Iled::new(task, settings)?));
            #[cfg(not(feature = "clingo"))]
            return Err(without_clingo("iled", task, settings));
        },
    },
];

fn xhail_settings(named: &[(String, String)]) -> Result<XhailSettings, String> {
    let mut settings = XhailSettings::default();
    named.iter().try_for_each(|(name, value)| settings.set(name, value))?;
    Ok(settings)
}

fn iled_settings(named: &[(String, String)]) -> Result<IledSettings, String> {
    let mut settings = IledSettings::default();
    named.iter().try_for_each(|(name, value)| settings.set(name, value))?;
    Ok(settings)
}

/// Why a learner is not there.
#[cfg(not(feature = "clingo"))]
fn without_clingo<T>(learner: &str, _: &oled::Task, _: T) -> NotMade {
    let how = crate::HOW_TO_SWITCH_ON;
    NotMade::Wishes(format!("the learner `{learner}` needs clingo, which this program is built without\nhint: {how}"))
}
