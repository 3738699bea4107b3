//! Points of time in records. Owns what is one; must never ask a clock.

/// The one form in which points of time are kept, `YYYY-MM-DDTHH:MM:SS.ffffffZ`, so that they are
/// ordered as texts are; nothing for a text that is no time in UTC (RFC 3339 with `Z`).
#[must_use]
pub fn canonical(text: &str) -> Option<String> {
    let whole = text.strip_suffix('Z')?;
    let (whole, fraction) = whole.split_once('.').unwrap_or((whole, "0"));
    if whole.len() != 19 || fraction.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let shape = b"0000-00-00T00:00:00";
    let fits = |(byte, like): (u8, &u8)| if *like == b'0' { byte.is_ascii_digit() } else { byte == *like };
    if !whole.bytes().zip(shape).all(fits) {
        return None;
    }
    let number = |from: usize, to: usize| whole.get(from..to)?.parse::<u32>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let clock = number(11, 13)? < 24 && number(14, 16)? < 60 && number(17, 19)? < 60;
    let dated = year > 0 && day > 0 && day <= days(year, month)?;
    let micros: String = fraction.chars().chain("000000".chars()).take(6).collect();
    (clock && dated).then(|| format!("{whole}.{micros}Z"))
}

/// How many days a month has.
fn days(year: u32, month: u32) -> Option<u32> {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let lengths = [31, 28 + u32::from(leap), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    lengths.get(usize::try_from(month.checked_sub(1)?).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_one_form() {
        let kept = |text| canonical(text).unwrap_or_default();
        assert_eq!(kept("2026-12-03T12:00:00.000001Z"), "2026-12-03T12:00:00.000001Z");
        assert_eq!(kept("2024-02-29T23:59:59Z"), "2024-02-29T23:59:59.000000Z");
        assert_eq!(kept("2024-02-29T23:59:59.1234567899Z"), "2024-02-29T23:59:59.123456Z");
    }

    #[test]
    fn what_a_database_would_refuse_is_none() {
        let wrong = [
            "",
            "Z",
            "2026-12-03",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:60Z",
            "0000-01-01T00:00:00Z",
            "2026-01-01T00:00:00+00:00",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00.1xZ",
            "2026-01-01 00:00:00Z",
            "+026-01-01T00:00:00Z",
        ];
        for text in wrong {
            assert_eq!(canonical(text), None, "{text}");
        }
    }
}
