//! To come.
/// To come
#[derive(clap::Args)]
pub struct Args {}
/// To come.
pub fn run(_: &Args) -> anyhow::Result<u8> { Ok(0) }
