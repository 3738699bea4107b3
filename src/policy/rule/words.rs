//! One text or a list of texts, as policies write them. Must never split a text.

use crate::policy::source::{leak, leak_text};
use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use std::fmt;

/// `"a"` or `["a", "b"]`.
#[derive(Clone, Debug, Default)]
pub struct Words(pub Vec<String>);

impl Words {
    /// The texts, for the rest of the process.
    pub fn leak(&self) -> &'static [&'static str] {
        leak(self.0.iter().map(|text| leak_text(text)).collect())
    }
}

struct Either;

impl<'de> Visitor<'de> for Either {
    type Value = Words;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a text or a list of texts")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Words, E> {
        Ok(Words(vec![text.to_owned()]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Words, A::Error> {
        let mut words = Vec::new();
        while let Some(text) = list.next_element()? {
            words.push(text);
        }
        Ok(Words(words))
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Either)
    }
}
