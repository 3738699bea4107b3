//! A bound that a check in CI sets: `deny>0.5%`. Owns its spelling.

use super::Tally;
use std::fmt;
use std::str::FromStr;

/// What is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Deny,
    Ask,
    NewDeny,
}

const WHATS: [(&str, What); 3] = [("deny", What::Deny), ("ask", What::Ask), ("new-deny", What::NewDeny)];

/// A bound, which must not be exceeded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    what: What,
    most: f64,
    is_share: bool,
}

/// A text that is no bound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no bound: write deny, ask or new-deny, then `>` and a number or a percentage, such as `deny>0.5%`"
)]
pub struct LimitError(String);

impl FromStr for Limit {
    type Err = LimitError;

    fn from_str(text: &str) -> Result<Self, LimitError> {
        let parsed = || {
            let (name, number) = text.split_once('>')?;
            let (_, what) = WHATS.into_iter().find(|(known, _)| *known == name.trim())?;
            let share = number.trim().strip_suffix('%');
            let most: f64 = share.unwrap_or(number).trim().parse().ok()?;
            (most.is_finite() && most >= 0.0).then_some(Self { what, most, is_share: share.is_some() })
        };
        parsed().ok_or_else(|| LimitError(text.to_owned()))
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = WHATS.iter().find(|(_, what)| *what == self.what).map_or("", |(name, _)| name);
        write!(formatter, "{name}>{}{}", self.most, if self.is_share { "%" } else { "" })
    }
}

impl Limit {
    /// Whether counts exceed it. Nothing exceeds a share of no calls.
    #[must_use]
    pub fn is_exceeded(&self, tally: &Tally) -> bool {
        let count = match self.what {
            What::Deny => tally.denied,
            What::Ask => tally.asked,
            What::NewDeny => tally.newly_denied(),
        };
        let most = if self.is_share { self.most / 100.0 * tally.calls as f64 } else { self.most };
        count as f64 > most
    }

    /// Whether it needs another policy to compare with.
    #[must_use]
    pub fn compares(&self) -> bool {
        self.what == What::NewDeny
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exceeded(limit: &str, denied: u64, calls: u64) -> Option<bool> {
        let tally = Tally { denied, calls, ..Tally::default() };
        Some(limit.parse::<Limit>().ok()?.is_exceeded(&tally))
    }

    #[test]
    fn bounds() {
        assert_eq!(exceeded("deny>0.5%", 5, 1000), Some(false));
        assert_eq!(exceeded("deny>0.5%", 6, 1000), Some(true));
        assert_eq!(exceeded("deny > 5", 5, 10), Some(false));
        assert_eq!(exceeded("deny>0", 1, 10), Some(true));
        assert_eq!(exceeded("deny>0%", 0, 0), Some(false));
        for wrong in ["deny", "deny>", "deny>x%", "deny>-1", "deny>NaN", "drop>1", "deny<1", ">1"] {
            assert_eq!(exceeded(wrong, 0, 0), None, "{wrong}");
        }
        assert_eq!(
            "new-deny> 0.5 %".parse().map(|limit: Limit| limit.to_string()),
            Ok("new-deny>0.5%".to_owned())
        );
    }
}
