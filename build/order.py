#!/usr/bin/env python3
"""Writes build/order.ld: the functions that hook calls run, to be linked side by side.

Usage: CARGO_PROFILE_RELEASE_STRIP=none cargo build --release && build/order.py [PROGRAM]
(default: target/release/stanchion; Linux on x86-64 only)

Runs the program on the calls below, one instruction at a time, and lists every function of ours and of
the Rust libraries that was entered. Run it when `cargo bench --bench process` has grown slower; a list
that is out of date costs time and nothing else, since it tells places only.
"""

import bisect
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TRACE_ME, PEEK_USER, SINGLE_STEP, RIP = 0, 3, 9, 16 * 8
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.restype = ctypes.c_long
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]

HEAD = """/* What a hook call runs stands together: a page of a program is read in when it is first touched, with
 * its neighbours, so that scattered code costs a start many such readings. Places only; nothing else
 * of the layout is said here. Written by build/order.py. */
SECTIONS
{
    .text.hook :
    {
"""
TAIL = """    }
}
INSERT BEFORE .text;
"""

COMMANDS = [
    "ls -la",
    "bin/fm-watch-arm.sh &",
    "cargo test --release 2>&1 | tail -20",
    "git push --force origin main",
    "cd src && grep -rn \"fn main\" . | head -5; echo $?",
    "rm -rf ./target/debug",
    "git commit -m \"$(cat <<'EOF'\nfix: a thing\n\nEOF\n)\"",
    "for f in *.rs; do wc -l \"$f\"; done",
    "sudo bash -c 'rm -rf /'",
    "FOO=bar python3 -c 'print(1)' > out.txt",
]


def calls():
    """Arguments and standard input of each call."""
    for command in COMMANDS:
        payload = json.dumps({"tool_name": "Bash", "tool_input": {"command": command}, "cwd": os.getcwd()})
        yield ["hook"], payload
        yield ["hook", "--harness", "claude", "--policy", "core"], payload


def addresses(program, arguments, text):
    """Every address at which an instruction was run."""
    with tempfile.TemporaryFile() as stdin:
        stdin.write(text.encode())
        stdin.flush()
        stdin.seek(0)
        child = os.fork()
        if child == 0:
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(stdin.fileno(), 0)
            os.dup2(null, 1)
            os.dup2(null, 2)
            LIBC.ptrace(TRACE_ME, 0, None, None)
            os.execv(program, [program, *arguments])
    found = set()
    _, status = os.waitpid(child, 0)
    while os.WIFSTOPPED(status):
        found.add(LIBC.ptrace(PEEK_USER, child, RIP, None))
        LIBC.ptrace(SINGLE_STEP, child, None, None)
        _, status = os.waitpid(child, 0)
    return found


def functions(program):
    """Start addresses and names of the program's functions, sorted."""
    listing = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in listing.splitlines())
    return sorted((int(row[0], 16), row[2]) for row in rows if len(row) == 3 and row[1] in "tTwW")


def pattern(name):
    """The section of a function, whatever hashes of crates and types are in its name."""
    return re.sub(r"Cs[0-9A-Za-z]+_", "Cs*_", re.sub(r"17h[0-9a-f]{16}E.*$", "17h*", name))


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "target/release/stanchion"
    table = functions(program)
    if not table:
        sys.exit(f"{program} has no symbols: build it with CARGO_PROFILE_RELEASE_STRIP=none")
    starts = [start for start, _ in table]
    names = set()
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(HOME=home, XDG_STATE_HOME=home, XDG_CONFIG_HOME=home, XDG_CACHE_HOME=home)
        for arguments, text in calls():
            seen = addresses(program, arguments, text)
            names.update(table[bisect.bisect_right(starts, at) - 1][1] for at in seen if at >= starts[0])
    rust = sorted({pattern(name) for name in names if name.startswith(("_ZN", "_R", "ts_"))})
    lines = [f"        *(.text.{name} .text.unlikely.{name})\n" for name in rust]
    Path(__file__).with_name("order.ld").write_text(HEAD + "".join(lines) + TAIL)
    print(f"{len(rust)} functions of {len(names)} that ran")


if __name__ == "__main__":
    main()
