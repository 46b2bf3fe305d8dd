//! A value of a wrong type in the keys of an `impl` is reported once, where it was written,
//! however many methods are marked.

use retry_runtime::retry;

struct Client {
    wrong: Wrong,
}

struct Wrong;

#[retry(
    attempts = 4,
    budget = self.wrong,
    classify_err = self.wrong,
    schedule = self.wrong,
    within = self.wrong,
    deadline = self.wrong,
    cancel = self.wrong,
    attempt_timeout = self.wrong,
    on_timeout = self.wrong,
    observe = self.wrong,
)]
impl Client {
    #[retry]
    async fn get(&self) -> Result<u32, String> {
        Ok(1)
    }

    #[retry]
    async fn list(&self) -> Result<u32, String> {
        Ok(2)
    }

    #[retry(attempts = 2)]
    async fn put(&self) -> Result<u32, String> {
        Ok(3)
    }
}

fn main() {}

// Section: Keys shared by an impl
