//! The name that a wrong one may have been meant for. Must never be acted upon, only told.

/// The nearest of some names, when one is near.
pub fn nearest<'n>(word: &str, names: &[&'n str]) -> Option<&'n str> {
    let most = 1 + word.chars().count() / 4;
    let told = names.iter().map(|name| (distance(word, name), *name));
    told.filter(|(far, _)| *far <= most).min_by_key(|(far, _)| *far).map(|(_, name)| name)
}

/// How many letters must be added, left out, changed or swapped with their neighbour (Damerau's distance
/// in its restricted form), without regard to upper and lower case.
fn distance(one: &str, other: &str) -> usize {
    let letters = |text: &str| text.to_lowercase().chars().collect::<Vec<_>>();
    let (one, other) = (letters(one), letters(other));
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (row, letter) in one.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, wanted) in other.iter().enumerate() {
            let at = |line: &[usize], place: usize| line.get(place).copied().unwrap_or(usize::MAX / 2);
            let same = usize::from(letter != wanted);
            let mut cost =
                (at(&last, column) + same).min(at(&last, column + 1) + 1).min(at(&next, column) + 1);
            let swapped = row > 0
                && column > 0
                && one.get(row - 1) == Some(wanted)
                && other.get(column - 1) == Some(letter);
            if swapped {
                cost = cost.min(at(&before, column - 1) + 1);
            }
            next.push(cost);
        }
        before = std::mem::replace(&mut last, next);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_near_and_another_word_is_not() {
        let names = ["reason", "advice", "decision", "unparsed", "when"];
        for (word, meant) in [("reson", "reason"), ("advcie", "advice"), ("Decision", "decision")] {
            assert_eq!(nearest(word, &names), Some(meant), "{word}");
        }
        assert_eq!(nearest("severity", &names), None);
        assert_eq!(nearest("", &names), None);
    }

    #[test]
    fn the_distance_counts_letters() {
        for (one, other, far) in [("", "abc", 3), ("kitten", "sitting", 3), ("ab", "ba", 1), ("x", "x", 0)] {
            assert_eq!(distance(one, other), far, "{one} {other}");
        }
    }
}
