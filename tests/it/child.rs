//! Runs the program as a child process.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The program, with nothing of the harness that runs these tests in its environment.
pub fn stanchion() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stanchion"));
    for variable in stanchion::harness::PROJECT_VARIABLES {
        command.env_remove(variable);
    }
    command.env_remove("FM_HOME").env("XDG_STATE_HOME", state());
    // Nor do the policies of that user apply to them.
    command.env("XDG_CONFIG_HOME", state().join("no-config")).env("XDG_CACHE_HOME", state().join("cache"));
    command
}

/// Where the tests' hooks keep their records: never with those of the user who runs the tests.
pub fn state() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// Runs it with arguments and stdin.
pub fn run(arguments: &[&str], stdin: &[u8]) -> Output {
    feed(stanchion().args(arguments), stdin)
}

/// Runs a command with stdin.
pub fn feed(command: &mut Command, stdin: &[u8]) -> Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
}

/// A stream as text.
pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}
