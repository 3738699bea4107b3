//! Integration tests.

mod bash_oracle;
