//! Points of time as text (RFC 3339, UTC, microseconds). Must never ask a clock.

use std::time::{Duration, SystemTime};

const DAY: u64 = 86_400;

/// The text of a point of time; everything before 1970 is its beginning.
#[must_use]
pub fn rfc3339(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let (days, second) = (since.as_secs() / DAY, since.as_secs() % DAY);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let micros = since.subsec_micros();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
}

/// The date that lies some days after 1970-01-01. The calendar is counted from 1 March, so that the
/// leap day ends a year, in eras of 400 years.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day_of_month = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + u64::from(month <= 2), month, day_of_month)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64, micros: u64) -> String {
        rfc3339(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds) + Duration::from_micros(micros))
    }

    #[test]
    fn known_points() {
        assert_eq!(at(0, 0), "1970-01-01T00:00:00.000000Z");
        assert_eq!(at(951_782_399, 999_999), "2000-02-28T23:59:59.999999Z");
        assert_eq!(at(951_782_400, 0), "2000-02-29T00:00:00.000000Z");
        assert_eq!(at(1_709_251_199, 0), "2024-02-29T23:59:59.000000Z");
        assert_eq!(at(4_102_444_800, 1), "2100-01-01T00:00:00.000001Z");
        assert_eq!(at(253_402_300_799, 0), "9999-12-31T23:59:59.000000Z");
        assert_eq!(rfc3339(SystemTime::UNIX_EPOCH - Duration::from_secs(1)), at(0, 0));
    }

    /// Every day of 800 years follows the one before it.
    #[test]
    fn days_follow_each_other() {
        let leap =
            |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let length = |year, month| match month {
            2 => 28 + u64::from(leap(year)),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        let mut expected = (1970, 1, 1);
        for days in 0..292_200 {
            assert_eq!(civil(days), expected, "day {days}");
            let (year, month, day) = expected;
            expected = match (day == length(year, month), month) {
                (false, _) => (year, month, day + 1),
                (true, 12) => (year + 1, 1, 1),
                (true, _) => (year, month + 1, 1),
            };
        }
    }
}
