//! Writes the commands of `fixtures/` into the corpora of the fuzz targets.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    for name in ["dev", "grammar"] {
        let lines = std::fs::read_to_string(here.join(format!("../fixtures/cases/{name}.jsonl")))?;
        for line in lines.lines() {
            let case: serde_json::Value = serde_json::from_str(line)?;
            texts.extend(case["command"].as_str().map(ToOwned::to_owned));
        }
    }
    for target in ["scan", "lowering", "cooking", "verdict", "hook"] {
        let corpus = here.join("corpus").join(target);
        std::fs::create_dir_all(&corpus)?;
        for (number, text) in texts.iter().enumerate() {
            let payload = serde_json::json!({ "tool_input": { "command": text } }).to_string();
            let seed = if target == "hook" && number % 2 == 0 { &payload } else { text };
            std::fs::write(corpus.join(format!("fixture-{number:04}")), seed)?;
        }
    }
    Ok(())
}
