//! The line on a terminal that shows how far a long work is. Must never be seen elsewhere, and never keep the work
//! waiting.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// How often it changes.
const PACE: Duration = Duration::from_millis(100);

/// A line that changes.
pub struct Line {
    is_terminal: bool,
    shown: Instant,
    any: bool,
}

impl Line {
    /// None yet.
    pub fn new() -> Self {
        Self { is_terminal: std::io::stderr().is_terminal(), shown: Instant::now(), any: false }
    }

    /// Shows a text, unless another one was shown just now.
    pub fn show(&mut self, text: impl FnOnce() -> String) {
        if !self.is_terminal || self.shown.elapsed() < PACE {
            return;
        }
        (self.shown, self.any) = (Instant::now(), true);
        let _ = std::io::stderr().lock().write_all(format!("\r\x1b[K{}", text()).as_bytes());
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if self.any {
            let _ = std::io::stderr().lock().write_all(b"\r\x1b[K");
        }
    }
}
