//! What each harness's file looks like after an installation.

use super::{Home, tree};

#[test]
fn files_as_installed() {
    let mut shown = String::new();
    for harness in stanchion::install::ALL {
        for level in ["user", "project"] {
            let home = Home::new();
            let option: &[&str] = if level == "project" { &["--project"] } else { &[] };
            home.good(&[&["install", harness.name], option].concat());
            for (path, bytes) in tree(&home.path("")) {
                let name = path.strip_prefix(home.path("")).unwrap().display().to_string();
                let text = String::from_utf8(bytes).unwrap();
                let text = text.replace(env!("CARGO_BIN_EXE_stanchion"), "/opt/stanchion");
                // The shims stand in the sources: what is filled in is enough here.
                let text = if name.ends_with(".js") {
                    let filled = text
                        .lines()
                        .filter(|line| line.starts_with("const PROGRAM") || line.starts_with("const ARGS"));
                    filled.collect::<Vec<_>>().join("\n") + "\n"
                } else {
                    text
                };
                shown += &format!("=== {} ({level}): {name}\n{text}", harness.name);
            }
        }
    }
    insta::with_settings!({ snapshot_path => "../snapshots", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("installed", shown);
    });
}
