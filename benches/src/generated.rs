//! Crates of many functions, for what a function costs to compile.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// How a generated function retries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Not at all.
    Plain,
    /// By a loop without a budget.
    ByHand,
    /// By the attribute, with a budget and a classifier.
    Attribute,
}

const HEAD: &str = "\
#![allow(dead_code, unused_imports)]
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use retry_runtime::{Backoff, Budget, Outcome, retry};

static BUDGET: Budget = Budget::new(10, 0.1);

pub struct Client(std::cell::Cell<u64>);
pub enum Error { Busy }

impl Client {
    async fn get(&self, id: u64) -> Result<u64, Error> {
        std::hint::black_box(self);
        if id == 0 { Err(Error::Busy) } else { Ok(id) }
    }
}

fn classify(result: &Result<u64, Error>) -> Outcome {
    match result {
        Ok(_) => Outcome::Success,
        Err(Error::Busy) => Outcome::Retry,
    }
}

type Boxed = Pin<Box<dyn Future<Output = Result<u64, Error>>>>;
";

/// The source of a program of so many functions, each with two awaits. A table of
/// them keeps the linker from leaving any out.
pub fn source(kind: Kind, functions: usize) -> String {
    let mut source = HEAD.to_owned();
    let mut table = String::new();
    for index in 0..functions {
        let body = format!(
            "let first = client.get(id + {index}).await?; \
             let second = client.get(first).await?; Ok(first ^ second)"
        );
        let signature =
            format!("async fn f{index}(client: &Client, id: u64) -> Result<u64, Error>");
        let function = match kind {
            Kind::Plain => format!("{signature} {{ {body} }}"),
            Kind::ByHand => format!(
                "{signature} {{ let mut attempt = 1; loop {{ \
                 let result = async {{ {body} }}.await; \
                 match result {{ \
                 Err(Error::Busy) if attempt < 4 => attempt += 1, \
                 _ => return result }} \
                 tokio::time::sleep(Duration::from_millis(100 << attempt)).await; }} }}"
            ),
            Kind::Attribute => format!(
                "#[retry(attempts = 4, budget = BUDGET, classify = classify)]\n{signature} {{ {body} }}"
            ),
        };
        writeln!(source, "{function}").expect("a string takes all");
        writeln!(table, "    |client| Box::pin(f{index}(client, 7)),").expect("a string takes all");
    }
    write!(
        source,
        "static TABLE: [fn(&'static Client) -> Boxed; {functions}] = [\n{table}];\n\
         fn main() {{\n    let client: &'static Client = Box::leak(Box::new(Client(Default::default())));\n\
         \x20   for make in std::hint::black_box(&TABLE) {{ drop(std::hint::black_box(make(client))); }}\n}}\n"
    )
    .expect("a string takes all");
    source
}

/// The root of this workspace.
pub fn workspace() -> PathBuf {
    let benches = Path::new(env!("CARGO_MANIFEST_DIR"));
    benches.parent().expect("this package is in a workspace").to_owned()
}

/// Writes a package with the locked versions of this workspace: its directory.
///
/// # Errors
///
/// If a file cannot be written.
pub fn package(
    directory: &Path,
    name: &str,
    dependencies: &str,
    file: &str,
    source: &str,
) -> io::Result<PathBuf> {
    let package = directory.join(name);
    fs::create_dir_all(package.join("src"))?;
    let manifest = format!(
        "[package]\nname = \"{name}\"\nedition = \"2024\"\n\n\
         [dependencies]\n{dependencies}\n[workspace]\n"
    );
    fs::write(package.join("Cargo.toml"), manifest)?;
    fs::write(package.join("src").join(file), source)?;
    fs::copy(workspace().join("Cargo.lock"), package.join("Cargo.lock"))?;
    Ok(package)
}

/// A path as a string of TOML.
pub fn quoted(path: &Path) -> String {
    format!("'{}'", path.display())
}

#[cfg(test)]
mod tests {
    use super::{Kind, source};

    #[test]
    fn the_kinds_differ_in_nothing_but_how_they_retry() {
        let plain = source(Kind::Plain, 3);
        let attribute = source(Kind::Attribute, 3);
        let line = "#[retry(attempts = 4, budget = BUDGET, classify = classify)]\n";
        assert_eq!(attribute.matches(line).count(), 3);
        assert_eq!(attribute.replace(line, ""), plain);
        let body = "let second = client.get(first).await?; Ok(first ^ second)";
        assert_eq!(source(Kind::ByHand, 3).matches(body).count(), 3);
    }
}
