//! Acceptance matrices: rows of command lines with the wanted answer, run through every form in
//! which harnesses call the hook. Owns rows, forms and reports; must never judge a command itself.

pub mod directory;
pub mod file;
pub mod form;
pub mod outcome;
pub mod report;
pub mod runner;
pub mod template;

pub use directory::Directory;
pub use file::{Matrix, MatrixError, Row};
pub use form::{Form, Forms};
pub use outcome::{Outcome, Wanted};
pub use report::Format;
pub use runner::{Checker, run, run_within};

/// The shipped matrices: name and text.
pub const SHIPPED: [(&str, &str); 2] = [
    ("watcher.toml", include_str!("../../fixtures/matrix/watcher.toml")),
    ("cwd.toml", include_str!("../../fixtures/matrix/cwd.toml")),
];
