//! The `stanchion` program. Owns nothing but the way into `cli`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main(std::env::args_os().collect())
}
