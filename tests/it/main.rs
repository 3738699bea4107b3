//! Integration tests.

mod bash_oracle;
mod cook;
mod grammar_cases;
