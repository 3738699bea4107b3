//! Times of the parts in one process: skeleton, reading, verdict; by size and by kind of command.
//!
//! `cargo bench --bench pipeline`. Each figure is the median over rounds of equal length.

#![expect(clippy::print_stdout, reason = "a benchmark reports to the terminal")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use stanchion::call::ToolCall;
use stanchion::gate::Gate;
use stanchion::policy;
use stanchion::shell;
use stanchion::shell::query::Queries;

/// Command lines as agents write them.
const TYPICAL: &[(&str, &str)] = &[
    ("list", "ls -la src"),
    ("git", "git status --short && git diff --stat"),
    ("search", "grep -rn 'fn main' src | head -n 20"),
    ("test", "cd /srv/app && cargo test --workspace 2>&1 | tail -n 40"),
    ("find", "find . -name '*.rs' -not -path './target/*' -exec wc -l {} + | sort -n"),
    ("python", "python3 - <<'EOF'\nimport json\nprint(json.load(open('a.json'))['x'])\nEOF"),
    (
        "commit",
        "git commit -m \"$(cat <<'EOF'\nFix the reader\n\nIt lost a `byte` at the end.\nEOF\n)\"",
    ),
    ("loop", "for f in *.log; do if [ -s \"$f\" ]; then gzip -9 \"$f\"; fi; done"),
    ("allowed", "cd /srv/firstmate && bin/fm-watch-arm.sh --restart"),
    ("denied", "bin/fm-watch-arm.sh > log 2>&1 &"),
    ("nested", "sudo bash -c 'eval \"bin/fm-watch-arm.sh\"'"),
];

/// Lines from which texts of any size are made.
const LINES: &str = "\
cd \"$HOME/project\" && make -j4 2>&1 | tee build.log
for f in src/*.c; do cc -c \"$f\" -o \"${f%.c}.o\" || exit 1; done
grep -rn 'to do' src | sort | uniq -c | head -n 20
if [ -f config.env ]; then . ./config.env; fi
printf '%s\\n' \"$(date +%F)\" >> notes.txt # when it ran
cat <<'EOF' > out.txt
plain text; with | marks & such
