// #[retry(attempts = 0, budget = BUDGET)]
async fn get(&self) -> Result<u8, Error> {
    if false {
        let __retry_result: Result<u8, Error> = ::retry_runtime::__private::never_made();
        _ = &__retry_result;
        _ = ::retry_runtime::__private::key::of_shared::budget(&BUDGET);
        loop {}
    }
    self.fetch().await
}
::core::compile_error! {
    "`classify` is missing: `classify = f` names a function that is given a reference to the result and says what it means (or `classify_err = f`, of the error alone); for example `#[retry(attempts = 4, budget = BUDGET, classify = classify_http)]`"
}
::core::compile_error! {
    "`attempts` is 0, so the function would never run: it counts every call, the first included; write 1 or more"
}
