//! The time and code of an annotated function's compilation,
//! beside the loop by hand; and what the macro's own build costs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, error, fs};

use indicatif::ProgressBar;
use lexopt::prelude::{Long, ValueExt};
use object::{Object, ObjectSection};
use retry_bench::generated::{Kind, package, quoted, source, workspace};
use retry_bench::{cpu, show};

const HELP: &str = "\
Compile time and code size of annotated functions.

    cargo run -p retry-bench --release --bin compile_time [-- OPTIONS]

    --functions N   functions of a generated crate, from 2; 400 if not given
    --rounds N      builds of each, of which the cheapest counts; 3 if not given";

type Result<T> = std::result::Result<T, Box<dyn error::Error>>;

const PROFILES: [(&str, &[&str]); 3] =
    [("check", &["check"]), ("debug", &["build"]), ("release", &["build", "--release"])];

const KINDS: [(&str, Kind); 3] = [
    ("plain async fn", Kind::Plain),
    ("loop by hand, no budget", Kind::ByHand),
    ("`#[retry]`", Kind::Attribute),
];

fn main() -> Result<()> {
    let (mut functions, mut rounds) = (400, 3);
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("help") => {
                println!("{HELP}");
                return Ok(());
            }
            Long("functions") => functions = arguments.value()?.parse()?,
            Long("rounds") => rounds = arguments.value()?.parse()?,
            other => return Err(other.unexpected().into()),
        }
    }
    if functions < 2 || rounds == 0 {
        return Err("--functions takes at least 2, and --rounds at least 1".into());
    }
    let directory = tempfile::tempdir()?;
    per_function(directory.path(), functions, rounds)?;
    clean_builds(directory.path(), rounds)
}

/// Runs cargo, and gives the seconds of the processor that it and its compilers took.
fn cargo(package: &Path, target: &Path, arguments: &[&str]) -> Result<f64> {
    let before = cpu::of_children();
    let output = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()))
        .args(arguments)
        .arg("--quiet")
        .current_dir(package)
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_INCREMENTAL", "0")
        .env_remove("RUSTFLAGS")
        .stdin(Stdio::null())
        .output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cargo {}: {said}", arguments.join(" ")).into());
    }
    Ok((cpu::of_children() - before).as_secs_f64())
}

fn per_function(directory: &Path, functions: usize, rounds: usize) -> Result<()> {
    let target = directory.join("target");
    let dependencies = format!(
        "retry-runtime = {{ path = {} }}\n\
         tokio = {{ version = \"1.40\", default-features = false, features = [\"time\"] }}\n",
        quoted(&workspace().join("retry-runtime"))
    );
    let write = |name: &str, kind, functions| {
        package(directory, name, &dependencies, "main.rs", &source(kind, functions))
    };
    // The first has no function: what every program costs.
    let mut packages = vec![write("none", Kind::Plain, 0)?];
    for (index, (_, kind)) in KINDS.iter().enumerate() {
        packages.push(write(&format!("all-{index}"), *kind, functions)?);
    }
    let builds = PROFILES.len() * packages.len() * (rounds + 1) + KINDS.len();
    let progress = show::bar("builds", builds);
    let mut costs = Vec::new();
    for (_, arguments) in PROFILES {
        costs.push(cheapest(&packages, &target, arguments, rounds, &progress)?);
    }
    let mut text = Vec::new();
    for (index, (_, kind)) in KINDS.iter().enumerate() {
        let name = format!("half-{index}");
        cargo(&write(&name, *kind, functions / 2)?, &target, &["build", "--release"])?;
        progress.inc(1);
        let size = |name: &str| text_of(&target.join("release").join(name));
        let added = size(&format!("all-{index}"))? - size(&name)?;
        text.push(added / (functions - functions / 2) as f64);
    }
    progress.finish_and_clear();
    let each = |profile: usize, kind: usize| {
        let costs = &costs[profile];
        (costs[kind + 1] - costs[0]) / functions as f64 * 1000.0
    };
    let cell = |value: f64, plain: f64, by_hand: f64| {
        format!("{value:.1} ({:+.1}, x {:.2})", value - plain, value / by_hand)
    };
    let rows = KINDS.iter().enumerate().map(|(kind, (name, _))| {
        let time = |profile| cell(each(profile, kind), each(profile, 0), each(profile, 1));
        [(*name).to_owned(), time(0), time(1), time(2), cell(text[kind], text[0], text[1])]
    });
    show::table(
        &format!(
            "Of each of {functions} functions: ms of the processor, and bytes of code (over the plain \
             function, and as a multiple of the loop by hand). The cheapest of {rounds} builds."
        ),
        ["", "check, ms", "debug, ms", "release, ms", ".text, B"],
        rows.collect(),
    );
    Ok(())
}

/// Builds each package once for what it depends on, then `rounds` times, in turn:
/// what its own build costs.
fn cheapest(
    packages: &[PathBuf],
    target: &Path,
    arguments: &[&str],
    rounds: usize,
    progress: &ProgressBar,
) -> Result<Vec<f64>> {
    let mut costs = vec![f64::INFINITY; packages.len()];
    for round in 0..=rounds {
        for (package, cheapest) in packages.iter().zip(&mut costs) {
            let main = package.join("src/main.rs");
            // Written anew, so that cargo takes it for changed.
            fs::write(&main, format!("{}\n", fs::read_to_string(&main)?))?;
            let cost = cargo(package, target, arguments)?;
            if round > 0 {
                *cheapest = cheapest.min(cost);
            }
            progress.inc(1);
        }
    }
    Ok(costs)
}

/// How many bytes of code a program has.
fn text_of(program: &Path) -> Result<f64> {
    let bytes = fs::read(program)?;
    let file = object::File::parse(&*bytes)?;
    let text = file.section_by_name(".text").or_else(|| file.section_by_name("__text"));
    Ok(text.ok_or("the program has no code")?.size() as f64)
}

/// What a crate's first build costs that depends on one macro and nothing else.
fn clean_builds(directory: &Path, rounds: usize) -> Result<()> {
    let ours =
        format!("retry-macros = {{ path = {} }}\n", quoted(&workspace().join("retry-macros")));
    let macros = [
        ("`retry-macros`", "ours", ours.as_str()),
        ("async-trait", "theirs", "async-trait = \"0.1\"\n"),
    ];
    let progress = show::bar("clean builds", 2 * macros.len() * rounds);
    let mut costs = [[f64::INFINITY; 2]; 2];
    for round in 0..rounds {
        for ((_, name, dependency), costs) in macros.iter().zip(&mut costs) {
            let package = package(directory, name, dependency, "lib.rs", "")?;
            cargo(&package, &directory.join("fetched"), &["fetch"])?;
            for ((_, arguments), cost) in [PROFILES[0], PROFILES[2]].iter().zip(costs) {
                let target = directory.join(format!("clean-{name}-{round}-{}", arguments.len()));
                *cost = cost.min(cargo(&package, &target, arguments)?);
                fs::remove_dir_all(target)?;
                progress.inc(1);
            }
        }
    }
    progress.finish_and_clear();
    let rows = macros.iter().zip(&costs).map(|((name, ..), [check, release])| {
        let cell = |cost: f64, theirs: f64| format!("{cost:.2} (x {:.2})", cost / theirs);
        [(*name).to_owned(), cell(*check, costs[1][0]), cell(*release, costs[1][1])]
    });
    show::table(
        &format!(
            "A clean build of a crate with one macro: s of the processor (over async-trait). The \
             cheapest of {rounds}."
        ),
        ["", "check, s", "release, s"],
        rows.collect(),
    );
    Ok(())
}
