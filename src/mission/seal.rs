//! A policy inside of the program: the room that is kept for it, and what is written there. Owns that form; must
//! never apply a part of a seal that is broken, nor read a file at the start of a program.
//!
//! The program holds two arrays that are zero in an ordinary one. `bake` writes the policy into the first and what
//! proves it into the second, in a copy of the program: so the policy is there as soon as the program is, and
//! nothing needs to be looked up at its start. Each array tells on its own that there was a seal, so that a program
//! with one of them wiped is broken, and not an ordinary one.

use crate::policy::binary::{self, binary_struct};
use crate::policy::{self, Policy};
use sha2::{Digest as _, Sha256};
use std::hint::black_box;
use std::path::PathBuf;

/// How large a policy may be.
const ROOM: usize = 128 << 10;

/// How large what proves it is.
const PROOF: usize = 1 << 10;

/// What an array starts with, by which it is found in the file.
const NAME: usize = 32;

/// A SHA-256.
type Digest = [u8; 32];

/// Where what is in an array.
const LENGTH: std::ops::Range<usize> = NAME..NAME + 8;
const SUM: std::ops::Range<usize> = NAME + 8..NAME + 40;
const BODY: usize = NAME + 40;
const SAME: std::ops::Range<usize> = NAME..NAME + 32;
const WHOLE: std::ops::Range<usize> = NAME + 32..NAME + 64;
const PLACE: std::ops::Range<usize> = NAME + 64..PROOF - 32;
const END: std::ops::Range<usize> = PROOF - 32..PROOF;

static POLICY: [u8; ROOM] = named(*b"stanchion: room for its policy\0\x01");
static SEAL: [u8; PROOF] = named(*b"stanchion: room for what seals\0\x02");

const fn named<const N: usize>(name: [u8; NAME]) -> [u8; N] {
    let mut array = [0; N];
    let (start, _) = array.split_at_mut(NAME);
    start.copy_from_slice(&name);
    array
}

/// What is baked into a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baked {
    /// What compiled the policies and judges by them.
    build: u64,
    /// The record directory.
    pub records: PathBuf,
    /// The policies, in order: shipped ones by their names and digests, others whole.
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    shipped: Option<(String, u64)>,
    whole: Option<Policy>,
}

binary_struct!(Baked { build, records, parts });
binary_struct!(Part { shipped, whole });

/// A sealed program.
#[derive(Clone, Debug)]
pub struct Sealed {
    /// What is in it.
    pub baked: Baked,
    /// The policies.
    pub policies: Vec<Policy>,
    /// The SHA-256 of what is in it, in hexadecimal.
    pub digest: String,
}

/// What a program's two arrays tell.
#[derive(Clone, Debug)]
pub enum State {
    /// It is an ordinary program.
    Open,
    /// It holds a policy.
    Sealed(Box<Sealed>),
    /// It held one, and something was changed.
    Broken {
        /// What is wrong.
        why: &'static str,
        /// The record directory, where that can still be told.
        records: Option<PathBuf>,
    },
}

/// Why a program cannot be baked or examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It is another program.
    #[error("this is no stanchion program; name one of this version")]
    Foreign,
    /// It holds a policy already.
    #[error("this program is baked already; bake from an ordinary one")]
    Baked,
    /// The policy is too large.
    #[error(
        "the policies are too large to be baked ({0} bytes of 130,000); leave out rules that the task does not need"
    )]
    Large(usize),
    /// The record directory's path is too long.
    #[error("the path of the record directory is too long; name one of less than 800 bytes")]
    Path,
}

/// What the running program is.
#[must_use]
pub fn state() -> State {
    // What a copy of the program holds is not known when it is compiled.
    read(black_box(&POLICY), black_box(&SEAL))
}

fn read(policy: &'static [u8], seal: &[u8]) -> State {
    let zero = |bytes: Option<&[u8]>| bytes.is_some_and(|bytes| bytes.iter().all(|byte| *byte == 0));
    // The room behind a length of nothing is not looked at: an ordinary program pays for two lines of memory.
    if zero(policy.get(NAME..BODY + 8)) && zero(seal.get(SAME.start..SAME.end + 64)) {
        return State::Open;
    }
    let place = place(seal);
    match opened(policy, seal) {
        Ok(sealed) if place.as_ref() == Some(&sealed.baked.records) => State::Sealed(Box::new(sealed)),
        Ok(sealed) => broken("what proves the policy was changed", Some(sealed.baked.records)),
        Err(why) => broken(why, place.or_else(|| told(policy))),
    }
}

fn broken(why: &'static str, records: Option<PathBuf>) -> State {
    State::Broken { why, records }
}

fn opened(policy: &'static [u8], seal: &[u8]) -> Result<Sealed, &'static str> {
    let body = body(policy).ok_or("the policy is gone")?;
    let sum = digest(body);
    let same = |range| seal.get(range) == Some(sum.as_slice());
    if policy.get(SUM) != Some(sum.as_slice()) || !same(SAME) {
        return Err("the policy was changed");
    }
    let baked: Baked = binary::value(body).ok_or("the policy cannot be read")?;
    let policies = baked.policies().ok_or("the policy is of another program")?;
    Ok(Sealed { baked, policies, digest: hexadecimal(&sum) })
}

/// What is written in the first array.
fn body(policy: &'static [u8]) -> Option<&'static [u8]> {
    let length = policy.get(LENGTH)?.first_chunk().copied().map(u64::from_le_bytes)?;
    let length = usize::try_from(length).ok().filter(|length| *length > 0)?;
    policy.get(BODY..BODY.checked_add(length)?)
}

/// The record directory as the first array has it, when that is whole.
fn told(policy: &'static [u8]) -> Option<PathBuf> {
    let body = body(policy).filter(|body| policy.get(SUM) == Some(digest(body).as_slice()))?;
    binary::value(body).map(|baked: Baked| baked.records)
}

/// The record directory as the second array has it.
fn place(seal: &[u8]) -> Option<PathBuf> {
    let told = seal.get(PLACE)?;
    if seal.get(END)? != proof(seal) {
        return None;
    }
    let (length, path) = told.split_first_chunk::<2>()?;
    let path = path.get(..usize::from(u16::from_le_bytes(*length)))?;
    Some(PathBuf::from(std::str::from_utf8(path).ok()?)).filter(|path| path.is_absolute())
}

/// What the second array ends in: the sum of what does not depend on the file.
fn proof(seal: &[u8]) -> Digest {
    let parts = [seal.get(SAME), seal.get(PLACE)].map(Option::unwrap_or_default);
    digest(&parts.concat())
}

impl Baked {
    /// What is to be baked.
    #[must_use]
    pub fn new(policies: &[Policy], records: PathBuf) -> Self {
        let part = |policy: &Policy| match policy::shipped(policy.name) {
            Some(shipped) if shipped == *policy => {
                Part { shipped: Some((policy.name.to_owned(), policy.digest)), whole: None }
            }
            Some(_) | None => Part { shipped: None, whole: Some(policy.clone()) },
        };
        Self { build: policy::BUILD, records, parts: policies.iter().map(part).collect() }
    }

    fn policies(&self) -> Option<Vec<Policy>> {
        let policy = |part: &Part| match (&part.shipped, &part.whole) {
            (Some((name, digest)), None) => policy::shipped(name).filter(|policy| policy.digest == *digest),
            (None, Some(policy)) => Some(policy.clone()),
            _ => None,
        };
        let all = self.parts.iter().map(policy).collect::<Option<Vec<_>>>();
        all.filter(|all| self.build == policy::BUILD && !all.is_empty())
    }
}

/// The file of a program with a policy in it, and the policy's digest.
///
/// # Errors
/// When there is no room for it.
pub fn bake(program: &[u8], baked: &Baked) -> Result<(Vec<u8>, String), Unfit> {
    let (policy, seal) = arrays(program)?;
    if !matches!(examined(program, policy, seal), State::Open) {
        return Err(Unfit::Baked);
    }
    let (body, records) = (binary::bytes(baked), baked.records.to_string_lossy());
    if body.len() > ROOM - BODY {
        return Err(Unfit::Large(body.len()));
    }
    let sum = digest(&body);
    let mut file = program.to_vec();
    write(&mut file, policy + LENGTH.start, &(body.len() as u64).to_le_bytes());
    write(&mut file, policy + SUM.start, &sum);
    write(&mut file, policy + BODY, &body);
    let length = u16::try_from(records.len()).ok().filter(|length| usize::from(*length) + 2 <= PLACE.len());
    write(&mut file, seal + SAME.start, &sum);
    write(&mut file, seal + PLACE.start, &length.ok_or(Unfit::Path)?.to_le_bytes());
    write(&mut file, seal + PLACE.start + 2, records.as_bytes());
    let end = proof(file.get(seal..seal + PROOF).unwrap_or_default());
    write(&mut file, seal + END.start, &end);
    let whole = digest(&file);
    write(&mut file, seal + WHOLE.start, &whole);
    Ok((file, hexadecimal(&sum)))
}

/// What the file of a program is. Unlike the program itself this looks at all of it.
///
/// # Errors
/// When it is another program.
pub fn examine(program: &[u8]) -> Result<State, Unfit> {
    let (policy, seal) = arrays(program)?;
    let state = examined(program, policy, seal);
    if let State::Sealed(sealed) = &state {
        let told = program.get(seal + WHOLE.start..seal + WHOLE.end).unwrap_or_default();
        let mut file = program.to_vec();
        write(&mut file, seal + WHOLE.start, &[0; 32]);
        if digest(&file) != told {
            return Ok(broken("the program was changed", Some(sealed.baked.records.clone())));
        }
    }
    Ok(state)
}

fn examined(program: &[u8], policy: usize, seal: usize) -> State {
    let kept = program.get(policy..policy + ROOM).unwrap_or_default().to_vec();
    // What is read of it is not copied.
    read(Vec::leak(kept), program.get(seal..seal + PROOF).unwrap_or_default())
}

/// Where the two arrays are in a file.
fn arrays(program: &[u8]) -> Result<(usize, usize), Unfit> {
    let names = [black_box(&POLICY).get(..NAME), black_box(&SEAL).get(..NAME)].map(Option::unwrap_or_default);
    let [policy, seal] = names.map(|name| only(program, name));
    let fits = |at: &usize, size| program.len() >= at + size;
    let policy = policy.filter(|at| fits(at, ROOM)).ok_or(Unfit::Foreign)?;
    let seal = seal.filter(|at| fits(at, PROOF)).ok_or(Unfit::Foreign)?;
    Ok((policy, seal))
}

/// Where something stands, if it stands there only.
fn only(text: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = *wanted.first()?;
    let starts = text.iter().enumerate().filter(|(_, byte)| **byte == first).map(|(at, _)| at);
    let mut found = starts.filter(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(wanted)));
    found.next().filter(|_| found.next().is_none())
}

fn write(file: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = file.get_mut(at..at + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}

fn digest(bytes: &[u8]) -> Digest {
    Sha256::digest(bytes).into()
}

fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
