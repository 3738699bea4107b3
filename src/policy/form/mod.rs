//! The form of policy files: what each table holds, said once. Owns the description, its check and the
//! schema that editors read; must never know what a policy means.

pub mod near;
mod schema;
pub mod table;
#[cfg(test)]
#[allow(clippy::expect_used, reason = "a test may fail loudly")]
mod tests;
pub mod texts;
pub mod walk;

pub use schema::schema;
