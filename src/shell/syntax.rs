//! The only room that names tree-sitter: parses a skeleton and flattens the tree. Must never see
//! submitted text, only skeletons (and, for `dump-tree --raw`, what a person asks to see).

use crate::span::Span;

/// Index of a node in [`Tree::nodes`].
pub type NodeId = usize;

/// A syntax tree as a flat list in pre-order. Node 0 is the root.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The nodes in pre-order: a node's subtree is `id..nodes[id].after`.
    pub nodes: Vec<Node>,
}

/// One node.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Grammar symbol. Aliased symbols have the id of their visible name.
    pub kind: u16,
    /// Field id by which the parent holds it; 0 for none.
    pub field: u16,
    /// Whether the node is named (as opposed to an anonymous token).
    pub named: bool,
    /// Whether it is an `ERROR` node.
    pub error: bool,
    /// Whether it is a zero-width node that recovery inserted.
    pub missing: bool,
    /// Its byte range.
    pub span: Span,
    /// The parent; the root is its own parent.
    pub parent: NodeId,
    /// One past the last node of its subtree.
    pub after: NodeId,
}

impl Tree {
    /// The direct children of a node, in order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        let end = self.nodes.get(id).map_or(0, |node| node.after);
        let mut next = id + 1;
        std::iter::from_fn(move || {
            if next >= end {
                return None;
            }
            let child = next;
            next = self.nodes.get(child).map_or(end, |node| node.after.max(child + 1));
            Some(child)
        })
    }
}

/// Parses a skeleton. `None` when the grammar gave up (size or work limit).
#[must_use]
pub fn parse(skeleton: &[u8]) -> Option<Tree> {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(language()).ok()?;
    let tree = parser.parse(skeleton, None)?;
    Some(flatten(&tree))
}

fn flatten(tree: &tree_sitter::Tree) -> Tree {
    let mut nodes: Vec<Node> = Vec::new();
    let mut cursor = tree.walk();
    let mut open: Vec<NodeId> = Vec::new();
    loop {
        let id = nodes.len();
        let node = cursor.node();
        nodes.push(Node {
            kind: node.kind_id(),
            field: cursor.field_id().map_or(0, std::num::NonZeroU16::get),
            named: node.is_named(),
            error: node.is_error(),
            missing: node.is_missing(),
            span: Span::new(node.start_byte(), node.end_byte()),
            parent: open.last().copied().unwrap_or(0),
            after: id + 1,
        });
        if cursor.goto_first_child() {
            open.push(id);
            continue;
        }
        loop {
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return Tree { nodes };
            }
            let after = nodes.len();
            if let Some(parent) = open.pop().and_then(|id| nodes.get_mut(id)) {
                parent.after = after;
            }
        }
    }
}

fn language() -> &'static tree_sitter::Language {
    static LANGUAGE: std::sync::LazyLock<tree_sitter::Language> =
        std::sync::LazyLock::new(|| tree_sitter_bash::LANGUAGE.into());
    &LANGUAGE
}

/// The name of a grammar symbol, as `queries/*.scm` spell it.
#[must_use]
pub fn kind_name(kind: u16) -> &'static str {
    language().node_kind_for_id(kind).unwrap_or("ERROR")
}

/// The name of a field id.
#[must_use]
pub fn field_name(field: u16) -> Option<&'static str> {
    language().field_name_for_id(field)
}

/// The id of a node kind or an anonymous token, for queries that are read at run time.
#[must_use]
pub fn kind_id(name: &str, named: bool) -> Option<u16> {
    Some(language().id_for_node_kind(name, named)).filter(|id| *id != 0)
}

/// The id of a field, for queries that are read at run time.
#[must_use]
pub fn field_id(name: &str) -> Option<u16> {
    language().field_id_for_name(name).map(std::num::NonZeroU16::get)
}

/// Checks a query file with tree-sitter itself: the byte offset and text of its complaint. Slow, so
/// only for queries that are read at run time.
///
/// # Errors
/// What tree-sitter has against the query.
pub fn check_query(text: &str) -> Result<(), (usize, String)> {
    let checked = tree_sitter::Query::new(language(), text);
    checked.map(|_| ()).map_err(|error| (error.offset, error.message))
}
