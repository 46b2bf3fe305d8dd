//! A scratch package beside that of trybuild, with the same dependencies and built in the same
//! folder: what the compiler loads, `syn` and the macros themselves, is built once for all of
//! these tests.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the package with this name, which is there afterwards.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("the scratch package can be made");
    folder
}

/// Writes the manifest: its beginning, and `targets`.
pub fn write_manifest(folder: &Path, targets: &str) {
    let manifest = format!(
        "[package]\nname = \"scratch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n\
         [dev-dependencies]\nretry-runtime = {{ path = {:?} }}\nasync-trait = \"0.1\"\n\
         tokio = {{ version = \"1\", features = [\"macros\", \"rt\"] }}\n{targets}",
        root().join("../retry-runtime")
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("the manifest can be written");
    fs::copy(root().join("../Cargo.lock"), folder.join("Cargo.lock"))
        .expect("there is a lock file");
}

/// The target directory of trybuild's. What is built there has no debug information, which
/// nobody would look at: its packages are below it, where cargo finds this.
pub fn target() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../tests/trybuild");
    fs::create_dir_all(target.join(".cargo")).expect("a folder");
    fs::write(target.join(".cargo/config.toml"), "[profile.dev]\ndebug = false\n")
        .expect("the settings of cargo can be written");
    target
}

/// cargo for the package in `folder`, as trybuild calls it.
pub fn cargo(folder: &Path, subcommand: &str) -> Command {
    let target = target();
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args([subcommand, "--quiet", "--offline", "--target", &host(), "--config"])
        .arg(target.join(".cargo/config.toml"))
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_INCREMENTAL", "0")
        .env_remove("RUSTFLAGS");
    cargo
}

/// The triple of this machine, as rustc names it.
fn host() -> String {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("-vV").output().expect("rustc runs").stdout;
    let version = String::from_utf8(version).expect("rustc writes UTF-8");
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("rustc names its host").to_owned()
}
