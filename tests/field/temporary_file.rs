//! tempfile 3.27, `util::create_helper`: a blocking loop in the middle of a function. New
//! names are tried until one is free; the generator is seeded anew after three of them,
//! in case somebody predicts it. The caller gets an error of the function's own.

use std::cell::Cell;
use std::io::{self, ErrorKind};
use std::time::Duration;

use retry_runtime::{Decision, Outcome, Policy};

/// How many names are tried.
const NAMES: u32 = 65_536;

struct Generator {
    next: u64,
    seeded: u32,
}

impl Generator {
    fn name(&mut self, length: usize) -> String {
        self.next += 1;
        format!("{:0length$}", self.next)
    }
}

fn create<R>(
    length: usize,
    generator: &mut Generator,
    mut open: impl FnMut(&str) -> io::Result<R>,
) -> io::Result<R> {
    let names = if length == 0 { 1 } else { NAMES };
    // A name that is taken says nothing about the disk.
    let classify = |result: &io::Result<R>| match result {
        Ok(_) => Outcome::Success,
        Err(error) if matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::AddrInUse) => {
            Outcome::RepeatIn(Duration::ZERO)
        }
        Err(_) => Outcome::Stop,
    };
    let mut call = Policy::new(names).call_without_budget().classify(&classify);
    let result = call.run_blocking(|attempt| {
        if attempt.number() == 4 {
            generator.seeded += 1;
        }
        open(&generator.name(length))
    });
    match call.decision() {
        Some(Decision::Exhausted) if names > 1 => {
            Err(io::Error::new(ErrorKind::AlreadyExists, "too many temporary files exist"))
        }
        _ => result,
    }
}

fn generator() -> Generator {
    Generator { next: 0, seeded: 0 }
}

#[test]
fn a_name_that_is_taken_is_replaced_by_another() {
    let mut generator = generator();
    let result = create(6, &mut generator, |name| match name {
        "000001" => Err(ErrorKind::AlreadyExists.into()),
        "000002" => Err(ErrorKind::AddrInUse.into()),
        name => Ok(name.to_owned()),
    });
    assert_eq!((result.unwrap(), generator.seeded), ("000003".to_owned(), 0));
}

#[test]
fn the_generator_is_seeded_once_after_three_names() {
    let mut generator = generator();
    let result = create(6, &mut generator, |name| {
        if name < "000009" { Err(ErrorKind::AlreadyExists.into()) } else { Ok(()) }
    });
    assert!(result.is_ok());
    assert_eq!(generator.seeded, 1);
}

#[test]
fn any_other_error_is_final() {
    let opened = Cell::new(0);
    let result: io::Result<()> = create(6, &mut generator(), |_| {
        opened.set(opened.get() + 1);
        Err(ErrorKind::PermissionDenied.into())
    });
    assert_eq!((result.unwrap_err().kind(), opened.get()), (ErrorKind::PermissionDenied, 1));
}

#[test]
fn the_error_after_too_many_names_is_the_functions_own() {
    let opened = Cell::new(0);
    let taken = |_: &str| -> io::Result<()> {
        opened.set(opened.get() + 1);
        Err(ErrorKind::AddrInUse.into())
    };
    let error = create(6, &mut generator(), taken).unwrap_err();
    assert_eq!(error.to_string(), "too many temporary files exist");
    assert_eq!(opened.get(), NAMES);
    // Without anything random in it the only name is tried once, and its error is passed on.
    let error = create(0, &mut generator(), taken).unwrap_err();
    assert_eq!((error.kind(), opened.get()), (ErrorKind::AddrInUse, NAMES + 1));
}
