//! `stanchion trust`: a person says that a project's policy file may do more than tighten. Owns the
//! question; must never trust a text that was not shown before.

use super::layers::{Around, pins};
use super::selection::Selection;
use super::{out, place::Place};
use anyhow::{Context as _, anyhow};
use serde::Serialize;
use stanchion::layers::trust::{Pin, Pins, sha256};
use stanchion::layers::{Layer, PROJECT_FILE, Source, Stack};
use std::io::{BufRead as _, IsTerminal as _};
use std::path::{Path, PathBuf};

/// The version of the JSON.
const SCHEMA: u32 = 1;

/// Trust a project's policy file with exactly the content that is shown
///
/// Exit status: 0 done, 1 not confirmed or not trusted, 64 wrong usage or a file that cannot be used.
#[derive(clap::Args)]
pub struct Args {
    /// The file [default: .stanchion.toml in the project's root]
    #[arg(value_name = "FILE", conflicts_with = "list")]
    file: Option<PathBuf>,
    /// Trust without a question
    #[arg(long, conflicts_with_all = ["list", "revoke"])]
    yes: bool,
    /// List what is trusted
    #[arg(long)]
    list: bool,
    /// Trust the file no more
    #[arg(long, conflicts_with = "list")]
    revoke: bool,
    /// With --list, print one JSON object
    #[arg(long, requires = "list")]
    json: bool,
}

#[derive(Serialize)]
struct Listed<'a> {
    schema: u32,
    trusted: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    file: String,
    sha256: &'a str,
    holds: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    if !args.list && !args.revoke {
        own_name()?;
    }
    let store = pins().context("HOME is not set: there is nowhere to keep what is trusted")?;
    let pins = Pins::read(&store).with_context(|| store.display().to_string())?;
    if args.list {
        return list(&pins, args.json);
    }
    let root = Place::default().root(None);
    let file = args.file.clone().or_else(|| Some(root?.join(PROJECT_FILE)));
    let file = file.context("there is no project here; name its file")?;
    if args.revoke { revoke(pins, &store, &file) } else { trust(pins, &store, &file, args.yes) }
}

fn list(pins: &Pins, json: bool) -> anyhow::Result<u8> {
    let holds = |pin: &Pin| std::fs::read_to_string(&pin.file).is_ok_and(|text| sha256(&text) == pin.sha256);
    let rows = pins.pins.iter().map(|pin| Row {
        file: pin.file.display().to_string(),
        sha256: &pin.sha256,
        holds: holds(pin),
    });
    let trusted: Vec<Row<'_>> = rows.collect();
    if json {
        out::json(&Listed { schema: SCHEMA, trusted })?;
        return Ok(0);
    }
    for Row { file, sha256, holds } in trusted {
        let now = if holds { "" } else { " (its content is another now, so it is not trusted)" };
        out::say(format!("{sha256} {}{now}\n", printable(&file)));
    }
    Ok(0)
}

fn revoke(mut pins: Pins, store: &Path, file: &Path) -> anyhow::Result<u8> {
    if !pins.remove(file) {
        out::complain(&format!("stanchion: {} is not trusted\n", file.display()));
        return Ok(1);
    }
    pins.write(store).with_context(|| store.display().to_string())?;
    out::say(format!("{} is not trusted any more\n", file.display()));
    Ok(0)
}

fn trust(mut pins: Pins, store: &Path, file: &Path, yes: bool) -> anyhow::Result<u8> {
    let source = Source { layer: Layer::Project, trusted: true, ..Source::named(file) };
    let text = source.text.clone().map_err(|error| anyhow!("{}: {error}", file.display()))?;
    let (shipped, below) = Selection::all_shipped().layers(Around::Fresh(None))?;
    let changed = below.parts.len();
    let sources = Around::Fresh(None).places().sources();
    let join = |source| Stack::join(&shipped, &sources.iter().cloned().chain([source]).collect::<Vec<_>>());
    let with = join(source.clone());
    if with.parts.len() == changed {
        let wrong = with.faults.last().map_or("it cannot be used", |fault| fault.message.as_str());
        return Err(anyhow!("{wrong}"));
    }
    out::say(format!("{}\n", "-".repeat(72)));
    out::say(text.lines().map(|line| format!("{}\n", printable(line))).collect::<String>());
    out::say(format!("{}\nsha256 {}\n", "-".repeat(72), sha256(&text)));
    for fault in join(Source { trusted: false, ..source }).faults.iter().filter(|fault| fault.path == file) {
        out::say(format!("without trust this would be left out:\n{}\n", fault.message));
    }
    if !yes && !confirmed(file)? {
        out::complain("stanchion: nothing was trusted\n");
        return Ok(1);
    }
    pins.add(file, &text);
    pins.write(store).with_context(|| store.display().to_string())?;
    out::say(format!("{} is trusted as long as it says just this\n", file.display()));
    Ok(0)
}

/// A copy or a link of this program under another name is not what guards know: it changes nothing.
pub fn own_name() -> anyhow::Result<()> {
    const NAME: &str = env!("CARGO_PKG_NAME");
    let called = std::env::args_os().next().map(PathBuf::from);
    let is_own =
        |path: Option<PathBuf>| path.is_some_and(|path| path.file_stem().is_some_and(|stem| stem == NAME));
    if is_own(called) && is_own(std::env::current_exe().ok()) {
        return Ok(());
    }
    Err(anyhow!("this runs under its own name only: {NAME}"))
}

/// Asks at the terminal.
fn confirmed(file: &Path) -> anyhow::Result<bool> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() || !std::io::stderr().is_terminal() {
        return Err(anyhow!("there is no terminal to ask at; run it at one"));
    }
    out::complain(&format!("trust {} with this content? Type yes: ", file.display()));
    let mut answer = String::new();
    stdin.lock().read_line(&mut answer)?;
    Ok(answer.trim() == "yes")
}

/// A line without what would make a terminal show something else than is there.
pub fn printable(line: &str) -> String {
    let hidden = |ch: char| {
        let invisible = matches!(ch, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
        (ch.is_control() && ch != '\t') || invisible
    };
    let shown = |ch: char| if hidden(ch) { ch.escape_unicode().to_string() } else { ch.to_string() };
    line.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_terminal_shows_what_is_there() {
        assert_eq!(super::printable("a\tb é"), "a\tb é");
        assert_eq!(super::printable("\u{1b}[2K\r\u{202e}x"), "\\u{1b}[2K\\u{d}\\u{202e}x");
    }
}
