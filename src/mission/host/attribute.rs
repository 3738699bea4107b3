//! Whose events these are. Owns the labels of a source and how a session is given to an agent; must
//! never guess.

use std::collections::BTreeMap;

/// What the host says of everything that a source sends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// The mission.
    pub mission: String,
    /// The phase of the mission.
    pub phase: String,
    /// The run, where there is one.
    pub run: Option<String>,
    /// The agent of sessions of which nothing else is said: for a guest in which one agent works.
    pub agent: Option<String>,
    /// The agents by their harness's sessions: for a guest or a phase in which several work.
    pub sessions: BTreeMap<String, String>,
}

/// The agents of a phase's sessions while a batch is stored.
#[derive(Debug)]
pub struct Agents<'a> {
    known: BTreeMap<String, String>,
    labels: &'a Labels,
    learned: Vec<String>,
}

impl<'a> Agents<'a> {
    /// What the database knows of the phase, and what the host says of the source.
    pub fn new(known: BTreeMap<String, String>, labels: &'a Labels) -> Self {
        Self { known, labels, learned: Vec::new() }
    }

    /// The agent of an event: what the host says of the session, now or earlier; else the source's
    /// only agent; else nobody. A session stays with its agent from then on.
    pub fn agent(&mut self, session: Option<&str>) -> Option<&str> {
        let sole = self.labels.agent.as_deref();
        let Some(session) = session else { return sole };
        if let Some(agent) = self.labels.sessions.get(session) {
            return Some(agent);
        }
        if let (Some(sole), false) = (sole, self.known.contains_key(session)) {
            self.known.insert(session.to_owned(), sole.to_owned());
            self.learned.push(session.to_owned());
        }
        self.known.get(session).map(String::as_str)
    }

    /// The sessions that the source's only agent was given.
    pub fn learned(&self) -> BTreeMap<String, String> {
        let given = |session: &String| Some((session.clone(), self.known.get(session)?.clone()));
        self.learned.iter().filter_map(given).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(session, agent)| ((*session).to_owned(), (*agent).to_owned())).collect()
    }

    #[test]
    fn what_is_said_goes_before_what_is_known_and_that_before_the_only_agent() {
        let labels =
            Labels { agent: Some("c".to_owned()), sessions: map(&[("s1", "a")]), ..Labels::default() };
        let mut agents = Agents::new(map(&[("s1", "x"), ("s2", "b")]), &labels);
        let found = [Some("s1"), Some("s2"), Some("s3"), None]
            .map(|session| agents.agent(session).map(str::to_owned));
        assert_eq!(found, ["a", "b", "c", "c"].map(|agent| Some(agent.to_owned())));
        assert_eq!(agents.learned(), map(&[("s3", "c")]));
    }

    #[test]
    fn nobody_is_guessed() {
        let labels = Labels { sessions: map(&[("s1", "a")]), ..Labels::default() };
        let mut agents = Agents::new(BTreeMap::new(), &labels);
        assert_eq!(agents.agent(Some("s2")), None);
        assert!(agents.learned().is_empty());
        assert_eq!(agents.agent(None), None);
    }
}
