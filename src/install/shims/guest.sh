#!/bin/sh
# Written by `stanchion guest-install --script`: puts a baked gate and its registration into this guest. It may be run
# again at any time. Usage: sh SCRIPT [GATE], where GATE is the baked program (not needed when it is in the script).
set -eu

directory=$DIRECTORY
records=$RECORDS
gate=$directory/stanchion

fail() {
    printf 'guest-install: %s\n' "$1" >&2
    exit 1
}

mkdir -p "$directory" || fail "$directory: cannot be made"
work=$(mktemp -d "$directory/.install.XXXXXX") || fail "$directory: cannot be written"
trap 'rm -rf "$work"' EXIT

# The program in this script, if it is in it.
program() {
    cat <<'END_OF_PROGRAM'
$PROGRAM
END_OF_PROGRAM
}

# Puts the document into its place. One that is there and says something else is a person's.
settings() {
    if [ -e "$1" ]; then
        # What was added to a document by hand stays.
        cmp -s "$work/document" "$1" || grep -qF "$gate" "$1" || {
            cp "$work/document" "$directory/settings.json"
            fail "$1: is there already; add to it what $directory/settings.json says, then run this again"
        }
        return
    fi
    mkdir -p "$(dirname "$1")"
    cp "$work/document" "$1.stanchion-new"
    mv "$1.stanchion-new" "$1"
}

if [ "$#" -gt 0 ]; then
    cp "$1" "$work/gate" || fail "$1: cannot be read"
else
    program > "$work/text"
    [ -s "$work/text" ] || fail "name the baked program: sh SCRIPT GATE"
    base64 -d < "$work/text" > "$work/gate" || fail "base64 is missing: name the baked program: sh SCRIPT GATE"
fi
chmod 755 "$work/gate"
"$work/gate" doctor > "$work/said" || fail "the program does not protect here: $(cat "$work/said")"
mv "$work/gate" "$gate"
[ -d "$records" ] || mkdir -p -m 700 "$records"
$DOCUMENTS
"$gate" doctor
