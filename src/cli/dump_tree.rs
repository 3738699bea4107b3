//! `stanchion dump-tree`: the syntax tree as the queries see it. Owns its two renderings; must
//! never be used to decide.

use super::layers::Around;
use super::{out, selection::Selection, shown};
use serde::Serialize;
use stanchion::shell;
use stanchion::shell::model::Script;
use stanchion::shell::query::Queries;
use stanchion::shell::syntax::{self, Node, Tree};
use stanchion::span::Span;
use std::ffi::OsString;
use std::fmt::Write as _;

/// Show the syntax tree of a command line, for people who edit queries
///
/// Without --raw and --normalised both trees are shown.
#[derive(clap::Args)]
pub struct Args {
    /// The command line; stdin when left out
    command: Option<OsString>,
    /// Show the tree of the text as submitted
    #[arg(long)]
    raw: bool,
    /// Show the tree of the text as the parser gets it
    #[arg(long, visible_alias = "normalized")]
    normalised: bool,
    /// Show what the queries capture
    #[arg(long)]
    captures: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    selection: Selection,
}

#[derive(Serialize)]
struct Dump {
    schema: u32,
    trees: Vec<Shown>,
}

#[derive(Serialize)]
struct Shown {
    form: &'static str,
    text: String,
    /// Null when the grammar gave up.
    nodes: Option<Vec<ShownNode>>,
}

#[derive(Serialize)]
struct ShownNode {
    kind: &'static str,
    field: Option<&'static str>,
    named: bool,
    error: bool,
    missing: bool,
    span: shown::Range,
    depth: usize,
    role: Role,
    captures: Vec<String>,
}

/// What becomes of a node.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    Executed,
    Data,
    Opaque,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::Executed => "executed",
            Self::Data => "data",
            Self::Opaque => "opaque",
        }
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    let loaded = args.selection.load(Around::Nothing)?;
    let text = shown::submitted(args.command.as_ref())?;
    let script = shell::read(&text, loaded.queries);
    let dumper = Dumper { script: &script, queries: args.captures.then_some(loaded.queries) };
    let mut trees = Vec::new();
    if args.raw || !args.normalised {
        trees.push(dumper.dump("raw", &text));
    }
    if args.normalised || !args.raw {
        trees.push(dumper.dump("normalised", &shell::skeleton(&text)));
    }
    if args.json {
        out::json(&Dump { schema: shown::SCHEMA, trees })?;
    } else {
        out::say(trees.iter().map(people).collect::<String>());
    }
    Ok(0)
}

struct Dumper<'a> {
    script: &'a Script,
    queries: Option<&'static Queries>,
}

impl Dumper<'_> {
    fn dump(&self, form: &'static str, text: &[u8]) -> Shown {
        let tree = syntax::parse(text);
        Shown { form, text: shown::text(text), nodes: tree.map(|tree| self.nodes(&tree)) }
    }

    fn nodes(&self, tree: &Tree) -> Vec<ShownNode> {
        let mut nodes: Vec<ShownNode> = Vec::with_capacity(tree.nodes.len());
        for (id, node) in tree.nodes.iter().enumerate() {
            let parent = nodes.get(node.parent).filter(|_| id > 0);
            let shown = self.node(node, parent);
            nodes.push(shown);
        }
        self.capture(tree, &mut nodes);
        nodes
    }

    fn node(&self, node: &Node, parent: Option<&ShownNode>) -> ShownNode {
        let inherited = parent.filter(|_| !node.named).map(|parent| parent.role);
        ShownNode {
            kind: syntax::kind_name(node.kind),
            field: syntax::field_name(node.field),
            named: node.named,
            error: node.error,
            missing: node.missing,
            span: shown::range(node.span),
            depth: parent.map_or(0, |parent| parent.depth + 1),
            role: inherited.unwrap_or_else(|| self.role(node.span)),
            captures: Vec::new(),
        }
    }

    /// A node that holds a command word, or is part of one, is executed.
    fn role(&self, span: Span) -> Role {
        if self.script.opaque.iter().any(|opaque| opaque.span.contains(span)) {
            return Role::Opaque;
        }
        let mut words = self.script.commands.iter().filter_map(|command| command.words.first());
        let executed = words.any(|word| span.contains(word.span) || word.span.contains(span));
        if executed { Role::Executed } else { Role::Data }
    }

    fn capture(&self, tree: &Tree, nodes: &mut [ShownNode]) {
        let Some(queries) = self.queries else { return };
        for capture in queries.captures(tree, &|span| Some(self.cooked(span))) {
            if let Some(node) = nodes.get_mut(capture.node) {
                node.captures.push(capture.name.to_owned());
            }
        }
    }

    fn cooked(&self, span: Span) -> Vec<u8> {
        let mut words = self.script.commands.iter().flat_map(|command| &command.words);
        let exact = words.find(|word| word.span == span).and_then(|word| word.exact());
        exact.unwrap_or_else(|| span.slice(&self.script.source)).to_vec()
    }
}

fn people(tree: &Shown) -> String {
    let mut text = format!("{}: {:?}\n", tree.form, tree.text);
    let Some(nodes) = &tree.nodes else { return text + "  the grammar gave up\n" };
    for node in nodes {
        let indent = "  ".repeat(node.depth + 1);
        let field = node.field.map(|field| format!("{field}: ")).unwrap_or_default();
        let kind = if node.named { node.kind.to_owned() } else { format!("{:?}", node.kind) };
        let [from, to] = node.span;
        let missing = if node.missing { " MISSING" } else { "" };
        let captures: String = node.captures.iter().map(|name| format!(" @{name}")).collect();
        let role = node.role.name();
        let _ = writeln!(text, "{indent}{field}{kind} {from}..{to} {role}{missing}{captures}");
    }
    text
}
