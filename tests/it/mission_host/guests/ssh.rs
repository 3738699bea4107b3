//! `ssh:` with a real server on loopback.

use super::super::{Guest, both, denied, lines};
use super::STANCHION;
use serde_json::json;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server with keys of its own; it ends with the test.
struct Server {
    child: Child,
    configuration: PathBuf,
}

impl Server {
    fn start(place: &Path) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        for key in ["host", "user"] {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f"])
                .arg(place.join(key))
                .status();
            assert!(made.expect("ssh-keygen is installed (Debian: openssh-client)").success());
        }
        let shown = place.display();
        let server = format!(
            "ListenAddress 127.0.0.1\nPort {port}\nHostKey {shown}/host\nAuthorizedKeysFile {shown}/user.pub\nPidFile none\n\
             StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n"
        );
        std::fs::write(place.join("sshd_config"), server).unwrap();
        let client = format!(
            "Host guest\nHostName 127.0.0.1\nPort {port}\nIdentityFile {shown}/user\nIdentitiesOnly yes\n\
             StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\n"
        );
        let configuration = place.join("ssh_config");
        std::fs::write(&configuration, client).unwrap();
        // Where Debian's server leaves its privileges; its package makes it at the start of the machine.
        let _ = std::fs::create_dir_all("/run/sshd");
        let mut command = Command::new(program());
        command.args(["-D", "-e", "-f"]).arg(place.join("sshd_config"));
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "sshd does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Self { child, configuration }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// It starts itself again for each client, so it wants its whole path.
fn program() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&path).chain(["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from));
    let found = places.map(|place| place.join("sshd")).find(|path| path.is_file());
    found.expect("sshd is installed (Debian: openssh-server)")
}

/// Seed, hop 3: "microVMs by SSH before the VM is destroyed".
#[test]
fn a_machine_is_reached_by_ssh() {
    both(|host, place| {
        let keys = place.join("ssh");
        std::fs::create_dir(&keys).unwrap();
        let server = Server::start(&keys);
        // A name that a shell must not take apart.
        let guest = Guest::new(place, "it's $HOME; a guest");
        for number in 0..3 {
            guest.batch(&[(
                "denied.jsonl",
                &lines((0..200).map(|record| denied("s", &format!("{number}.{record}")))),
            )]);
        }
        let file = place.join("sources.toml");
        let configuration = server.configuration.display();
        let text = format!(
            "[[source]]\nfrom = \"ssh:guest:{}\"\nprogram = [\"{STANCHION}\"]\nclient = [\"ssh\", \"-F\", \"{configuration}\"]\n",
            guest.directory.display()
        );
        std::fs::write(&file, text).unwrap();
        let report = &host.drain(&["--sources", file.to_str().unwrap()])[0];
        assert_eq!(
            (&report["batches"], &report["acknowledged"], &report["lines"]),
            (&json!(3), &json!(3), &json!(600))
        );
        assert!(guest.is_empty());
        assert_eq!(host.told().len(), 600);
        // A machine that is gone is a fault of its own.
        drop(server);
        let (status, reports) = host.try_drain(&["--sources", file.to_str().unwrap()]);
        let fault = reports[0]["faults"][0].as_str().unwrap();
        assert!(status == 1 && fault.contains("exit status: 255") && fault.contains("refused"), "{fault}");
    });
}
