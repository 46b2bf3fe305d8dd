//! `poll`: repeats that are no failures.

use std::process::Command;

use crate::example;

#[test]
fn a_poll_goes_on_while_another_method_of_its_client_is_throttled() {
    let output = Command::new(example("poll")).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{printed}");
    // The first upload has its three attempts, the second two; every other one has one.
    assert!(printed.contains("uploads: 10 of 10 failed, 9 of them throttled"), "{printed}");
    assert!(printed.contains("job: Ok(Done) after 41 looks"), "{printed}");
    assert!(printed.contains("look 20: Running { percent: 47 }, again in 10ms"), "{printed}");
}
