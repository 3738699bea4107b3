//! The cap of a phase. Owns how many calls and touches are kept; must never cut anything else.

use super::event::Kind;

/// How many `tool.call` and `file.touch` events a phase keeps unless told.
const LIMIT: u64 = 400;

/// The state of a phase's cap. It counts across batches, guests and drains: the database keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cap {
    limit: Option<u64>,
    kept: u64,
    calls: u64,
    touches: u64,
}

impl Cap {
    /// The limit unless told.
    pub const LIMIT: u64 = LIMIT;

    /// A phase that keeps `kept` events already.
    #[must_use]
    pub fn new(limit: Option<u64>, kept: u64) -> Self {
        Self { limit, kept, calls: 0, touches: 0 }
    }

    /// Whether an event is kept. Counts it either way.
    pub fn admits(&mut self, kind: Kind) -> bool {
        if !kind.is_capped() {
            return true;
        }
        if self.limit.is_none_or(|limit| self.kept < limit) {
            self.kept += 1;
            return true;
        }
        *if kind == Kind::ToolCall { &mut self.calls } else { &mut self.touches } += 1;
        false
    }

    /// How many the phase keeps now.
    #[must_use]
    pub fn kept(&self) -> u64 {
        self.kept
    }

    /// How many calls and touches were cut.
    #[must_use]
    pub fn cut(&self) -> (u64, u64) {
        (self.calls, self.touches)
    }

    /// What an event says of the cut; nothing where nothing was cut.
    #[must_use]
    pub fn detail(&self) -> Option<String> {
        let (calls, touches) = self.cut();
        let limit = self.limit.filter(|_| calls + touches > 0)?;
        let (call, touch) = (Kind::ToolCall.name(), Kind::FileTouch.name());
        Some(format!(r#"{{"{call}":{calls},"{touch}":{touches},"limit":{limit}}}"#))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_keeps_so_many_across_drains() {
        let mut cap = Cap::new(Some(3), 1);
        let kinds = [Kind::ToolCall, Kind::Denied, Kind::FileTouch, Kind::FileTouch, Kind::ToolCall];
        assert_eq!(kinds.map(|kind| cap.admits(kind)), [true, true, true, false, false]);
        assert_eq!((cap.kept(), cap.cut()), (3, (1, 1)));
        assert_eq!(cap.detail().as_deref(), Some(r#"{"tool.call":1,"file.touch":1,"limit":3}"#));
        let mut next = Cap::new(Some(3), cap.kept());
        assert!(!next.admits(Kind::ToolCall) && next.admits(Kind::Inert));
        // A larger limit keeps more from then on.
        assert!(Cap::new(Some(4), 3).admits(Kind::FileTouch));
    }

    #[test]
    fn without_a_limit_nothing_is_cut() {
        let mut cap = Cap::new(None, 1 << 40);
        assert!(cap.admits(Kind::ToolCall) && cap.detail().is_none());
    }
}
