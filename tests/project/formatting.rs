//! rustfmt formats `retry_block!` as the call of a function, the block and its statements
//! too: that is what the comma before the block is for.

use std::io::Write;
use std::process::{Command, Stdio};

const UNFORMATTED: &str = "
async fn f() -> Result<u64, Error> {
    let mut offset=0;
    retry_block!(attempts=4,budget=PAYMENTS,classify=classify_http,within=30s,clone(name),attempt=attempt, async {
            offset=resume(&mut file,offset).await?;
      if attempt.is_first() {return Ok(offset)}
        Ok::<_,Error>(offset)
    }).await
}
";

const FORMATTED: &str = "\
async fn f() -> Result<u64, Error> {
    let mut offset = 0;
    retry_block!(
        attempts = 4,
        budget = PAYMENTS,
        classify = classify_http,
        within = 30s,
        clone(name),
        attempt = attempt,
        async {
            offset = resume(&mut file, offset).await?;
            if attempt.is_first() {
                return Ok(offset);
            }
            Ok::<_, Error>(offset)
        }
    )
    .await
}
";

/// What rustfmt makes of it, with its own settings; `None` without rustfmt.
fn formatted(source: &str) -> Option<String> {
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--emit", "stdout", "--config-path", "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(source.as_bytes()).ok()?;
    let output = child.wait_with_output().expect("rustfmt ends");
    assert!(output.status.success(), "rustfmt refuses it");
    Some(String::from_utf8(output.stdout).expect("it is text"))
}

#[test]
fn rustfmt_formats_a_block_and_leaves_it_as_it_is() {
    let Some(found) = formatted(UNFORMATTED) else { return eprintln!("there is no rustfmt") };
    assert_eq!(found, FORMATTED);
    assert_eq!(formatted(FORMATTED).as_deref(), Some(FORMATTED));
}

/// Without the comma rustfmt leaves all of it alone.
#[test]
fn without_the_comma_rustfmt_would_not() {
    let without = UNFORMATTED.replace(", async", " async");
    let Some(found) = formatted(&without) else { return eprintln!("there is no rustfmt") };
    assert!(found.contains("offset=resume"), "{found}");
}
