//! Values as bytes, for policies that were compiled once and are used many times. Must never trust
//! what it reads: bytes that mean nothing give nothing.

use super::source::leak;

/// How deep conditions may nest in what is read. The written form allows less.
const DEPTH: usize = 200;

/// A value that can be written as bytes and read again.
pub trait Binary: Sized {
    /// Writes it.
    fn put(&self, out: &mut Vec<u8>);
    /// Reads it; `None` when the bytes mean nothing.
    fn take(from: &mut Reader) -> Option<Self>;
}

/// What is still to be read. Texts are not copied out of it, so it lives as long as the process.
pub struct Reader {
    rest: &'static [u8],
    depth: usize,
}

impl Reader {
    /// A reader of these bytes.
    pub fn new(bytes: &'static [u8]) -> Self {
        Self { rest: bytes, depth: 0 }
    }

    /// Whether all is read.
    pub fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    /// Reads something that nests in itself.
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth = Some(self.depth + 1).filter(|depth| *depth <= DEPTH)?;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn bytes(&mut self, count: usize) -> Option<&'static [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    /// A number of things that follow: never more than there are bytes left.
    fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(u64::take(self)?).ok()?;
        (count <= self.rest.len()).then_some(count)
    }
}

impl Binary for u64 {
    /// Seven bits in a byte, the lowest first; the highest bit says that more follow.
    fn put(&self, out: &mut Vec<u8>) {
        let mut left = *self;
        while left > 0x7f {
            out.push((left & 0x7f) as u8 | 0x80);
            left >>= 7;
        }
        out.push((left & 0x7f) as u8);
    }

    fn take(from: &mut Reader) -> Option<Self> {
        let mut sum = 0;
        for place in 0..10 {
            let byte = u64::from(u8::take(from)?);
            sum |= (byte & 0x7f).checked_shl(place * 7)?;
            if byte & 0x80 == 0 {
                return Some(sum);
            }
        }
        None
    }
}

impl Binary for u8 {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }

    fn take(from: &mut Reader) -> Option<Self> {
        from.bytes(1)?.first().copied()
    }
}

impl Binary for u16 {
    fn put(&self, out: &mut Vec<u8>) {
        u64::from(*self).put(out);
    }

    fn take(from: &mut Reader) -> Option<Self> {
        u64::take(from)?.try_into().ok()
    }
}

impl Binary for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn take(from: &mut Reader) -> Option<Self> {
        Some(u8::take(from)? != 0)
    }
}

impl Binary for &'static str {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn take(from: &mut Reader) -> Option<Self> {
        let count = from.count()?;
        std::str::from_utf8(from.bytes(count)?).ok()
    }
}

impl Binary for String {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn take(from: &mut Reader) -> Option<Self> {
        <&'static str>::take(from).map(ToOwned::to_owned)
    }
}

impl<T: Binary> Binary for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        self.iter().for_each(|item| item.put(out));
    }

    fn take(from: &mut Reader) -> Option<Self> {
        let count = from.count()?;
        let mut list = Self::with_capacity(count.min(1024));
        for _ in 0..count {
            list.push(T::take(from)?);
        }
        Some(list)
    }
}

impl<T: Binary> Binary for &'static [T] {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        self.iter().for_each(|item| item.put(out));
    }

    fn take(from: &mut Reader) -> Option<Self> {
        Vec::take(from).map(leak)
    }
}

impl<T: Binary> Binary for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        self.iter().for_each(|item| item.put(out));
    }

    fn take(from: &mut Reader) -> Option<Self> {
        if bool::take(from)? { T::take(from).map(Some) } else { Some(None) }
    }
}

impl<A: Binary, B: Binary> Binary for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn take(from: &mut Reader) -> Option<Self> {
        Some((A::take(from)?, B::take(from)?))
    }
}

/// Writes and reads a struct field by field.
macro_rules! binary_struct {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl $crate::policy::binary::Binary for $name {
            fn put(&self, out: &mut Vec<u8>) {
                let Self { $($field),* } = self;
                $($crate::policy::binary::Binary::put($field, out);)*
            }

            fn take(from: &mut $crate::policy::binary::Reader) -> Option<Self> {
                Some(Self { $($field: $crate::policy::binary::Binary::take(from)?),* })
            }
        }
    };
}

pub(crate) use binary_struct;

/// The bytes of a value.
pub fn bytes(value: &impl Binary) -> Vec<u8> {
    let mut out = Vec::new();
    value.put(&mut out);
    out
}

/// The value of some bytes, when they are nothing but that.
pub fn value<T: Binary>(bytes: &'static [u8]) -> Option<T> {
    let mut reader = Reader::new(bytes);
    let value = T::take(&mut reader)?;
    reader.is_done().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{NAMES, Policy, shipped};

    fn kept(bytes: Vec<u8>) -> &'static [u8] {
        leak(bytes)
    }

    #[test]
    fn every_shipped_policy_comes_back() {
        for policy in NAMES.iter().filter_map(|name| shipped(name)) {
            assert_eq!(value::<Policy>(kept(bytes(&policy))), Some(policy));
        }
    }

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            assert_eq!(value::<u64>(kept(bytes(&number))), Some(number));
        }
        assert_eq!(value::<u64>(&[0xff; 11]), None);
        assert_eq!(value::<u16>(kept(bytes(&70_000_u64))), None);
    }

    #[test]
    fn cut_and_changed_bytes_end_in_a_value_or_in_none() {
        let whole = shipped("core.self").map(|policy| bytes(&policy)).unwrap_or_default();
        for at in 0..whole.len() {
            assert_eq!(value::<Policy>(kept(whole.get(..at).unwrap_or_default().to_vec())), None);
        }
        let mut survived = 0;
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            if let Some(byte) = changed.get_mut(at) {
                *byte ^= 0x85;
            }
            survived += usize::from(value::<Policy>(kept(changed)).is_some());
        }
        assert!(survived < whole.len());
    }
}
