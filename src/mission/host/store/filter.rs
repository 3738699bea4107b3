//! What is looked for among events. Owns the conditions, the same for both dialects; must never put a
//! text of a person into a statement.

use serde::Serialize;
use serde_json::value::RawValue;

/// Which events; everything that is not said does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of this mission.
    pub mission: Option<String>,
    /// Of this phase.
    pub phase: Option<String>,
    /// Of this run.
    pub run: Option<String>,
    /// Of one of these kinds.
    pub kinds: Vec<String>,
    /// Of this rule, or where it ends in `*` of one that starts so.
    pub rule: Option<String>,
    /// Of this agent, or of a sub-agent with this id or of this type.
    pub agent: Option<String>,
    /// Not before this point of time, in the one form.
    pub since: Option<String>,
}

/// How a dialect compares a time with a parameter, and prints one.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// `{}` stands for the parameter.
    pub since: &'static str,
    /// The time of an event as text in the one form.
    pub time: &'static str,
    /// The detail of an event as text.
    pub detail: &'static str,
}

/// Where in a statement, and the parameters, numbered from 1.
pub type Condition = (String, Vec<String>);

impl Filter {
    /// The condition on `mission_events`.
    pub fn condition(&self, dialect: Dialect) -> Condition {
        let mut all = Conditions::default();
        all.scope(self);
        if !self.kinds.is_empty() {
            let kinds: Vec<String> = self.kinds.iter().map(|kind| all.parameter(kind)).collect();
            all.texts.push(format!("kind IN ({})", kinds.join(", ")));
        }
        if let Some(rule) = &self.rule {
            let gates = "kind IN ('gate.denied', 'gate.would_deny')";
            let test = match rule.strip_suffix('*') {
                None => format!("detail->>'rule' = {}", all.parameter(rule)),
                Some(start) => {
                    let start = all.parameter(start);
                    format!("substr(detail->>'rule', 1, length({start})) = {start}")
                }
            };
            all.texts.push(format!("{gates} AND {test}"));
        }
        if let Some(agent) = &self.agent {
            let agent = all.parameter(agent);
            let test =
                ["agent_id", "detail->>'agent'", "detail->>'agent_type'"].map(|of| format!("{of} = {agent}"));
            all.texts.push(format!("({})", test.join(" OR ")));
        }
        if let Some(since) = &self.since {
            let since = all.parameter(since);
            all.texts.push(dialect.since.replace("{}", &since));
        }
        all.condition()
    }

    /// The same on tables that know only where a batch belongs.
    pub fn scope(&self) -> Condition {
        let mut all = Conditions::default();
        all.scope(self);
        all.condition()
    }
}

#[derive(Default)]
struct Conditions {
    texts: Vec<String>,
    parameters: Vec<String>,
}

impl Conditions {
    fn parameter(&mut self, value: &str) -> String {
        self.parameters.push(value.to_owned());
        format!("${}", self.parameters.len())
    }

    fn scope(&mut self, filter: &Filter) {
        let scope = [("mission_id", &filter.mission), ("phase_id", &filter.phase), ("run_id", &filter.run)];
        for (column, value) in scope {
            if let Some(value) = value {
                let value = self.parameter(value);
                self.texts.push(format!("{column} = {value}"));
            }
        }
    }

    fn condition(mut self) -> Condition {
        self.texts.insert(0, "true".to_owned());
        (self.texts.join(" AND "), self.parameters)
    }
}

/// The statements that look.
pub mod statement {
    use super::Dialect;

    /// A page of events. The columns stand in the order of `Found`.
    pub fn page(dialect: Dialect, condition: &str, after: i64, limit: u32) -> String {
        let Dialect { time, detail, .. } = dialect;
        format!(
            "SELECT id, mission_id, phase_id, run_id, agent_id, kind, target, {detail}, {time}, \
             (SELECT batch FROM mission_batches WHERE mission_batches.id = batch_key) \
             FROM mission_events WHERE id > {after} AND {condition} ORDER BY id LIMIT {limit}"
        )
    }

    /// The number before the newest `count` events.
    pub fn before_last(condition: &str, count: u32) -> String {
        format!(
            "SELECT coalesce(min(id), 1) - 1 FROM (SELECT id FROM mission_events WHERE {condition} \
             ORDER BY id DESC LIMIT {count}) AS newest"
        )
    }

    /// Counts by mission, phase, kind and rule, with the first and the last time.
    pub fn counts(dialect: Dialect, condition: &str) -> String {
        let time = dialect.time;
        let (first, last) = (time.replace("time", "min(time)"), time.replace("time", "max(time)"));
        let rule = "CASE WHEN kind IN ('gate.denied', 'gate.would_deny') THEN detail->>'rule' END";
        format!(
            "SELECT mission_id, phase_id, kind, {rule} AS rule, count(*), {first}, {last} \
             FROM mission_events WHERE {condition} GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"
        )
    }

    /// Counts of batches by mission and phase.
    pub fn batches(condition: &str) -> String {
        let sum = |column: &str| format!("CAST(sum({column}) AS bigint)");
        format!(
            "SELECT mission_id, phase_id, count(*), {}, {}, {}, {}, {} \
             FROM mission_batches WHERE {condition} GROUP BY 1, 2 ORDER BY 1, 2",
            sum("lines"),
            sum("cut"),
            sum("torn"),
            sum("foreign_lines"),
            sum("dropped")
        )
    }
}

/// An event that is stored.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// Its number: it grows in the order in which events become visible.
    pub id: i64,
    /// The mission.
    pub mission: String,
    /// The phase.
    pub phase: String,
    /// The run.
    pub run: Option<String>,
    /// The agent, where it is known.
    pub agent: Option<String>,
    /// The kind.
    pub kind: String,
    /// The path, the tool or the file.
    pub target: String,
    /// The record, or what was read of it.
    pub detail: Box<RawValue>,
    /// When it happened.
    pub time: String,
    /// The key of its batch.
    pub batch: String,
}

/// Counts of one kind, of one rule where a rule decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Count {
    /// The mission.
    pub mission: String,
    /// The phase.
    pub phase: String,
    /// The kind.
    pub kind: String,
    /// The rule.
    pub rule: Option<String>,
    /// How many events.
    pub events: i64,
    /// The first one's time.
    pub first: String,
    /// The last one's time.
    pub last: String,
}

/// Counts of a phase's batches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Batches {
    /// The mission.
    pub mission: String,
    /// The phase.
    pub phase: String,
    /// How many batches.
    pub batches: i64,
    /// Lines that were not blank.
    pub lines: i64,
    /// Calls and touches that the cap cut.
    pub cut: i64,
    /// Torn lines.
    pub torn: i64,
    /// Foreign lines.
    pub foreign: i64,
    /// Records that guests did not keep.
    pub dropped: i64,
}

/// Counts of everything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Of events.
    pub events: Vec<Count>,
    /// Of batches: by mission, phase and run only.
    pub batches: Vec<Batches>,
}
