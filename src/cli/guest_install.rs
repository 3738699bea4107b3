//! `stanchion guest-install`: a baked gate and its registration, put into a guest in one step. Owns the arguments and
//! what is written; must never install a program that is not as it was baked.

use super::out;
use anyhow::{Context as _, anyhow};
use stanchion::install::files;
use stanchion::install::guest::Guest;
use stanchion::install::{Harness, find};
use stanchion::mission::seal::{self, State};
use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Put a baked program and its registration into a guest, in one step that may be repeated
#[derive(clap::Args)]
pub struct Args {
    /// Harnesses by name [default: claude]
    #[arg(value_name = "HARNESS")]
    harnesses: Vec<String>,
    /// The baked program
    #[arg(long, value_name = "FILE", required = true)]
    gate: PathBuf,
    /// Where the gate goes in the guest
    #[arg(long, value_name = "DIR", default_value = "/opt/stanchion")]
    dir: PathBuf,
    /// The home, in the guest, of the user who runs the agents
    #[arg(long, value_name = "DIR", default_value = "/root")]
    home: PathBuf,
    /// The settings document, where it is not the user's own (for one harness)
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// Where the guest's root is on this machine, for images that are not running
    #[arg(long, value_name = "DIR", default_value = "/")]
    prefix: PathBuf,
    /// Print a POSIX `sh` script that does it, and change nothing
    #[arg(long)]
    script: bool,
    /// With --script: put the program into the script, in base64
    #[arg(long, requires = "script")]
    embed: bool,
}

/// Runs `guest-install`.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    let program = fs::read(&args.gate).with_context(|| args.gate.display().to_string())?;
    let State::Sealed(sealed) = seal::examine(&program)? else {
        return Err(anyhow!(
            "{}: is not as it was baked, or not baked at all; see `stanchion verify`",
            args.gate.display()
        ));
    };
    let guest = Guest {
        directory: absolute(&args.dir)?,
        records: sealed.baked.records.clone(),
        home: absolute(&args.home)?,
        settings: args.settings.as_deref().map(absolute).transpose()?,
    };
    let harnesses = harnesses(args)?;
    if args.script {
        let embedded = args.embed.then(|| base64(&program));
        out::say(guest.script(&harnesses, embedded.as_deref())?);
        return Ok(0);
    }
    // All documents are worked out before anything is written.
    let mut documents = Vec::new();
    for harness in &harnesses {
        let path = within(&args.prefix, &guest.settings(harness));
        let old = files::read(&path)?.unwrap_or_default();
        documents.push((path, old.with(&guest.document(harness, &old.body)?)));
    }
    let gate = within(&args.prefix, &guest.gate());
    files::write(&gate, &program, true)?;
    fs::set_permissions(&gate, fs::Permissions::from_mode(0o755))
        .with_context(|| gate.display().to_string())?;
    let records = within(&args.prefix, &guest.records);
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&records)
        .with_context(|| records.display().to_string())?;
    out::say(format!(
        "the gate is {}, its records go to {}\n",
        guest.gate().display(),
        guest.records.display()
    ));
    for ((path, document), harness) in documents.iter().zip(harnesses) {
        files::write(path, document, false)?;
        out::say(format!("{}: registered in {}\n", harness.title, path.display()));
    }
    out::say(format!("check it in the guest with `{} doctor`\n", guest.gate().display()));
    Ok(0)
}

fn harnesses(args: &Args) -> anyhow::Result<Vec<&'static Harness>> {
    let default = ["claude".to_owned()];
    let names = if args.harnesses.is_empty() { &default } else { args.harnesses.as_slice() };
    if args.settings.is_some() && names.len() > 1 {
        return Err(anyhow!("--settings names one document: name one harness"));
    }
    names.iter().map(|name| find(name).with_context(|| format!("no harness is named `{name}`"))).collect()
}

/// A path of the guest: harnesses, and the script, must be able to take it.
fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    let odd = |ch: char| ch.is_control() || "$`'\"\\".contains(ch);
    let fits = path.is_absolute() && path.to_str().is_some_and(|path| !path.contains(odd));
    if fits { Ok(path.to_owned()) } else { Err(anyhow!("{}: name a plain absolute path", path.display())) }
}

fn within(prefix: &Path, path: &Path) -> PathBuf {
    prefix.join(path.strip_prefix("/").unwrap_or(path))
}

/// RFC 4648, in lines.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len() / 3 * 4 + bytes.len() / 57 + 8);
    for line in bytes.chunks(57) {
        for group in line.chunks(3) {
            let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            for place in 0..4 {
                let letter =
                    LETTERS.get((bits >> (18 - 6 * place)) as usize & 63).copied().unwrap_or_default();
                text.push(if place <= group.len() { char::from(letter) } else { '=' });
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_that_of_the_standard() {
        for (text, wanted) in [("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(text.as_bytes()), format!("{wanted}\n"));
        }
        assert_eq!(base64(&[0xff; 58]).lines().count(), 2);
        assert_eq!(base64(b""), "");
    }
}
