//! Builtins that change variables, arguments or the directory for what comes later in the text
//! (bash manual 4). Must never resolve a program: wrappers and sinks are next door.

use super::environment::Environment;
use super::lower::Lowerer;
use super::model::{Command, CommandId, Cooked, Directory, PlaceId, RedirectKind, Word};
use super::path::fold;
use super::word::between;

impl Lowerer<'_> {
    pub(super) fn builtin(&mut self, id: CommandId, env: &mut Environment) {
        let Some(command) = self.script.commands.get(id) else { return };
        let Some(name) = command.words.first().and_then(Word::exact) else { return };
        if !changes(name) {
            return;
        }
        let Some(command) = self.script.commands.get(id).cloned() else { return };
        let name = command.words.first().and_then(Word::exact).unwrap_or_default();
        let rest = command.words.get(1..).unwrap_or_default();
        match name {
            b"cd" | b"pushd" => env.directory = changed(rest, &env.directory),
            b"popd" => env.directory = Directory::Unknown,
            b"export" | b"declare" | b"typeset" | b"local" | b"readonly" => {
                self.declared(rest, command.place, env);
            }
            b"set" => self.positional(rest, env),
            b"shift" => self.shift(rest, env),
            b"let" => self.let_builtin(rest, command.place, env),
            b"test" | b"[" => self.named_behind(rest, b"-v", command.place, env),
            b"printf" => self.printf_builtin(&command, env),
            b"wait" => self.named_behind(rest, b"-p", command.place, env),
            b"unset" => self.unset(rest, command.place, env),
            _ => self.read_builtin(&command, env),
        }
    }

    fn declared(&mut self, operands: &[Word], place: PlaceId, env: &mut Environment) {
        let option = |letter: u8| {
            let has = |bytes: &[u8]| bytes.starts_with(b"-") && bytes.contains(&letter);
            operands.iter().filter_map(Word::exact).any(has)
        };
        let (reference, marked) = (option(b'n'), b"iulcr".iter().any(|letter| option(*letter)));
        for word in operands {
            self.evaluate_name(word, place, env);
            let Some(known) = start(&word.value) else { continue };
            let Some(at) = known.iter().position(|byte| *byte == b'=') else {
                if marked && !known.starts_with(b"-") {
                    env.mark(known);
                }
                continue;
            };
            let (name, value) = known.split_at(at);
            let (append, name) = name.strip_suffix(b"+").map_or((false, name), |name| (true, name));
            let value = match word.exact() {
                Some(_) => Cooked::Exact(value.get(1..).unwrap_or_default().to_vec()),
                None => Cooked::Opaque,
            };
            if let (true, Some(target)) = (reference, value.exact()) {
                env.refer(name, target);
                self.evaluate_text(target, place, env);
                continue;
            }
            if marked {
                env.mark(name);
                value.exact().into_iter().for_each(|text| self.evaluate_text(text, place, env));
            }
            if append {
                env.append(name, &[value], false, self.branches > 0);
            } else {
                self.declare_values(name, value, word, env);
            }
        }
    }

    /// Assigns a declared value, and further ones that the word may have.
    fn declare_values(&self, name: &[u8], value: Cooked, word: &Word, env: &mut Environment) {
        if word.value.exact().is_some() || env.get(name).is_none_or(|known| !known.certain) {
            env.set(name, vec![value], self.branches > 0);
        }
        let others: Vec<Cooked> = word.alternatives.iter().cloned().chain(between(word)).collect();
        for bytes in others.iter().filter_map(Cooked::exact) {
            let prefix = [name, b"="].concat();
            if let Some(value) = bytes.strip_prefix(prefix.as_slice()) {
                env.assign(name, vec![Cooked::Exact(value.to_vec())], true);
            }
        }
    }

    fn positional(&self, operands: &[Word], env: &mut Environment) {
        let (mut rest, mut all) = (operands, false);
        while let Some(option) = rest.first().and_then(Word::exact) {
            let ends = matches!(option, b"--" | b"-");
            if !(ends || option.len() > 1 && matches!(option.first(), Some(b'-' | b'+'))) {
                break;
            }
            // `--` alone takes all away; `-o` has the name of an option behind it.
            all = option == b"--";
            let named = !ends && option.contains(&b'o');
            rest = rest.get(1 + usize::from(named)..).unwrap_or_default();
            if ends {
                break;
            }
        }
        if all || !rest.is_empty() {
            self.arguments(&rest.iter().collect::<Vec<_>>(), env);
        }
    }

    /// Sets `$@`, `$*`, `$1` … .
    pub(super) fn arguments(&self, values: &[&Word], env: &mut Environment) {
        let all: Vec<Cooked> = values.iter().map(|word| word.value.clone()).collect();
        set_arguments(&all, self.branches > 0, env);
        for (index, word) in values.iter().enumerate() {
            for value in word.alternatives.iter().cloned().chain(between(word)) {
                env.assign((index + 1).to_string().as_bytes(), vec![value], true);
            }
        }
    }

    fn shift(&self, operands: &[Word], env: &mut Environment) {
        let by = match operands {
            [] => Some(1),
            [word] => word.exact().and_then(|bytes| std::str::from_utf8(bytes).ok()?.parse().ok()),
            _ => None,
        };
        let Some(known) = env.get(b"@").cloned() else { return };
        let possible = self.branches > 0 || !known.certain || known.values.len() > 1;
        for list in known.values {
            match by.and_then(|by: usize| list.get(by..)) {
                Some(rest) => set_arguments(rest, possible, env),
                None => env.doubt_all(),
            }
        }
    }

    /// `printf -v NAME FORMAT …`
    fn printf_builtin(&mut self, command: &Command, env: &mut Environment) {
        let words = &command.words;
        let (name, format) = match words.get(1).and_then(Word::exact) {
            Some(b"-v") => (words.get(2).cloned(), 3),
            Some(bytes) => match bytes.strip_prefix(b"-v") {
                Some(name) => {
                    (words.get(1).map(|word| Word { value: Cooked::Exact(name.to_vec()), ..word.clone() }), 2)
                }
                None => return,
            },
            None => return,
        };
        let Some(name) = name else { return };
        self.evaluate_name(&name, command.place, env);
        let Some(target) = name.exact() else { return env.doubt_all() };
        let mut printed = command.clone();
        printed.words.drain(1..format.min(printed.words.len()));
        env.doubt(target);
        for bytes in self.command_outputs(&printed).unwrap_or_default() {
            env.set(target, vec![Cooked::Exact(bytes)], true);
        }
    }

    /// Builtins with an option that is followed by the name of a variable.
    fn named_behind(&mut self, operands: &[Word], option: &[u8], place: PlaceId, env: &mut Environment) {
        for pair in operands.windows(2) {
            if let [first, name] = pair
                && first.exact() == Some(option)
            {
                self.evaluate_name(name, place, env);
                name.exact().into_iter().for_each(|name| env.doubt(name));
            }
        }
    }

    fn unset(&mut self, operands: &[Word], place: PlaceId, env: &mut Environment) {
        for word in operands {
            self.evaluate_name(word, place, env);
            match word.exact() {
                Some(name) => env.forget(name, self.branches > 0),
                None => env.doubt_all(),
            }
        }
    }

    /// `read`, `mapfile` and `getopts`: what the names may get.
    fn read_builtin(&mut self, command: &Command, env: &mut Environment) {
        let here = command
            .redirects
            .iter()
            .find(|redirect| matches!(redirect.kind, RedirectKind::HereString | RedirectKind::HereDocument));
        let text = here.and_then(|redirect| redirect.target.as_ref()).and_then(Word::exact);
        let piped = self.stdin.iter().map(|output| output.bytes.clone()).filter(|_| text.is_none());
        let texts: Vec<Vec<u8>> = text.map(<[u8]>::to_vec).into_iter().chain(piped).collect();
        let operands = command.words.get(1..).unwrap_or_default();
        let names: Vec<&Word> = operands
            .iter()
            .filter(|word| word.exact().is_none_or(|bytes| !bytes.starts_with(b"-")))
            .collect();
        let own = command.assignments.iter().filter(|assignment| assignment.name == b"IFS");
        let mut separators =
            own.filter_map(|assignment| assignment.value.first()?.exact().map(<[u8]>::to_vec));
        let set =
            env.get(b"IFS").and_then(|known| known.values.first()?.first()?.exact().map(<[u8]>::to_vec));
        let separators = separators.next_back().or(set).filter(|set| !set.is_empty());
        let separators = separators.unwrap_or_else(|| b" \t".to_vec());
        env.doubt(b"REPLY");
        for (index, word) in names.iter().enumerate() {
            self.evaluate_name(word, command.place, env);
            let Some(name) = word.exact() else {
                env.doubt_all();
                continue;
            };
            env.doubt(name);
            for text in &texts {
                for value in possible(text, index, names.len(), &separators) {
                    match value.as_slice() {
                        [one] => env.set(name, vec![one.clone()], true),
                        _ => env.assign(name, value, true),
                    }
                }
            }
        }
        for text in texts.iter().filter(|_| names.is_empty()) {
            possible(text, 0, 1, &separators).into_iter().for_each(|value| env.assign(b"REPLY", value, true));
        }
    }
}

fn set_arguments(all: &[Cooked], possible: bool, env: &mut Environment) {
    for (index, value) in all.iter().enumerate() {
        env.assign((index + 1).to_string().as_bytes(), vec![value.clone()], possible);
    }
    for index in all.len()..10 {
        env.forget((index + 1).to_string().as_bytes(), possible);
    }
    env.assign(b"@", all.to_vec(), possible);
    env.assign(b"*", all.to_vec(), possible);
}

/// Builtins that are looked at here.
fn changes(name: &[u8]) -> bool {
    const NAMES: [&[u8]; 20] = [
        b"cd",
        b"pushd",
        b"popd",
        b"export",
        b"declare",
        b"typeset",
        b"local",
        b"readonly",
        b"set",
        b"shift",
        b"let",
        b"test",
        b"[",
        b"printf",
        b"wait",
        b"unset",
        b"read",
        b"mapfile",
        b"readarray",
        b"getopts",
    ];
    NAMES.contains(&name)
}

/// What `read` may put into the name at `index` of `count`: each line whole, its field, its rest; and
/// all lines, as `mapfile` and `read -a` do.
fn possible(text: &[u8], index: usize, count: usize, separators: &[u8]) -> Vec<Vec<Cooked>> {
    let exact = |bytes: &[u8]| Cooked::Exact(bytes.to_vec());
    let mut values = Vec::new();
    let lines: Vec<&[u8]> =
        text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).take(8).collect();
    for line in &lines {
        let fields: Vec<&[u8]> =
            line.split(|byte| separators.contains(byte)).filter(|field| !field.is_empty()).collect();
        values.push(vec![exact(line.trim_ascii())]);
        if count > 1 {
            let rest = fields.get(index..).unwrap_or_default();
            let taken = if index + 1 == count {
                rest.join(&b' ')
            } else {
                rest.first().unwrap_or(&&b""[..]).to_vec()
            };
            values.push(vec![Cooked::Exact(taken)]);
        }
        if fields.len() > 1 {
            values.push(fields.iter().map(|field| exact(field)).collect());
        }
    }
    if lines.len() > 1 {
        values.push(lines.iter().map(|line| exact(line)).collect());
    }
    values
}

/// The known start of a word.
fn start(value: &Cooked) -> Option<&[u8]> {
    match value {
        Cooked::Exact(bytes) | Cooked::Pattern(bytes) => Some(bytes),
        Cooked::Affix { head, .. } => Some(head),
        Cooked::Opaque => None,
    }
}

fn changed(operands: &[Word], from: &Directory) -> Directory {
    let mut operands = operands
        .iter()
        .filter(|word| !word.exact().is_some_and(|bytes| bytes.len() > 1 && bytes.starts_with(b"-")));
    let word = operands.next();
    let (Some(target), None) = (word.and_then(Word::exact), operands.next()) else {
        return Directory::Unknown;
    };
    let below = |base: &[u8]| fold(&[base, b"/".as_slice(), target].concat());
    // A quoted tilde is a name, and `~user` is somebody else's home.
    if let Some(rest) = target.strip_prefix(b"~")
        && (rest.is_empty() || rest.starts_with(b"/"))
        && word.is_some_and(|word| !word.quoted)
    {
        return at_home(fold(rest.strip_prefix(b"/").unwrap_or_default()));
    }
    if target.starts_with(b"/") {
        return Directory::Path(fold(target));
    }
    if target == b"-" || target.is_empty() || target.starts_with(b"~") {
        return Directory::Unknown;
    }
    match from {
        Directory::Start => Directory::Path(fold(target)),
        Directory::Path(base) => Directory::Path(below(base)),
        Directory::Home(base) if base.is_empty() => at_home(fold(target)),
        Directory::Home(base) => at_home(below(base)),
        Directory::Unknown => Directory::Unknown,
    }
}

/// A folded path below the home; above it nothing is known.
fn at_home(path: Vec<u8>) -> Directory {
    let leaves = path == b".." || path.starts_with(b"../");
    if leaves { Directory::Unknown } else { Directory::Home(path) }
}
