//! What the tables of policy files look like: one description of each, from which they are read, checked
//! and shown as a schema. Must never say what a value means.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use std::ops::Range;
use toml::Spanned;

/// A table: its keys and what they are for.
#[derive(Debug)]
pub struct Table {
    /// Its name, for messages and for the schema.
    pub name: &'static str,
    /// What it is for, line by line.
    pub doc: &'static [&'static str],
    /// Its keys.
    pub keys: &'static [Key],
}

/// A key of a table.
#[derive(Debug)]
pub struct Key {
    /// Its name, with Rust's mark where that is a word of Rust.
    pub field: &'static str,
    /// What it is for, line by line.
    pub doc: &'static [&'static str],
    /// Whether it must be there.
    pub required: bool,
    /// What its value looks like.
    pub shape: Shape,
}

impl Key {
    /// Its name in files.
    pub fn name(&self) -> &'static str {
        self.field.strip_prefix("r#").unwrap_or(self.field)
    }
}

/// What a value looks like.
#[derive(Debug)]
pub enum Shape {
    /// `true` or `false`.
    Bool,
    /// This number.
    Exactly(u32),
    /// Two numbers, the smaller first.
    Bounds,
    /// A text.
    Text(&'static Text),
    /// A list of at least so many.
    List(&'static Self, usize),
    /// One, or a list of at least one.
    OneOrMore(&'static Self),
    /// A table.
    Table(fn() -> &'static Table),
    /// A table whose keys are texts of this kind.
    Map(&'static Text, &'static Self),
}

/// A kind of text.
#[derive(Debug)]
pub struct Text {
    /// What it is, with its article: `a rule's id`.
    pub what: &'static str,
    /// What is told of one that does not fit.
    pub remedy: &'static str,
    /// Which texts fit.
    pub fits: Fits,
}

/// Which texts fit.
#[derive(Debug)]
pub enum Fits {
    /// All of them.
    All,
    /// Those that a regular expression matches (ECMA 262), told in Rust besides.
    Pattern(&'static str, fn(&str) -> bool),
    /// Some names.
    Names(fn() -> Vec<&'static str>),
}

/// A type that is read as a table.
pub trait Described: DeserializeOwned + Default {
    /// The table's description.
    fn table() -> &'static Table;
}

/// A value and where it is written. One that is missing or was refused has no place: what is missing is
/// told once, and not again by the checks of its meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Written<T> {
    value: T,
    at: (usize, usize),
}

impl<T> Written<T> {
    /// A value at a place.
    pub fn new(at: Range<usize>, value: T) -> Self {
        Self { value, at: (at.start, at.end) }
    }

    /// The value.
    pub fn get_ref(&self) -> &T {
        &self.value
    }

    /// Where it is written.
    pub fn span(&self) -> Range<usize> {
        self.at.0..self.at.1
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Written<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<T>::deserialize(deserializer)?;
        Ok(Self::new(spanned.span(), spanned.into_inner()))
    }
}

/// Declares a table: the struct that is read and its description are one text, so that they cannot differ.
/// Documentation of a key is what the schema says of it.
macro_rules! table {
    (
        $(#[doc = $doc:literal])+
        $vis:vis $name:ident as $title:literal {
            $($(#[doc = $key_doc:literal])+ $need:ident $field:ident: $type:ty = $shape:expr;)*
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug, Default, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        $vis struct $name { $($(#[doc = $key_doc])+ pub(in $crate::policy) $field: $type),* }

        impl $crate::policy::form::table::Described for $name {
            fn table() -> &'static $crate::policy::form::table::Table {
                use $crate::policy::form::table::{Key, Table};
                static TABLE: Table = Table {
                    name: $title,
                    doc: &[$($doc),+],
                    keys: &[$(Key {
                        field: stringify!($field),
                        doc: &[$($key_doc),+],
                        required: $crate::policy::form::table::needed!($need),
                        shape: $shape,
                    }),*],
                };
                &TABLE
            }
        }
    };
}

/// Whether a key must be there.
macro_rules! needed {
    (required) => {
        true
    };
    (optional) => {
        false
    };
}

pub(crate) use {needed, table};
