//! The peak memory of a child process, as the kernel counts it. Linux only.

use std::process::Command;
use std::time::Duration;

/// Runs a command that must succeed; its peak memory in KiB.
pub fn run(command: &mut Command) -> u64 {
    let mut child = command.spawn().expect("it starts");
    let mut peak = 0;
    let status = format!("/proc/{}/status", child.id());
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(peak);
        if let Some(status) = child.try_wait().expect("it was started") {
            assert!(status.success(), "the command failed");
            return peak;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
