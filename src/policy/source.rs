//! Values as Rust source, so that `build.rs` can write them into static tables. Must never read a file.

/// A value that can be written as a constant expression.
pub trait Source {
    /// The expression.
    fn source(&self) -> String;
}

impl Source for &'static str {
    fn source(&self) -> String {
        format!("{self:?}")
    }
}

impl Source for bool {
    fn source(&self) -> String {
        self.to_string()
    }
}

impl Source for u64 {
    fn source(&self) -> String {
        self.to_string()
    }
}

impl Source for u16 {
    fn source(&self) -> String {
        self.to_string()
    }
}

impl<T: Source> Source for &'static [T] {
    fn source(&self) -> String {
        format!("&[{}]", self.iter().map(Source::source).collect::<Vec<_>>().join(", "))
    }
}

impl<T: Source> Source for Option<T> {
    fn source(&self) -> String {
        self.as_ref().map_or("None".to_owned(), |value| format!("Some({})", value.source()))
    }
}

impl<A: Source, B: Source> Source for (A, B) {
    fn source(&self) -> String {
        format!("({}, {})", self.0.source(), self.1.source())
    }
}

/// Writes a struct field by field, as source and as bytes.
macro_rules! source_struct {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl $crate::policy::source::Source for $name {
            fn source(&self) -> String {
                let Self { $($field),* } = self;
                let fields = [$(format!(concat!(stringify!($field), ": {}"), $field.source())),*];
                format!(concat!(stringify!($name), " {{ {} }}"), fields.join(", "))
            }
        }

        $crate::policy::binary::binary_struct!($name { $($field),* });
    };
}

/// An enum without data, with the names that it has in files.
macro_rules! named_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name { $($(#[$variant_doc])* $variant),* }

        impl $name {
            /// Every one, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its name in files.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }

            /// The one with this name.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.name() == name)
            }
        }

        impl $crate::policy::source::Source for $name {
            fn source(&self) -> String {
                format!(concat!(stringify!($name), "::{:?}"), self)
            }
        }

        impl $crate::policy::binary::Binary for $name {
            fn put(&self, out: &mut Vec<u8>) {
                (*self as u8).put(out);
            }

            fn take(from: &mut $crate::policy::binary::Reader) -> Option<Self> {
                Self::ALL.get(usize::from(u8::take(from)?)).copied()
            }
        }
    };
}

pub(crate) use {named_enum, source_struct};

/// A list that lives as long as the process, as the shipped tables do.
pub fn leak<T>(list: Vec<T>) -> &'static [T] {
    Box::leak(list.into_boxed_slice())
}

/// A text that lives as long as the process.
pub fn leak_text(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}
