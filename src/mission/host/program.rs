//! Guests that are reached through a program: a container's client, `ssh`, anything. Owns the child
//! processes; must never wait for ever, and must never pass on a word that the guest chose, but keys.

use super::batch::{Batch, BatchId};
use super::{Fault, Source, Taken, stream};
use std::io::{self, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How many keys stand in one command.
const KEYS: usize = 64;

/// How much is kept of what a client complains.
const COMPLAINT: u64 = 2048;

/// How long a client that has said all may take to end, and its complaint to arrive.
const ENDING: Duration = Duration::from_secs(5);

/// A program that speaks for a guest.
#[derive(Clone, Debug)]
pub struct Program {
    /// The commands that reach the guest, the first that exists is used; the rest is added to it.
    pub clients: Vec<Vec<String>>,
    /// What the guest runs: put behind the client's words, as one word where a shell reads it.
    pub guest: Vec<String>,
    /// Whether the client hands one text to a shell in the guest.
    pub is_shell: bool,
    /// The record directory, where the guest's program does not know it.
    pub directory: Option<String>,
    /// How long the guest may be silent.
    pub patience: Duration,
    /// Where received bytes wait until they are stored.
    pub spool: PathBuf,
}

impl Source for Program {
    fn take(&mut self, give: &mut dyn FnMut(Batch) -> Result<(), Fault>) -> Result<Taken, Fault> {
        let mut running = self.start(&["take"])?;
        let taken = stream::read(&mut running.output, &self.spool, give);
        running.end(taken)
    }

    fn acknowledge(&mut self, ids: &[BatchId]) -> Result<(), Fault> {
        for ids in ids.chunks(KEYS) {
            let words: Vec<&str> = ["ack"].into_iter().chain(ids.iter().map(BatchId::as_str)).collect();
            let mut running = self.start(&words)?;
            let silent = io::copy(&mut running.output, &mut io::sink());
            running.end(silent.map(drop).map_err(|error| Fault::passing(error.to_string())))?;
        }
        Ok(())
    }
}

impl Program {
    fn start(&self, words: &[&str]) -> Result<Running, Fault> {
        let mut guest = self.guest.clone();
        guest.push("batch".to_owned());
        guest.extend(words.iter().map(|word| (*word).to_owned()));
        if let Some(directory) = &self.directory {
            guest.extend(["--record-dir".to_owned(), directory.clone()]);
        }
        if self.is_shell {
            guest = vec![guest.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")];
        }
        let mut refused = Fault::new("no program is named");
        for client in &self.clients {
            let words: Vec<&String> = client.iter().chain(&guest).collect();
            let Some((program, arguments)) = words.split_first() else { continue };
            match spawn(program, arguments) {
                Ok(child) => return Running::new(child, self.patience),
                Err(error) => refused = Fault::new(format!("`{program}` cannot be run: {error}")),
            }
        }
        Err(refused)
    }
}

fn spawn(program: &str, arguments: &[&String]) -> io::Result<Child> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn()
}

/// A word for a POSIX shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A client that runs. Killed when it is dropped before its end.
struct Running {
    child: Child,
    output: BufReader<Patient>,
    complaint: Receiver<String>,
}

impl Running {
    fn new(mut child: Child, patience: Duration) -> Result<Self, Fault> {
        let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(Fault::new("the client has no streams"));
        };
        let output = BufReader::with_capacity(1 << 17, Patient::new(output, patience));
        Ok(Self { child, output, complaint: complaint(errors) })
    }

    /// Waits for its end. What it complains explains a fault better than what its stream lacks.
    fn end<T>(mut self, result: Result<T, Fault>) -> Result<T, Fault> {
        let status = result.is_ok().then(|| self.wait()).flatten();
        let ended = status.or_else(|| self.child.try_wait().ok().flatten());
        let fault = match (result, ended) {
            (Ok(value), Some(status)) if status.success() => return Ok(value),
            (Ok(_), Some(_)) => Fault::passing("the client failed"),
            (Ok(_), None) => Fault::passing("the client does not end"),
            (Err(fault), _) => fault,
        };
        let ended = ended.or_else(|| self.wait_after_kill());
        let complaint = self.complaint.recv_timeout(ENDING / 10).unwrap_or_default();
        let status = ended.filter(|status| !status.success()).map(|status| format!(" ({status})"));
        let said = if complaint.is_empty() { String::new() } else { format!(": {complaint}") };
        let message = format!("{}{}{said}", fault.message, status.unwrap_or_default());
        Err(Fault { message, ..fault })
    }

    fn wait(&mut self) -> Option<ExitStatus> {
        let deadline = Instant::now() + ENDING;
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(2)),
                ended => return ended.ok().flatten(),
            }
        }
    }

    /// A client that failed is about to end on its own; its status is worth a moment.
    fn wait_after_kill(&mut self) -> Option<ExitStatus> {
        let deadline = Instant::now() + ENDING / 50;
        while Instant::now() < deadline {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            thread::sleep(Duration::from_millis(2));
        }
        None
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended, or nobody wants to hear it any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a client complains, its control characters made visible, when it has said all.
fn complaint(mut errors: ChildStderr) -> Receiver<String> {
    let (send, receive) = sync_channel(1);
    thread::spawn(move || {
        let mut kept = Vec::new();
        let _ = errors.by_ref().take(COMPLAINT).read_to_end(&mut kept);
        let text = String::from_utf8_lossy(&kept);
        let plain = |ch: char| if ch.is_control() { ' ' } else { ch };
        let _ = send.send(text.trim().chars().map(plain).collect());
        let _ = io::copy(&mut errors, &mut io::sink());
    });
    receive
}

/// A stream whose silence ends. Another thread reads it, since a read cannot be given up; that thread
/// ends when the last process that holds the stream does.
struct Patient {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: io::Cursor<Vec<u8>>,
    patience: Duration,
}

impl Patient {
    fn new(mut output: ChildStdout, patience: Duration) -> Self {
        let (send, pieces) = sync_channel(4);
        thread::spawn(move || {
            loop {
                let mut piece = vec![0; 1 << 16];
                let read = output.read(&mut piece).map(|length| {
                    piece.truncate(length);
                    piece
                });
                let last = read.as_ref().map_or(true, Vec::is_empty);
                if send.send(read).is_err() || last {
                    return;
                }
            }
        });
        Self { pieces, piece: io::Cursor::default(), patience }
    }
}

impl Read for Patient {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.piece.read(buffer)?;
        if read > 0 || buffer.is_empty() {
            return Ok(read);
        }
        match self.pieces.recv_timeout(self.patience) {
            Ok(piece) => self.piece = io::Cursor::new(piece?),
            Err(RecvTimeoutError::Disconnected) => return Ok(0),
            Err(RecvTimeoutError::Timeout) => {
                let message = format!("silent for {} s", self.patience.as_secs());
                return Err(io::Error::new(io::ErrorKind::TimedOut, message));
            }
        }
        self.piece.read(buffer)
    }
}
