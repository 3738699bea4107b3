//! How programs are linked. Owns the linker's arguments of binaries and examples; must never touch how
//! the library is linked into somebody else's program, and must never give arguments that were not
//! tried on this machine.
//!
//! A hook starts ten thousand times a day. Most of the start of a Rust program on Linux with glibc is
//! loading shared libraries and moving the program to a random address; a static program at a fixed
//! address needs neither. Setting `crt-static` would do it too, but only together with an explicit
//! `--target`, which a plain `cargo build` does not have.

use std::env::var;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The shared libraries that rustc names on the linker's command line, and the archives that stand for
/// each.
const ARCHIVES: [(&str, &[&str]); 7] = [
    ("libgcc_s.so", &["libgcc_eh.a"]),
    ("libutil.so", &["libc.a"]),
    ("librt.so", &["libc.a"]),
    ("libpthread.so", &["libc.a"]),
    ("libm.so", &["libm.a"]),
    ("libdl.so", &["libc.a"]),
    ("libc.so", &["libc.a", "libgcc_eh.a", "libgcc.a"]),
];

/// A program that needs what ours needs of its linking: memory, unwinding and a thread.
const TRIAL: &str = r#"
fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let caught = std::thread::spawn(|| std::panic::catch_unwind(|| panic!("{}", std::process::id())).is_err());
    assert!(caught.join().unwrap_or(false));
}
"#;

/// Prints the arguments that make programs start fast: the best set that works here, if any does.
pub fn arguments(out: &Path) -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=build/link.rs");
    if !native_glibc() {
        return Ok(());
    }
    let fixed = "-no-pie".to_owned();
    let archives = scripts(out)?.map(|dir| format!("-L{}", dir.display()));
    let whole = archives.map(|archives| vec![fixed.clone(), "-static".to_owned(), archives]);
    let set = whole.into_iter().chain([vec![fixed]]).find(|set| works(out, set)).unwrap_or_default();
    for argument in &set {
        println!("cargo::rustc-link-arg-bins={argument}");
        println!("cargo::rustc-link-arg-examples={argument}");
    }
    order(out, &set)
}

/// Puts what a hook runs together, where the linker can do that.
fn order(out: &Path, set: &[String]) -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=build/order.ld");
    let script = std::path::absolute("build/order.ld")?;
    let argument = format!("-Wl,-T,{}", script.display());
    if works(out, &[set, std::slice::from_ref(&argument)].concat()) {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
    Ok(())
}

/// Whether the target is this machine: Linux with glibc, and not asked to be linked another way.
fn native_glibc() -> bool {
    let target = |key: &str| var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    target("OS") == "linux"
        && target("ENV") == "gnu"
        && target("FEATURE").split(',').all(|name| name != "crt-static")
        && var("HOST") == var("TARGET")
}

/// A directory of linker scripts in which the name of each shared library means its archive; nothing
/// where one of these is not installed.
fn scripts(out: &Path) -> std::io::Result<Option<PathBuf>> {
    let dir = out.join("static");
    std::fs::create_dir_all(&dir)?;
    for (name, archives) in ARCHIVES {
        let Some(paths) = archives.iter().map(|archive| installed(archive)).collect::<Option<Vec<_>>>()
        else {
            return Ok(None);
        };
        let paths: Vec<String> = paths.iter().map(|path| format!("\"{}\"", path.display())).collect();
        std::fs::write(dir.join(name), format!("GROUP ( {} )\n", paths.join(" ")))?;
    }
    Ok(Some(dir))
}

/// Where the C compiler that links finds an archive. It prints the bare name back when it finds none.
fn installed(archive: &str) -> Option<PathBuf> {
    let linker = var("RUSTC_LINKER").unwrap_or_else(|_| "cc".to_owned());
    let output = Command::new(linker).arg(format!("-print-file-name={archive}")).output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    path.is_absolute().then_some(path)
}

/// Whether a program that is linked with these arguments, as cargo would do it, runs.
fn works(out: &Path, arguments: &[String]) -> bool {
    let (source, program) = (out.join("trial.rs"), out.join("trial"));
    let mut rustc = Command::new(var("RUSTC").unwrap_or_else(|_| "rustc".to_owned()));
    rustc.arg("--edition=2024").arg("-o").arg(&program).arg(&source);
    let flags = var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    rustc.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    if let Ok(linker) = var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    rustc.args(arguments.iter().map(|argument| format!("-Clink-arg={argument}")));
    let succeeds = |mut command: Command| {
        let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        silent.status().is_ok_and(|status| status.success())
    };
    std::fs::write(&source, TRIAL).is_ok() && succeeds(rustc) && succeeds(Command::new(&program))
}
