//! The servers that `.ci/servers` has started, for tests that need real ones.
//!
//! One rule for a server that is not there: its test is skipped with a message, and
//! fails where the variable `CI` is `true`.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// A server that `.ci/servers run` has started.
#[derive(Clone, Debug)]
pub struct Server {
    name: &'static str,
    address: String,
}

impl Server {
    /// The server `name` of `.ci/servers`, or `None` after a message: then the test
    /// returns.
    ///
    /// # Panics
    ///
    /// Where `CI` is `true`, if the server is missing.
    #[must_use]
    pub fn find(name: &'static str) -> Option<Server> {
        let variable = format!("RETRY_TEST_{}", name.to_uppercase());
        let is_ci = std::env::var_os("CI").is_some_and(|ci| ci == "true");
        match std::env::var(&variable) {
            Ok(address) => Some(Server { name, address }),
            Err(_) if is_ci => panic!("{variable} is not set: run this under `.ci/servers run`"),
            Err(_) => {
                eprintln!("skipped: no {name} here (run this under `.ci/servers run`)");
                None
            }
        }
    }

    /// Its URL.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Of a proxy: its URL, and the address of the server behind it, which the test starts.
    ///
    /// # Panics
    ///
    /// If it is no proxy.
    #[must_use]
    pub fn proxy(&self) -> (&str, std::net::SocketAddr) {
        let (front, behind) = self.address.split_once(' ').expect("a proxy has two addresses");
        (front, behind.parse().expect("an address"))
    }

    /// Starts it, and waits until it answers.
    pub fn start(&self) {
        self.control("start");
    }

    /// Starts it, and does not wait.
    pub fn launch(&self) {
        self.control("launch");
    }

    /// Ends it in an orderly way.
    pub fn stop(&self) {
        self.control("stop");
    }

    /// Ends it at once, as a crash would.
    pub fn kill(&self) {
        self.control("kill");
    }

    fn control(&self, what: &str) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.ci/servers");
        let status = Command::new(script)
            .args([OsStr::new(what), OsStr::new(self.name)])
            .status()
            .expect(".ci/servers can be run");
        assert!(status.success(), ".ci/servers {what} {}: {status}", self.name);
    }
}
