//! The names of tools, and where their inputs hold paths. Owns what a tool's name means in every
//! harness; must never judge a path.

use super::patch;
use super::payload::{Members, object, path, string};
use crate::call::{Effect, Tool};
use serde_json::value::RawValue;
use std::path::PathBuf;

/// What a tool's name means; `None` for names that are not known.
#[must_use]
pub fn kind(name: &str) -> Option<Tool> {
    Some(match name {
        "Bash"
        | "bash"
        | "shell"
        | "Shell"
        | "PowerShell"
        | "powershell"
        | "run_shell_command"
        | "run_terminal_command"
        | "run_in_terminal"
        | "run_command"
        | "run_commands"
        | "exec_command"
        | "local_shell"
        | "Execute"
        | "execute_command"
        | "execute_bash"
        | "executeBash"
        | "terminal"
        | "developer__shell"
        | "exec"
        | "pre_run_command" => Tool::Shell,
        "Monitor" | "monitor" => Tool::Monitor,
        "Read" | "read" | "read_file" | "readFile" | "view" | "fs_read" | "ReadFile" | "view_file"
        | "pre_read_code" | "read_files" => Tool::Read,
        "Write" | "write" | "write_file" | "Create" | "create" | "create_file" | "createFile"
        | "write_to_file" | "WriteFile" | "create_new_file" => Tool::Write,
        "Edit"
        | "edit"
        | "MultiEdit"
        | "multiedit"
        | "replace"
        | "search_replace"
        | "hashline_edit"
        | "str_replace"
        | "str_replace_editor"
        | "StrReplaceFile"
        | "edit_file"
        | "editFiles"
        | "editFile"
        | "insert_edit_into_file"
        | "replace_string_in_file"
        | "multi_replace_string_in_file"
        | "replace_in_file"
        | "replace_file_content"
        | "multi_replace_file_content"
        | "fs_write"
        | "developer__text_editor"
        | "editor"
        | "pre_write_code" => Tool::Edit,
        "apply_patch" | "ApplyPatch" | "applyPatch" | "patch" => Tool::Patch,
        "NotebookEdit" | "notebook_edit" | "edit_notebook" | "edit_notebook_file" => Tool::Notebook,
        "Delete" | "delete" | "delete_file" | "deleteFile" => Tool::Delete,
        "Agent"
        | "Task"
        | "agent"
        | "task"
        | "spawn_agent"
        | "team_spawn_teammate"
        | "team_run_task"
        | "collaborationspawn_agent"
        | "spawn_subagent"
        | "invoke_agent"
        | "runSubagent"
        | "subagent"
        | "use_subagent"
        | "delegate_task" => Tool::Agent,
        _ => return None,
    })
}

/// The kind of a call: the name decides, and a tool that nobody knows runs its command.
#[must_use]
pub fn tool(name: Option<&str>, command: bool, input: &Members<'_>) -> Tool {
    match name.and_then(kind) {
        Some(Tool::Shell) => shell(input),
        Some(known) => known,
        None if command => shell(input),
        None => Tool::Other,
    }
}

fn shell(input: &Members<'_>) -> Tool {
    let set = |name: &&str| input.get(*name).is_some_and(|value| value.get() == "true");
    let flagged = ["run_in_background", "is_background", "background", "isBackground"].iter().any(set);
    let detached = input.get("mode").is_some_and(|mode| mode.get() == "\"async\"");
    if flagged || detached { Tool::BackgroundShell } else { Tool::Shell }
}

/// Members that hold one path.
const PATHS: [&str; 9] = [
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "notebookPath",
    "target_file",
    "TargetFile",
    "absolute_path",
    "AbsolutePath",
];
/// Members that hold several.
const LISTS: [&str; 4] = ["files", "edits", "replacements", "paths"];
/// Members that hold the text of a patch.
const PATCHES: [&str; 6] = ["command", "input", "patch", "patchText", "patch_text", "diff"];

/// The paths that a file tool touches; none for other tools.
#[must_use]
pub fn paths(tool: Tool, input: &Members<'_>) -> Vec<(Effect, PathBuf)> {
    let effect = match tool {
        Tool::Read => Effect::Read,
        Tool::Write | Tool::Edit | Tool::Patch | Tool::Notebook => Effect::Write,
        Tool::Delete => Effect::Delete,
        Tool::Shell | Tool::BackgroundShell | Tool::Monitor | Tool::Agent | Tool::Other => return Vec::new(),
    };
    let mut found = single(input, effect);
    for value in LISTS.iter().filter_map(|name| input.get(*name)) {
        found.extend(listed(value, effect));
    }
    if tool == Tool::Patch {
        let texts = PATCHES.iter().filter_map(|name| string(input.get(*name)?));
        found.extend(texts.flat_map(|text| patch::paths(&text)));
    }
    found.dedup();
    found
}

fn single(input: &Members<'_>, effect: Effect) -> Vec<(Effect, PathBuf)> {
    let values = PATHS.iter().filter_map(|name| string(input.get(*name)?));
    values.filter(|value| !value.is_empty()).map(|value| (effect, path(value))).collect()
}

fn listed(value: &RawValue, effect: Effect) -> Vec<(Effect, PathBuf)> {
    let items: Vec<&RawValue> = serde_json::from_str(value.get()).unwrap_or_default();
    let item = |item: &&RawValue| match string(item) {
        Some(value) => vec![(effect, path(value))],
        None => object(item.get()).map(|input| single(&input, effect)).unwrap_or_default(),
    };
    items.iter().flat_map(item).collect()
}
