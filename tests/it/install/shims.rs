//! The plugin files, run by Node where it is here, with stand-ins for their harnesses.

use super::Home;
use std::process::{Command, Output};

fn node(script: &str) -> Option<Output> {
    let is_here = Command::new("node").arg("--version").output().is_ok_and(|output| output.status.success());
    is_here.then(|| Command::new("node").args(["--input-type=module", "-e", script]).output().unwrap())
}

const TRY: &str = r#"
const said = async (command) => { try { return await call(command) } catch (error) { return "threw " + error.message } }
console.log(JSON.stringify([await said("bin/fm-watch-arm.sh &"), await said("ls")]))
"#;

fn answers(script: &str) -> Option<[String; 2]> {
    let output = node(&format!("{script}\n{TRY}"))?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let values: [serde_json::Value; 2] = serde_json::from_slice(&output.stdout).unwrap();
    Some(values.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
}

fn opencode(home: &Home, version: u8) -> String {
    let path = home.path(".config/opencode/plugins/stanchion.mjs");
    std::fs::copy(home.path(".config/opencode/plugins/stanchion.js"), &path).unwrap();
    let body = if version == 1 {
        r#"const hooks = await plugin.server({ directory: "/" })
           const call = (command) => hooks["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, { args: { command } })"#
    } else {
        r#"let hook
           await plugin.setup({ tool: { hook: async (name, run) => { hook = run } }, location: { directory: "/" } })
           const call = (command) => hook({ tool: "shell", sessionID: "s", id: "c", input: { command } })"#
    };
    format!("import plugin from {:?}\n{body}", path.display().to_string())
}

#[test]
fn plugins_block_what_is_denied_and_what_cannot_be_judged() {
    let home = Home::new();
    home.good(&["install", "opencode", "pi"]);
    for version in [1, 2] {
        let Some([denied, passed]) = answers(&opencode(&home, version)) else { return };
        assert!(denied.starts_with("threw ") && denied.contains("[watcher-background]"), "{denied}");
        assert_eq!(passed, "null");
    }
    let pi = home.path(".pi/agent/extensions/stanchion.mjs");
    let script = |path: &std::path::Path| {
        format!(
            "import plugin from {:?}\nlet hook\nplugin({{ on: (name, run) => {{ hook = run }} }})\n\
             const call = async (command) => {{ const r = await hook({{ toolName: \"bash\", input: {{ command }} }}, \
             {{ cwd: \"/\" }}); return r ? JSON.stringify(r) : null }}",
            path.display().to_string()
        )
    };
    std::fs::copy(home.path(".pi/agent/extensions/stanchion.js"), &pi).unwrap();
    let [denied, passed] = answers(&script(&pi)).unwrap();
    assert!(denied.contains("\"block\":true") && denied.contains("[watcher-background]"), "{denied}");
    assert_eq!(passed, "null");
    let text = std::fs::read_to_string(&pi).unwrap();
    std::fs::write(&pi, text.replace(env!("CARGO_BIN_EXE_stanchion"), "/nonexistent/stanchion")).unwrap();
    let [_, passed] = answers(&script(&pi)).unwrap();
    assert!(passed.contains("\"block\":true") && passed.contains("stanchion-unavailable"), "{passed}");
    let text = std::fs::read_to_string(&pi).unwrap();
    let slow = home.write("slow", "#!/bin/sh\nexec sleep 60\n");
    std::fs::set_permissions(&slow, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let text =
        text.replace("/nonexistent/stanchion", &slow.display().to_string()).replace("= 10000", "= 300");
    std::fs::write(&pi, text).unwrap();
    let [_, passed] = answers(&script(&pi)).unwrap();
    assert!(passed.contains("did not answer in time"), "{passed}");
}

const ASKING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/policies/questions.toml");

/// What Pi's extension does with a question: asked where a person is, and the answer holds.
#[test]
fn a_question_is_put_to_a_person_and_denied_without_one() {
    let home = Home::new();
    home.good(&["install", "pi", "--policy", ASKING]);
    let module = home.path(".pi/agent/extensions/stanchion.mjs");
    std::fs::copy(home.path(".pi/agent/extensions/stanchion.js"), &module).unwrap();
    let script = format!(
        "import plugin from {:?}\nlet hook\nplugin({{ on: (name, run) => {{ hook = run }} }})\n{}",
        module.display().to_string(),
        r#"const asked = []
           const call = async (ctx, command = "deploy now") => {
             const r = await hook({ toolName: "bash", toolCallId: "c", input: { command } }, { cwd: "/", ...ctx })
             return r ? [r.block, r.reason] : null
           }
           const ui = (answer) => ({ confirm: async (title, text) => { asked.push([title, text]); return answer } })
           const refuses = { confirm: async () => { throw new Error("closed") } }
           const threw = async (ctx) => { try { return await call(ctx) } catch (error) { return "threw" } }
           console.log(JSON.stringify({
             yes: await call({ hasUI: true, ui: ui(true) }), no: await call({ hasUI: true, ui: ui(false) }),
             nobody: await call({ hasUI: false, ui: ui(true) }), closed: await threw({ hasUI: true, ui: refuses }),
             harmless: await call({ hasUI: true, ui: ui(true) }, "ls"), asked
           }))"#
    );
    let Some(output) = node(&script) else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let reason = said["no"][1].as_str().unwrap();
    assert!(reason.starts_with("[deploy.ask] this deploys"), "{reason}");
    assert_eq!(said["yes"], serde_json::Value::Null);
    assert_eq!(said["no"][0], true);
    assert_eq!(said["nobody"], said["no"]);
    assert_eq!(said["closed"], "threw");
    assert_eq!(said["harmless"], serde_json::Value::Null);
    assert_eq!(said["asked"], serde_json::json!([["stanchion", reason], ["stanchion", reason]]));
}
