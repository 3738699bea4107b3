//! The tables, in both dialects. Owns the migrations: a step that was released never changes, new ones
//! are added behind it.

/// The steps for `SQLite`. `detail` is JSON text, times are texts in one form.
pub const SQLITE: &[&str] = &["
CREATE TABLE mission_batches (
    id INTEGER PRIMARY KEY,
    batch TEXT NOT NULL UNIQUE,
    source TEXT NOT NULL,
    mission_id TEXT NOT NULL,
    phase_id TEXT NOT NULL,
    run_id TEXT,
    stored TEXT NOT NULL,
    digest TEXT NOT NULL,
    lines INTEGER NOT NULL DEFAULT 0,
    events INTEGER NOT NULL DEFAULT 0,
    cut INTEGER NOT NULL DEFAULT 0,
    torn INTEGER NOT NULL DEFAULT 0,
    foreign_lines INTEGER NOT NULL DEFAULT 0,
    dropped INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE mission_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    mission_id TEXT NOT NULL,
    phase_id TEXT NOT NULL,
    run_id TEXT,
    agent_id TEXT,
    kind TEXT NOT NULL,
    target TEXT NOT NULL,
    detail TEXT NOT NULL,
    time TEXT NOT NULL,
    batch_key INTEGER NOT NULL REFERENCES mission_batches (id)
);
CREATE INDEX mission_events_phase ON mission_events (mission_id, phase_id);
CREATE INDEX mission_events_rule ON mission_events (detail->>'rule') WHERE kind IN ('gate.denied', 'gate.would_deny');
CREATE TABLE mission_strays (
    id INTEGER PRIMARY KEY,
    batch_key INTEGER NOT NULL REFERENCES mission_batches (id),
    file TEXT NOT NULL,
    line INTEGER NOT NULL,
    why TEXT NOT NULL,
    what TEXT NOT NULL,
    length INTEGER NOT NULL,
    bytes BLOB NOT NULL
);
CREATE TABLE mission_phases (
    mission_id TEXT NOT NULL,
    phase_id TEXT NOT NULL,
    kept INTEGER NOT NULL DEFAULT 0,
    cut_calls INTEGER NOT NULL DEFAULT 0,
    cut_touches INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (mission_id, phase_id)
) WITHOUT ROWID;
CREATE TABLE mission_sessions (
    mission_id TEXT NOT NULL,
    phase_id TEXT NOT NULL,
    session TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    PRIMARY KEY (mission_id, phase_id, session)
) WITHOUT ROWID;
"];

/// The steps for `PostgreSQL`.
pub const POSTGRES: &[&str] = &["
CREATE TABLE mission_batches (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch text NOT NULL UNIQUE,
    source text NOT NULL,
    mission_id text NOT NULL,
    phase_id text NOT NULL,
    run_id text,
    stored timestamptz NOT NULL DEFAULT now(),
    digest text NOT NULL,
    lines bigint NOT NULL DEFAULT 0,
    events bigint NOT NULL DEFAULT 0,
    cut bigint NOT NULL DEFAULT 0,
    torn bigint NOT NULL DEFAULT 0,
    foreign_lines bigint NOT NULL DEFAULT 0,
    dropped bigint NOT NULL DEFAULT 0
);
CREATE TABLE mission_events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    mission_id text NOT NULL,
    phase_id text NOT NULL,
    run_id text,
    agent_id text,
    kind text NOT NULL,
    target text NOT NULL,
    detail jsonb NOT NULL,
    time timestamptz NOT NULL,
    batch_key bigint NOT NULL REFERENCES mission_batches (id)
);
CREATE INDEX mission_events_phase ON mission_events (mission_id, phase_id);
CREATE INDEX mission_events_rule ON mission_events ((detail->>'rule')) WHERE kind IN ('gate.denied', 'gate.would_deny');
CREATE TABLE mission_strays (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_key bigint NOT NULL REFERENCES mission_batches (id),
    file text NOT NULL,
    line bigint NOT NULL,
    why text NOT NULL,
    what text NOT NULL,
    length bigint NOT NULL,
    bytes bytea NOT NULL
);
CREATE TABLE mission_phases (
    mission_id text NOT NULL,
    phase_id text NOT NULL,
    kept bigint NOT NULL DEFAULT 0,
    cut_calls bigint NOT NULL DEFAULT 0,
    cut_touches bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (mission_id, phase_id)
);
CREATE TABLE mission_sessions (
    mission_id text NOT NULL,
    phase_id text NOT NULL,
    session text NOT NULL,
    agent_id text NOT NULL,
    PRIMARY KEY (mission_id, phase_id, session)
);
"];

/// What both understand alike: parameters are numbered in the order in which they first stand.
pub mod common {
    /// The batch of a key.
    pub const BATCH: &str = "SELECT digest FROM mission_batches WHERE batch = $1";
    /// The phase, made where it is missing.
    pub const PHASE: &str =
        "INSERT INTO mission_phases (mission_id, phase_id) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    /// How many capped events it keeps.
    pub const KEPT: &str = "SELECT kept FROM mission_phases WHERE mission_id = $1 AND phase_id = $2";
    /// Whose its sessions are.
    pub const SESSIONS: &str =
        "SELECT session, agent_id FROM mission_sessions WHERE mission_id = $1 AND phase_id = $2";
    /// Whose a session is from now on.
    pub const LEARN: &str = "INSERT INTO mission_sessions (mission_id, phase_id, session, agent_id) \
        VALUES ($1, $2, $3, $4) \
        ON CONFLICT (mission_id, phase_id, session) DO UPDATE SET agent_id = excluded.agent_id";
    /// Earlier events of the session that were nobody's.
    pub const REPAIR: &str = "UPDATE mission_events SET agent_id = $1 WHERE mission_id = $2 \
        AND phase_id = $3 AND agent_id IS NULL AND detail->>'session' = $4";
    /// The counts of a phase.
    pub const COUNT: &str = "UPDATE mission_phases SET kept = $1, cut_calls = cut_calls + $2, \
        cut_touches = cut_touches + $3 WHERE mission_id = $4 AND phase_id = $5";
    /// The counts of a batch.
    pub const SEAL: &str = "UPDATE mission_batches SET digest = $1, lines = $2, events = $3, cut = $4, \
        torn = $5, foreign_lines = $6, dropped = $7 WHERE id = $8";
}
