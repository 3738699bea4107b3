//! How a source is written: `dir:PATH`, `docker:CONTAINER[:PATH]`, `podman:…`, `ssh:HOST[:PATH]`,
//! `cmd:PROGRAM`. Owns the clients' command lines; must never look for a program.

use super::program::Program;
use super::{Directory, Fault, Source};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A way to run a program in a guest.
#[derive(Debug, PartialEq, Eq)]
struct Client {
    scheme: &'static str,
    /// Programs that do it; the first that is installed does.
    programs: &'static [&'static str],
    /// What stands before the guest's name.
    before: &'static [&'static str],
    /// Whether it hands one text to a shell there.
    is_shell: bool,
}

/// `docker exec` and `podman exec` take a command's words (docker-exec(1), podman-exec(1)); `ssh` joins
/// them with blanks for the user's shell (ssh(1)), must not ask a person, and must notice a dead guest.
const CLIENTS: [Client; 3] = [
    Client { scheme: "docker", programs: &["docker", "podman"], before: &["exec"], is_shell: false },
    Client { scheme: "podman", programs: &["podman"], before: &["exec"], is_shell: false },
    Client {
        scheme: "ssh",
        programs: &["ssh"],
        before: &["-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=15"],
        is_shell: true,
    },
];

/// What a guest runs unless told.
const PROGRAM: &str = "stanchion";

/// Where a source is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A record directory on this machine.
    Directory(PathBuf),
    /// A guest behind a client: the scheme, the guest's name, its record directory.
    Guest(&'static str, String, Option<String>),
    /// A program that speaks for a guest, with arguments.
    Program(Vec<String>),
}

/// A source and how it is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The text that names it.
    pub name: String,
    /// Where it is.
    pub place: Place,
    /// What the guest runs in place of `stanchion`, with arguments: a baked program, say.
    pub program: Vec<String>,
    /// The client in place of the usual one, with arguments (`ssh -F FILE`).
    pub client: Vec<String>,
    /// Options of the client's command, before the guest's name (`docker exec -u root`).
    pub options: Vec<String>,
}

impl Spec {
    /// Reads a source's text.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let place = place(text).ok_or_else(|| {
            Fault::new(format!(
                "`{text}` is no source: write dir:PATH, docker:CONTAINER[:PATH], podman:CONTAINER[:PATH], \
                 ssh:HOST[:PATH] or cmd:PROGRAM; PATH is absolute in a guest"
            ))
        })?;
        let (program, client, options) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { name: text.to_owned(), place, program, client, options })
    }

    /// Something that takes from it. `patience` is how long a guest may be silent, `spool` a directory.
    #[must_use]
    pub fn source(&self, patience: Duration, spool: &Path) -> Box<dyn Source> {
        let program = |clients, guest, is_shell, directory| {
            let spool = spool.to_owned();
            Box::new(Program { clients, guest, is_shell, directory, patience, spool })
        };
        match &self.place {
            Place::Directory(path) => Box::new(Directory::new(path)),
            Place::Program(words) => program(vec![words.clone()], self.program.clone(), false, None),
            Place::Guest(scheme, name, directory) => {
                let guest =
                    if self.program.is_empty() { vec![PROGRAM.to_owned()] } else { self.program.clone() };
                let is_shell = client(scheme).is_some_and(|client| client.is_shell);
                program(self.clients(scheme, name), guest, is_shell, directory.clone())
            }
        }
    }

    /// The command lines that reach a guest, up to its name.
    fn clients(&self, scheme: &str, name: &str) -> Vec<Vec<String>> {
        let Some(client) = client(scheme) else { return Vec::new() };
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let starts = if self.client.is_empty() {
            client.programs.iter().map(|program| owned(&[program])).collect()
        } else {
            vec![self.client.clone()]
        };
        let rest = [owned(client.before), self.options.clone(), vec![name.to_owned()]].concat();
        starts.into_iter().map(|start| [start, rest.clone()].concat()).collect()
    }
}

fn client(scheme: &str) -> Option<&'static Client> {
    CLIENTS.iter().find(|client| client.scheme == scheme)
}

fn place(text: &str) -> Option<Place> {
    let (scheme, rest) = text.split_once(':').filter(|(_, rest)| !rest.is_empty())?;
    let whole = |words: Vec<String>| (!words.is_empty()).then_some(Place::Program(words));
    match scheme {
        "dir" => Some(Place::Directory(PathBuf::from(rest))),
        "cmd" => whole(rest.split_ascii_whitespace().map(str::to_owned).collect()),
        _ => {
            let client = client(scheme)?;
            // A name may hold colons (an IPv6 address): the path starts with a slash.
            let (name, path) = match rest.find(":/") {
                Some(at) => (rest.get(..at)?, rest.get(at + 1..).map(str::to_owned)),
                None => (rest, None),
            };
            // Nor may it be an option of the client.
            let plain = !name.is_empty() && !name.starts_with('-') && !name.contains(char::is_control);
            let strange = path.is_none() && name.ends_with(':');
            (plain && !strange).then(|| Place::Guest(client.scheme, name.to_owned(), path))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Place> {
        Spec::parse(text).ok().map(|spec| spec.place)
    }

    #[test]
    fn sources_are_read() {
        let guest = |scheme, name: &str, path: Option<&str>| {
            Some(Place::Guest(scheme, name.to_owned(), path.map(str::to_owned)))
        };
        assert_eq!(read("dir:a:b"), Some(Place::Directory(PathBuf::from("a:b"))));
        assert_eq!(read("docker:box"), guest("docker", "box", None));
        assert_eq!(read("docker:box:/var/gate"), guest("docker", "box", Some("/var/gate")));
        assert_eq!(read("ssh:me@[::1]:/r"), guest("ssh", "me@[::1]", Some("/r")));
        assert_eq!(read("ssh:h:/a:/b"), guest("ssh", "h", Some("/a:/b")));
        let words = ["chroot", "/g", "/gate"].map(str::to_owned).to_vec();
        assert_eq!(read("cmd:chroot /g  /gate"), Some(Place::Program(words)));
        for wrong in
            ["", "dir", "dir:", "docker:", "ssh:-oProxyCommand=x", "docker::/x", "cmd: ", "vm:x", "ssh:h:"]
        {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_client_may_be_another_and_have_options() {
        let mut spec = Spec::parse("docker:box:/r").unwrap_or_else(|fault| panic!("{fault}"));
        let words = |spec: &Spec| {
            spec.clients("docker", "box").iter().map(|words| words.join(" ")).collect::<Vec<_>>()
        };
        assert_eq!(words(&spec), ["docker exec box", "podman exec box"]);
        spec.client = vec!["nerdctl".to_owned(), "-n".to_owned(), "x".to_owned()];
        spec.options = vec!["-u".to_owned(), "root".to_owned()];
        assert_eq!(words(&spec), ["nerdctl -n x exec -u root box"]);
    }
}
