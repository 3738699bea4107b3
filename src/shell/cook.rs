//! Quote decoding and brace expansion: the step from a written word to its value. Must never expand
//! a parameter, run anything or drop an unknown part.

/// Decodes the inside of `$'…'` as bash does (bash manual 3.1.2.4).
#[must_use]
pub fn ansi_c(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&byte) = raw.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(&escape) = raw.get(at) else {
            out.push(b'\\');
            break;
        };
        at += 1;
        if !ansi_escape(raw, escape, &mut at, &mut out) {
            break;
        }
    }
    out
}

/// One escape; false when it yields NUL, which ends the string.
fn ansi_escape(raw: &[u8], escape: u8, at: &mut usize, out: &mut Vec<u8>) -> bool {
    let plain = match escape {
        b'a' => 7,
        b'b' => 8,
        b'e' | b'E' => 27,
        b'f' => 12,
        b'n' => 10,
        b'r' => 13,
        b't' => 9,
        b'v' => 11,
        b'\\' | b'\'' | b'"' | b'?' => escape,
        b'0'..=b'7' => return octal(raw, at, out),
        b'x' => return hexadecimal(raw, at, out),
        b'u' => return unicode(raw, at, out, 4, escape),
        b'U' => return unicode(raw, at, out, 8, escape),
        b'c' => {
            let Some(&control) = raw.get(*at) else {
                out.extend_from_slice(b"\\c");
                return true;
            };
            *at += 1;
            // `\c\\` is control-backslash: bash takes both backslashes.
            if control == b'\\' && raw.get(*at) == Some(&b'\\') {
                *at += 1;
            }
            let value = if control == b'?' { 0x7f } else { control.to_ascii_uppercase() & 0x1f };
            return push(value, out);
        }
        _ => {
            out.push(b'\\');
            escape
        }
    };
    out.push(plain);
    true
}

fn push(value: u8, out: &mut Vec<u8>) -> bool {
    if value == 0 {
        return false;
    }
    out.push(value);
    true
}

fn octal(raw: &[u8], at: &mut usize, out: &mut Vec<u8>) -> bool {
    *at -= 1;
    let (value, _) = digits(raw, at, 3, 8);
    push((value & 0xff) as u8, out)
}

fn hexadecimal(raw: &[u8], at: &mut usize, out: &mut Vec<u8>) -> bool {
    if raw.get(*at) == Some(&b'{') {
        let mut inside = *at + 1;
        let (value, count) = digits(raw, &mut inside, usize::MAX, 16);
        // Without a digit the value is 0, which ends the string.
        *at = inside + usize::from(count > 0 && raw.get(inside) == Some(&b'}'));
        return count > 0 && push((value & 0xff) as u8, out);
    }
    let (value, count) = digits(raw, at, 2, 16);
    if count == 0 {
        out.extend_from_slice(b"\\x");
        return true;
    }
    push((value & 0xff) as u8, out)
}

fn unicode(raw: &[u8], at: &mut usize, out: &mut Vec<u8>, most: usize, escape: u8) -> bool {
    let (value, count) = digits(raw, at, most, 16);
    if count == 0 {
        out.extend_from_slice(&[b'\\', escape]);
        return true;
    }
    if value == 0 {
        return false;
    }
    if let Some(character) = char::from_u32(value) {
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    } else {
        long_utf8(value, out);
    }
    true
}

/// UTF-8 as bash writes it, also for surrogates and beyond U+10FFFF.
fn long_utf8(value: u32, out: &mut Vec<u8>) {
    let (lead, more) = match value {
        0..=0xffff => (0xe0, 2),
        0x1_0000..=0x1f_ffff => (0xf0, 3),
        0x20_0000..=0x3ff_ffff => (0xf8, 4),
        0x400_0000..=0x7fff_ffff => (0xfc, 5),
        _ => return,
    };
    out.push(lead | (value >> (6 * more)) as u8);
    for step in (0..more).rev() {
        out.push(0x80 | ((value >> (6 * step)) & 0x3f) as u8);
    }
}

fn digits(raw: &[u8], at: &mut usize, most: usize, radix: u32) -> (u32, usize) {
    let (mut value, mut count) = (0u32, 0);
    while count < most {
        let Some(digit) = raw.get(*at).and_then(|byte| (*byte as char).to_digit(radix)) else { break };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        *at += 1;
        count += 1;
    }
    (value, count)
}

/// How many words a brace expansion may make, how many units it may read and how many braces.
const MAX_BRACES: (usize, usize, usize) = (1024, 8192, 64);

/// A unit of brace expansion: a plain byte, or something that braces cannot look into.
#[derive(Clone, Debug)]
pub enum Unit<T> {
    /// An unquoted byte.
    Byte(u8),
    /// A quoted string or an expansion.
    Other(T),
}

/// A brace expansion is larger than the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

type Choices<T> = Vec<Vec<Unit<T>>>;

/// Expands `{a,b}` and `{1..3}` (bash manual 3.5.1), left to right.
///
/// # Errors
/// When the word is too long, has too many braces or would make too many words.
pub fn brace_expand<T: Clone>(units: &[Unit<T>]) -> Result<Choices<T>, TooLarge> {
    let braces = units.iter().filter(|unit| is(unit, b'{')).count();
    if units.len() > MAX_BRACES.1 || braces > MAX_BRACES.2 {
        return Err(TooLarge);
    }
    expand(units)
}

fn expand<T: Clone>(units: &[Unit<T>]) -> Result<Choices<T>, TooLarge> {
    let opens = units.iter().enumerate().filter(|(_, unit)| is(unit, b'{')).map(|(at, _)| at);
    for open in opens {
        let Some((close, choices)) = group(units, open)? else { continue };
        let head = units.get(..open).unwrap_or_default();
        let tails = expand(units.get(close + 1..).unwrap_or_default())?;
        if choices.len() * tails.len() > MAX_BRACES.0 {
            return Err(TooLarge);
        }
        let joined =
            |choice: &Vec<_>| tails.iter().map(|tail| [head, choice, tail].concat()).collect::<Vec<_>>();
        return Ok(choices.iter().flat_map(joined).collect());
    }
    Ok(vec![units.to_vec()])
}

fn is<T>(unit: &Unit<T>, wanted: u8) -> bool {
    matches!(unit, Unit::Byte(byte) if *byte == wanted)
}

/// The brace group that opens at `open`: its end and its choices. `None` when it is plain text.
fn group<T: Clone>(units: &[Unit<T>], open: usize) -> Result<Option<(usize, Choices<T>)>, TooLarge> {
    let mut depth = 0usize;
    let mut cuts = vec![open];
    for (at, unit) in units.iter().enumerate().skip(open) {
        if is(unit, b'{') {
            depth += 1;
        } else if is(unit, b',') && depth == 1 {
            cuts.push(at);
        } else if is(unit, b'}') {
            depth -= 1;
            if depth == 0 {
                cuts.push(at);
                return Ok(choices(units, &cuts)?.map(|choices| (at, choices)));
            }
        }
    }
    Ok(None)
}

/// What stands between the cuts of a group: its commas and its braces.
fn choices<T: Clone>(units: &[Unit<T>], cuts: &[usize]) -> Result<Option<Choices<T>>, TooLarge> {
    let between = cuts.windows(2).map(|pair| match pair {
        [from, to] => units.get(from + 1..*to).unwrap_or_default(),
        _ => &[],
    });
    if let [_, _] = cuts {
        return between.map(sequence).next().unwrap_or(Ok(None));
    }
    let mut all = Vec::new();
    for choice in between {
        all.extend(expand(choice)?);
        if all.len() > MAX_BRACES.0 {
            return Err(TooLarge);
        }
    }
    Ok(Some(all))
}

/// `x..y` or `x..y..step`, of integers or letters; `None` when it is neither.
fn sequence<T>(inside: &[Unit<T>]) -> Result<Option<Choices<T>>, TooLarge> {
    let bytes = inside.iter().map(|unit| match unit {
        Unit::Byte(byte) => Some(*byte),
        Unit::Other(_) => None,
    });
    let text = bytes.collect::<Option<Vec<u8>>>().and_then(|bytes| String::from_utf8(bytes).ok());
    text.and_then(|text| Sequence::parse(&text)).map(|sequence| sequence.words()).transpose()
}

struct Sequence {
    from: i64,
    to: i64,
    step: u64,
    letters: bool,
    width: usize,
}

impl Sequence {
    fn parse(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split("..").collect();
        let (first, last, step) = match parts.as_slice() {
            [first, last] => (*first, *last, 1),
            [first, last, step] => (*first, *last, step.parse::<i64>().ok()?.unsigned_abs().max(1)),
            _ => return None,
        };
        if let (Some(from), Some(to)) = (letter(first), letter(last)) {
            return Some(Self { from, to, step, letters: true, width: 0 });
        }
        let width = if padded(first) || padded(last) { first.len().max(last.len()) } else { 0 };
        Some(Self { from: first.parse().ok()?, to: last.parse().ok()?, step, letters: false, width })
    }

    fn words<T>(&self) -> Result<Choices<T>, TooLarge> {
        let count = self.from.abs_diff(self.to) / self.step;
        if count >= MAX_BRACES.0 as u64 {
            return Err(TooLarge);
        }
        let word = |index: u64| {
            let far = i64::try_from(index * self.step).unwrap_or(i64::MAX);
            let at = if self.from <= self.to {
                self.from.saturating_add(far)
            } else {
                self.from.saturating_sub(far)
            };
            let width = self.width;
            let text = if self.letters { vec![at as u8] } else { format!("{at:0width$}").into_bytes() };
            text.into_iter().map(Unit::Byte).collect()
        };
        Ok((0..=count).map(word).collect())
    }
}

fn letter(text: &str) -> Option<i64> {
    match text.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(i64::from(*byte)),
        _ => None,
    }
}

fn padded(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.len() > 1 && digits.starts_with('0')
}
