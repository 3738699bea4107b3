//! Acceptance matrices.
