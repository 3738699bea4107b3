//! A PostgreSQL of one's own: a new cluster in a temporary directory, run by a user who may do nothing
//! else. It ends with the process that started it, however that ends.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Users as whom a server may run when the tests' own user is root, which it refuses.
const USERS: [&str; 2] = ["postgres", "nobody"];

pub struct Cluster {
    port: u16,
    databases: AtomicU32,
    /// Holds the pipe whose end stops the server.
    _watch: Child,
}

impl Cluster {
    /// Starts one; `settings` are the server's (`fsync=off`).
    pub fn start(settings: &[&str]) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory").keep();
        let user = unprivileged(&directory);
        let (data, log) = (directory.join("data"), directory.join("log"));
        let run = |program: &str, arguments: &[&str]| {
            let output = command(user.as_deref(), program).args(arguments).output().expect("it starts");
            let log = std::fs::read_to_string(&log).unwrap_or_default();
            assert!(output.status.success(), "{program}: {}\n{log}", String::from_utf8_lossy(&output.stderr));
        };
        let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
        let (data, log, socket) = (text(&data), text(&directory.join("log")), text(&directory));
        run(
            "initdb",
            &["-D", &data, "-A", "trust", "-U", "stanchion", "-E", "UTF8", "--no-locale", "--no-sync"],
        );
        let port = free();
        let mut options =
            format!("-p {port} -k {socket} -c listen_addresses=127.0.0.1 -c max_connections=40");
        for setting in settings {
            options += &format!(" -c {setting}");
        }
        let mut watch = command(user.as_deref(), "sh");
        let stop = "cat >/dev/null; \"$0\" -D \"$1\" -m immediate stop; rm -rf \"$2\"";
        watch.args(["-c", stop, &text(&binary("pg_ctl")), &data, &socket]);
        watch.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        run("pg_ctl", &["-D", &data, "-l", &log, "-w", "-o", &options, "start"]);
        Self { port, databases: AtomicU32::new(0), _watch: watch.spawn().expect("sh starts") }
    }

    /// The URL of a database, whether it is there or not.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://stanchion@127.0.0.1:{}/{database}", self.port)
    }

    /// A new database's URL.
    pub fn database(&self) -> String {
        let name = format!("t{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let mut client =
            postgres::Client::connect(&self.url("postgres"), postgres::NoTls).expect("it is there");
        client.batch_execute(&format!("CREATE DATABASE {name}")).expect("it can be made");
        self.url(&name)
    }
}

/// A server's program: on the path, else where Debian has it.
fn binary(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let places = std::env::split_paths(&path).chain(debian.map(|entry| entry.path().join("bin")));
    let found = places.map(|place| place.join(name)).find(|path| path.is_file());
    found.unwrap_or_else(|| panic!("{name} is missing: install PostgreSQL's server (Debian: postgresql)"))
}

fn command(user: Option<&str>, program: &str) -> Command {
    let program = if program == "sh" { PathBuf::from("/bin/sh") } else { binary(program) };
    let mut command = match user {
        None => Command::new(program),
        Some(user) => {
            let mut command = Command::new("setpriv");
            command.args(["--reuid", user, "--regid", &group(user), "--clear-groups"]).arg(program);
            command
        }
    };
    command.current_dir("/").env_remove("PGOPTIONS").stdin(Stdio::null());
    command
}

/// Whom the directory is given to when this process is root's.
fn unprivileged(directory: &Path) -> Option<String> {
    if std::fs::metadata(directory).expect("it was made").uid() != 0 {
        return None;
    }
    let user = USERS.into_iter().find(|user| id(user, "-u").is_some()).expect("an unprivileged user");
    std::os::unix::fs::chown(directory, id(user, "-u"), id(user, "-g")).expect("root may");
    Some(user.to_owned())
}

fn group(user: &str) -> String {
    id(user, "-g").expect("a user has a group").to_string()
}

fn id(user: &str, which: &str) -> Option<u32> {
    let output = Command::new("id").args([which, user]).output().ok()?;
    std::str::from_utf8(&output.stdout).ok()?.trim().parse().ok()
}

fn free() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("it is bound").port()
}
