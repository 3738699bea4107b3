//! What is read of events. Owns the columns' order; must never change anything.

use super::super::filter::{Batches, Count, Dialect, Filter, Found, Summary, statement};
use super::{Client, Fault, ToSql};
use serde_json::value::RawValue;

const DIALECT: Dialect = Dialect {
    since: "time >= CAST(CAST({} AS text) AS timestamptz)",
    time: r#"to_char(time AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"#,
    detail: "CAST(detail AS text)",
};

/// See `Store`.
pub fn page(client: &mut Client, filter: &Filter, after: i64, limit: u32) -> Result<Vec<Found>, Fault> {
    let (condition, parameters) = filter.condition(DIALECT);
    let text = statement::page(DIALECT, &condition, after, limit);
    let rows = client.query(&text, &borrowed(&parameters))?;
    let found = |row: &postgres::Row| Found {
        id: row.get(0),
        mission: row.get(1),
        phase: row.get(2),
        run: row.get(3),
        agent: row.get(4),
        kind: row.get(5),
        target: row.get(6),
        detail: RawValue::from_string(row.get(7)).unwrap_or_default(),
        time: row.get(8),
        batch: row.get(9),
    };
    Ok(rows.iter().map(found).collect())
}

/// See `Store`.
pub fn before_last(client: &mut Client, filter: &Filter, count: u32) -> Result<i64, Fault> {
    let (condition, parameters) = filter.condition(DIALECT);
    let text = statement::before_last(&condition, count);
    Ok(client.query_one(&text, &borrowed(&parameters))?.get(0))
}

/// See `Store`.
pub fn summary(client: &mut Client, filter: &Filter) -> Result<Summary, Fault> {
    let (condition, parameters) = filter.condition(DIALECT);
    let text = statement::counts(DIALECT, &condition);
    let events = client.query(&text, &borrowed(&parameters))?;
    let (condition, parameters) = filter.scope();
    let batches = client.query(&statement::batches(&condition), &borrowed(&parameters))?;
    let count = |row: &postgres::Row| Count {
        mission: row.get(0),
        phase: row.get(1),
        kind: row.get(2),
        rule: row.get(3),
        events: row.get(4),
        first: row.get(5),
        last: row.get(6),
    };
    let batch = |row: &postgres::Row| Batches {
        mission: row.get(0),
        phase: row.get(1),
        batches: row.get(2),
        lines: row.get(3),
        cut: row.get(4),
        torn: row.get(5),
        foreign: row.get(6),
        dropped: row.get(7),
    };
    Ok(Summary { events: events.iter().map(count).collect(), batches: batches.iter().map(batch).collect() })
}

fn borrowed(parameters: &[String]) -> Vec<&(dyn ToSql + Sync)> {
    parameters.iter().map(|parameter| parameter as &(dyn ToSql + Sync)).collect()
}
