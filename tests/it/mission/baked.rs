//! Baked programs: what they know, what `verify` tells, and what becomes of one that was changed.

use super::{bake, bash, is_silent, lines, rules, start, task};
use crate::child::{stanchion, text};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

/// What the two arrays start with.
pub const POLICY: &[u8] = b"stanchion: room for its policy\0\x01";
pub const SEAL: &[u8] = b"stanchion: room for what seals\0\x02";

fn run(program: &Path, arguments: &[&str], stdin: &str) -> Output {
    start(Command::new(program).args(arguments), stdin.as_bytes())
}

fn verify(program: &Path, arguments: &[&str]) -> (Option<i32>, Value) {
    let output = stanchion().arg("verify").arg(program).arg("--json").args(arguments).output().unwrap();
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
}

/// Where a name stands in a program: once.
pub fn place(program: &[u8], name: &[u8]) -> usize {
    let starts = program.iter().enumerate().filter(|(_, byte)| **byte == name[0]).map(|(at, _)| at);
    let found: Vec<usize> = starts.filter(|at| program[*at..].starts_with(name)).collect();
    let [at] = found.as_slice() else { panic!("{found:?}") };
    *at
}

/// A program with other bytes, runnable.
pub fn changed(program: &Path, change: impl Fn(&mut Vec<u8>)) -> std::path::PathBuf {
    let mut bytes = fs::read(program).unwrap();
    change(&mut bytes);
    let path = program.with_extension("changed");
    let _ = fs::remove_file(&path);
    fs::write(&path, bytes).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_baked_program_knows_its_commands_and_no_others() {
    let directory = tempfile::tempdir().unwrap();
    let policy = task(directory.path(), "shadow", &["Bash"]);
    let program = bake(directory.path(), &["mission,core.git", &policy]);
    let version = run(&program, &["--version"], "");
    let digest = |name| format!("policy {name} {:016x}\n", stanchion::policy::shipped(name).unwrap().digest);
    let said = text(&version.stdout);
    assert!(
        said.contains("\nseal ") && said.contains(&digest("mission")) && said.contains(&digest("core.git")),
        "{said}"
    );
    assert!(said.contains("policy task "), "{said}");
    assert_eq!(text(&run(&program, &["doctor"], "").stdout), "the gate protects\n");
    let report: Value = serde_json::from_slice(&run(&program, &["doctor", "--json"], "").stdout).unwrap();
    assert_eq!((&report["healthy"], &report["schema"]), (&json!(true), &json!(1)));
    assert!(is_silent(&run(&program, &["hook"], &bash("ls").to_string())));
    assert_eq!(run(&program, &["hook"], &bash("git stash clear").to_string()).status.code(), Some(2));
    for arguments in [
        &["check", "ls"][..],
        &["policy", "show"],
        &["grant", "ls"],
        &["trust", "."],
        &["install"],
        &["bake"],
        &["frobnicate"],
    ] {
        let refused = run(&program, arguments, "");
        assert_eq!(refused.status.code(), Some(64), "{arguments:?}");
        assert!(refused.stdout.is_empty() && text(&refused.stderr).contains("baked"), "{arguments:?}");
    }
    assert_eq!(
        run(&program, &[], &bash("rm -rf /").to_string()).status.code(),
        Some(2),
        "a call without arguments"
    );
}

#[test]
fn the_same_is_baked_each_time() {
    let directory = tempfile::tempdir().unwrap();
    let one = fs::read(bake(directory.path(), &["mission"])).unwrap();
    let two = fs::read(bake(directory.path(), &["mission"])).unwrap();
    assert!(one == two);
    let other = fs::read(bake(directory.path(), &["mission", "core"])).unwrap();
    assert!(one != other && one.len() == other.len());
}

#[test]
fn what_cannot_be_baked_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("gate");
    let refused = |arguments: &[&str], reason: &str| {
        let output = stanchion().arg("bake").args(arguments).arg("--out").arg(&out).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(64), "{said}");
        assert!(said.contains(reason) && !out.exists(), "{said}");
    };
    refused(&["--policy", "mission", "--record-dir", "records"], "absolute");
    refused(&["--policy", "no-such", "--record-dir", "/r"], "no-such");
    refused(&["--record-dir", "/"], "absolute");
    refused(&["--record-dir", &format!("/{}", "x".repeat(2000))], "too long");
    let file = directory.path().join("locks.toml");
    let locks = "version = 1\nname = \"locks\"\n[repair]\ncommands = [\"mend it\"]\n[[rule]]\nid = \"no\"\ndecision = \"deny\"\nreason = \"no\"\nadvice = \"do not\"\nwhen = { program = \"mend\" }\nmatch = [\"mend a\", \"mend b\", \"mend c\"]\nnot_match = [\"a\", \"b\", \"c\"]\n";
    fs::write(&file, locks).unwrap();
    refused(&["--policy", file.to_str().unwrap(), "--record-dir", "/r"], "mend it");
}

#[test]
fn verify_tells_what_a_program_is() {
    let directory = tempfile::tempdir().unwrap();
    let program = bake(directory.path(), &["mission"]);
    let (status, report) = verify(&program, &[]);
    assert_eq!((status, &report["intact"]), (Some(0), &json!(true)), "{report}");
    assert_eq!(report["record_dir"], json!(directory.path().join("records")));
    let seal = report["seal"].as_str().unwrap();
    assert_eq!(verify(&program, &["--seal", seal]).0, Some(0));
    assert_eq!(verify(&program, &["--seal", &seal.replace(|_| true, "0")]).0, Some(1));
    assert_eq!(verify(Path::new(env!("CARGO_BIN_EXE_stanchion")), &[]).0, Some(1));
    assert_eq!(
        verify(Path::new("/bin/sh"), &[]).1["message"]
            .as_str()
            .map(|said| said.contains("no stanchion program")),
        Some(true)
    );
    // A byte of the program itself, far from the policy.
    let bytes = fs::read(&program).unwrap();
    let at = place(&bytes, POLICY);
    let elsewhere = if at > bytes.len() / 2 { bytes.len() / 4 } else { bytes.len() * 3 / 4 };
    let other = changed(&program, |bytes| bytes[elsewhere] ^= 1);
    let (status, report) = verify(&other, &[]);
    assert_eq!(
        (status, report["message"].as_str()),
        (Some(1), Some("the seal is broken: the program was changed"))
    );
    // A start does not look at the room behind the policy, of which nothing is used.
    assert_eq!(verify(&changed(&program, |bytes| bytes[at + (128 << 10) - 1] ^= 1), &[]).0, Some(1));
}

/// What is done to the bytes of a program.
type Change = Box<dyn Fn(&mut Vec<u8>)>;

/// Each part of the seal: what is changed there makes the gate inert, with a record where that can be told.
#[test]
fn a_broken_seal_makes_the_gate_inert_with_a_record() {
    let directory = tempfile::tempdir().unwrap();
    let program = bake(directory.path(), &["mission"]);
    let records = directory.path().join("records");
    let bytes = fs::read(&program).unwrap();
    let (policy, seal) = (place(&bytes, POLICY), place(&bytes, SEAL));
    let wiped = |at: usize, count: usize| move |bytes: &mut Vec<u8>| bytes[at..at + count].fill(0);
    let flipped = |at: usize| move |bytes: &mut Vec<u8>| bytes[at] ^= 0x40;
    let changes: Vec<(&str, Change)> = vec![
        ("a byte of the policy", Box::new(flipped(policy + 72 + 20))),
        ("its length", Box::new(flipped(policy + 32))),
        ("its sum", Box::new(flipped(policy + 40))),
        ("all of the first array", Box::new(wiped(policy + 32, (128 << 10) - 32))),
        ("the sum in the second array", Box::new(flipped(seal + 32))),
        ("all of the second array", Box::new(wiped(seal + 32, 1024 - 32))),
        ("the place of the records in the second array", Box::new(flipped(seal + 32 + 64 + 5))),
        (
            "another policy with a sum of its own",
            Box::new(move |bytes: &mut Vec<u8>| {
                use sha2::{Digest as _, Sha256};
                let length =
                    usize::try_from(u64::from_le_bytes(bytes[policy + 32..policy + 40].try_into().unwrap()))
                        .unwrap();
                let body = policy + 72..policy + 72 + length;
                let name = place(&bytes[body.clone()], b"mission");
                bytes[body.start + name] = b'n';
                let sum = Sha256::digest(&bytes[body]);
                bytes[policy + 40..policy + 72].copy_from_slice(&sum);
            }),
        ),
    ];
    for (number, (what, change)) in changes.iter().enumerate() {
        let broken = changed(&program, change);
        assert_eq!(verify(&broken, &[]).0, Some(1), "{what}");
        assert!(
            is_silent(&run(&broken, &["hook", "--policy", "cwd"], &bash("rm -rf /").to_string())),
            "{what}"
        );
        let inert = lines(&records, "inert");
        assert_eq!(inert.len(), number + 1, "{what}");
        assert!(inert[number]["why"].as_str().unwrap().starts_with("the seal is broken: "), "{what}");
        assert_eq!(inert[number]["payload"], bash("rm -rf /"), "{what}");
        assert_eq!(run(&broken, &["doctor"], "").status.code(), Some(1), "{what}");
        assert_eq!(run(&broken, &["--version"], "").status.code(), Some(1), "{what}");
        assert_eq!(
            run(&broken, &["check", "ls"], "").status.code(),
            Some(64),
            "{what}: it is no ordinary program"
        );
    }
    assert!(rules(&lines(&records, "denied.jsonl")).is_empty());
}
