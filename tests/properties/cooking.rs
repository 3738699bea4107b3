//! Cooking: decoders end on any bytes, and what is quoted comes out as it went in.

use super::{ensure, shown};
use stanchion::shell::cook::{self, Unit};
use stanchion::shell::{self, query::Queries};

/// Checks the decoders on a text, and the text in every form of quotes.
pub fn check(text: &[u8]) -> Result<(), String> {
    let decoded = cook::ansi_c(text);
    ensure(!decoded.contains(&0) || text.contains(&0), || "a NUL byte out of nothing".to_owned())?;
    let units: Vec<Unit<()>> = text.iter().map(|byte| Unit::Byte(*byte)).collect();
    if let Ok(words) = cook::brace_expand(&units) {
        ensure((1..=1024).contains(&words.len()), || format!("{} words of braces", words.len()))?;
    }
    let word: Vec<u8> = text.iter().copied().filter(|byte| *byte != 0).collect();
    for (form, written) in [("'", single(&word)), ("\"", double(&word)), ("$'", ansi(&word))] {
        let line = [b"x ".as_slice(), &written].concat();
        let script = shell::read(&line, Queries::shipped());
        let words = script.commands.first().map(|command| command.words.as_slice());
        let cooked = words.and_then(|words| words.get(1)?.exact());
        ensure(cooked == Some(&word), || format!("{form} gives {:?}", cooked.map(shown)))?;
    }
    Ok(())
}

fn single(word: &[u8]) -> Vec<u8> {
    let quoted = word.iter().flat_map(|byte| match byte {
        b'\'' => b"'\\''".to_vec(),
        byte => vec![*byte],
    });
    std::iter::once(b'\'').chain(quoted).chain([b'\'']).collect()
}

fn double(word: &[u8]) -> Vec<u8> {
    let quoted = word.iter().flat_map(|byte| match byte {
        b'$' | b'`' | b'"' | b'\\' => vec![b'\\', *byte],
        byte => vec![*byte],
    });
    std::iter::once(b'"').chain(quoted).chain([b'"']).collect()
}

fn ansi(word: &[u8]) -> Vec<u8> {
    let quoted = word.iter().flat_map(|byte| format!("\\x{byte:02x}").into_bytes());
    b"$'".iter().copied().chain(quoted).chain([b'\'']).collect()
}
