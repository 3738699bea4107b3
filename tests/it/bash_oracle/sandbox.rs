//! Runs programs in real bash and tells which stubs ran with which words. Knows nothing of stanchion.
//!
//! A sandbox is a directory with `bin` (the whole PATH: stubs and a few harmless programs), `work`
//! (the working directory, emptied between programs) and `log`. Every stub appends one record, its
//! argument count, name and arguments, each ended by NUL, in one write. Descriptor 9 is a pipe that every
//! descendant inherits: its end of file says that the last background process has ended.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What ran: the stub's name, then its arguments.
pub type Argv = Vec<Vec<u8>>;

/// Programs beside the stubs that a generated program may use, if this machine has them.
const PROGRAMS: &[&str] = &[
    "bash",
    "cat",
    "chrt",
    "dash",
    "env",
    "find",
    "flock",
    "ionice",
    "mkdir",
    "nice",
    "nohup",
    "prlimit",
    "script",
    "setsid",
    "sh",
    "ssh-agent",
    "stdbuf",
    "taskset",
    "tee",
    "timeout",
    "unshare",
    "xargs",
];

/// Second names of such programs.
const SECOND_NAMES: &[(&str, &str)] =
    &[("gtimeout", "timeout"), ("gnice", "nice"), ("gxargs", "xargs"), ("gfind", "find")];

/// Programs for which `emulate.sh` stands in.
const EMULATED: &[&str] = &[
    "bundle",
    "busybox",
    "caffeinate",
    "catchsegv",
    "dbus-run-session",
    "direnv",
    "doas",
    "docker",
    "entr",
    "fd",
    "git",
    "kubectl",
    "ltrace",
    "make",
    "mise",
    "npx",
    "parallel",
    "pipenv",
    "podman",
    "poetry",
    "python3",
    "runuser",
    "sed",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "tmux",
    "unbuffer",
    "uv",
    "watch",
    "xvfb-run",
];

/// A directory to run programs in.
pub struct Sandbox {
    root: tempfile::TempDir,
    launcher: PathBuf,
}

/// What one run gave.
pub struct Run {
    /// Stubs that ran, in order.
    pub executed: Vec<Argv>,
    /// Whether the time ran out; `executed` is then what ran before.
    pub timed_out: bool,
    /// What bash wrote to standard error.
    pub stderr: Vec<u8>,
}

/// Looks a program up in the usual directories.
pub fn find_program(name: &str) -> Option<PathBuf> {
    ["/usr/bin", "/bin", "/usr/local/bin"]
        .iter()
        .map(|dir| Path::new(dir).join(name))
        .find(|path| path.exists())
}

impl Sandbox {
    /// A sandbox with the default stubs; `None` when there is no bash here.
    pub fn new() -> Option<Self> {
        let mut stubs: Vec<String> =
            ["alpha", "beta", "gamma", "delta", "epsilon"].map(str::to_owned).to_vec();
        stubs.extend((0..10).map(|n| format!("p0{n}")));
        stubs.extend((0..5).map(|n| format!("x0{n}")));
        stubs.extend((0..10).map(|n| format!("d{n}")));
        Self::with_stubs(&stubs)
    }

    /// A sandbox with these stubs; those that begin with `x` fail.
    pub fn with_stubs(stubs: &[String]) -> Option<Self> {
        find_program("bash")?;
        find_program("timeout")?;
        let root =
            tempfile::Builder::new().prefix("stanchion-oracle-").tempdir().expect("a temporary directory");
        let bin = root.path().join("bin");
        fs::create_dir(&bin).expect("bin");
        fs::create_dir(root.path().join("work")).expect("work");
        let log = root.path().join("log");
        for stub in stubs {
            executable(&bin.join(stub), &stub_text(&log, i32::from(stub.starts_with('x'))));
        }
        let seconds = SECOND_NAMES.iter().copied();
        for (name, program) in PROGRAMS.iter().map(|name| (*name, *name)).chain(seconds) {
            if let Some(path) = find_program(program) {
                symlink(path, bin.join(name)).expect("a link");
            }
        }
        for name in EMULATED {
            executable(&bin.join(name), include_str!("emulate.sh"));
        }
        let launcher = root.path().join("launch");
        let text = format!(
            "ulimit -c 0; ulimit -t 5; ulimit -f 4096; ulimit -v 1000000\n\
             exec 9>&1 >/dev/null\n\
             exec {} -s KILL 5 {} -c \"$1\"\n",
            find_program("timeout")?.display(),
            find_program("bash")?.display()
        );
        fs::write(&launcher, text).expect("the launcher");
        Some(Self { root, launcher })
    }

    /// Runs one program.
    pub fn run(&self, program: &[u8]) -> Run {
        let work = self.root.path().join("work");
        let _ = fs::remove_dir_all(&work);
        fs::create_dir_all(&work).expect("work");
        fs::write(work.join("in"), b"").expect("in");
        let log = self.root.path().join("log");
        fs::create_dir(work.join("bin")).expect("bin");
        executable(&work.join("bin/protected.sh"), &stub_text(&log, 0));
        let errors = self.root.path().join("errors");
        let _ = fs::remove_file(&log);
        let mut child = Command::new("/bin/sh")
            .arg(&self.launcher)
            .arg(OsStr::from_bytes(program))
            .env_clear()
            .env("PATH", self.root.path().join("bin"))
            .env("LC_ALL", "C.UTF-8")
            .current_dir(&work)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(&errors).expect("errors"))
            .spawn()
            .expect("sh starts");
        let mut rest = Vec::new();
        let _ = child.stdout.take().expect("a pipe").read_to_end(&mut rest);
        let status = child.wait().expect("sh ends");
        Run {
            executed: records(&fs::read(&log).unwrap_or_default()),
            timed_out: status.code().is_none_or(|code| code == 124 || code == 137),
            stderr: fs::read(&errors).unwrap_or_default(),
        }
    }

    /// Standard output of a program, for words that `printf` prints.
    pub fn output(&self, program: &[u8]) -> Vec<u8> {
        Command::new(find_program("bash").expect("bash"))
            .arg("-c")
            .arg(OsStr::from_bytes(program))
            .env_clear()
            .env("PATH", self.root.path().join("bin"))
            .env("LC_ALL", "C.UTF-8")
            .current_dir(self.root.path().join("work"))
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .expect("bash starts")
            .stdout
    }
}

/// A stub that appends its record to `log` and ends with `status`.
fn stub_text(log: &Path, status: i32) -> String {
    let log = log.display();
    format!("#!/bin/sh\nprintf '%s\\0' \"$#\" \"${{0##*/}}\" \"$@\" >>'{log}'\nexit {status}\n")
}

fn executable(path: &Path, text: &str) {
    fs::write(path, text).expect("a program");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a program");
}

/// Reads a log: argument count, name, arguments, each ended by NUL.
fn records(log: &[u8]) -> Vec<Argv> {
    let mut fields = log.split(|byte| *byte == 0);
    let mut found = Vec::new();
    while let Some(count) =
        fields.next().and_then(|field| std::str::from_utf8(field).ok()?.parse::<usize>().ok())
    {
        found.push(fields.by_ref().take(count + 1).map(<[u8]>::to_vec).collect());
    }
    found
}
