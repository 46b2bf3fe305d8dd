//! The expansion of typical functions, formatted, so that a reviewer sees any
//! change of it. To make them anew: `SNAPSHOTS=overwrite cargo test -p retry-macros`.

use std::path::Path;
use std::{env, fs};

use super::{expand_block, expand_text};

#[test]
fn typical_functions_expand_as_they_did() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/snapshots");
    for (name, arguments, item) in TYPICAL {
        let expansion = expand_text(arguments, item);
        let file: syn::File = syn::parse2(expansion).expect("the expansion parses");
        compare(&folder, name, &format!("// #[retry({arguments})]\n"), &file);
    }
}

#[test]
fn typical_blocks_expand_as_they_did() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/snapshots");
    for (name, block) in BLOCKS {
        let expansion = expand_block(block);
        let function = quote::quote!(async fn around() { #expansion.await });
        let file: syn::File = syn::parse2(function).expect("the expansion parses");
        compare(&folder, name, &format!("// retry_block!({block}).await\n"), &file);
    }
}

fn compare(folder: &Path, name: &str, header: &str, file: &syn::File) {
    let found = header.to_owned() + &prettyplease::unparse(file);
    let path = folder.join(format!("{name}.rs"));
    if env::var("SNAPSHOTS").is_ok_and(|wish| wish == "overwrite") {
        fs::write(&path, &found).expect("the snapshot can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(expected, found, "{name} expands otherwise than it did");
}

pub const BLOCKS: &[(&str, &str)] = &[
    (
        "block",
        "retrier = self.retrier, attempt = attempt, async { offset = self.resume(&mut file, offset).await?; Ok::<_, Error>(offset) }",
    ),
    (
        "block_with_clone",
        "attempts = 3, budget = none, classify_err = transient, cancel = self.stop.cancelled(), clone(body), async { self.put(body).await }",
    ),
];

pub const TYPICAL: &[(&str, &str, &str)] = &[
    (
        "method",
        "attempts = 4, budget = PAYMENTS, classify = classify_http",
        "pub async fn charge(&self, charge: &Charge) -> Result<Receipt, ClientError> { self.post(charge).await }",
    ),
    (
        "retrier",
        "retrier = PAYMENTS, attempts = 2",
        "async fn refund(&self, id: Id) -> Result<(), ClientError> { self.delete(id).await }",
    ),
    (
        "no_budget",
        "attempts = unlimited, budget = none, classify_err = transient, within = 2m, schedule = Backoff::constant(500ms)",
        "async fn connect(address: SocketAddr) -> io::Result<TcpStream> { TcpStream::connect(address).await }",
    ),
    (
        "cancelled",
        "policy = POLICY, budget = self.budget, classify = classify, cancel = self.shutdown.cancelled(), observe = log",
        "async fn poll(&self) -> Option<Job> { self.next().await }",
    ),
    (
        "cancelled_unobserved",
        "attempts = 3, budget = BUDGET, classify = classify, cancel = shutdown",
        "async fn wait(shutdown: &mut Signal) -> io::Result<()> { knock().await }",
    ),
    (
        "cloned",
        "attempts = MAX_ATTEMPTS, budget = BUDGET, classify = classify, clone(body, name)",
        "async fn send(&mut self, mut body: Vec<u8>, Json(name): Json<String>) -> Result<u16, Error> { body.push(0); self.put(body, name).await }",
    ),
    (
        "by_value",
        "attempts = 3, budget = BUDGET, classify = classify",
        "async fn get<T: Serialize>(query: T, count: u32, sink: &mut Vec<u8>) -> Result<impl Display, Error> { fetch(&query, count, sink).await }",
    ),
    (
        "attempt_and_deadline",
        "attempts = 3, budget = BUDGET, classify = |r| self.judge(attempt.number(), r), attempt = attempt, deadline = request.deadline, name = \"orders.place\"",
        "async fn place(&self, request: &Request) -> Result<Order, Error> { self.post(request, attempt.remaining()).await }",
    ),
    (
        "boxed",
        "attempts = 3, budget = BUDGET, classify = classify",
        "fn load<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Value, Error>> { Box::pin(async move { self.get(key).await }) }",
    ),
    (
        "async_trait",
        "attempts = 3, budget = self.budget, classify = classify, clone(name)",
        "fn get<'life0, 'async_trait>(&'life0 self, name: String) -> ::core::pin::Pin<Box<dyn ::core::future::Future<Output = Result<u8, Error>> + ::core::marker::Send + 'async_trait>> where 'life0: 'async_trait, Self: 'async_trait { Box::pin(async move { if let ::core::option::Option::Some(__ret) = ::core::option::Option::None::<Result<u8, Error>> { #[allow(unreachable_code)] return __ret; } let __self = self; let name = name; let __ret: Result<u8, Error> = { __self.fetch(name).await }; #[allow(unreachable_code)] __ret }) }",
    ),
    (
        "bounded",
        "attempts = 3, budget = BUDGET, classify = classify, timer = self.timer, attempt = attempt, attempt_timeout = 2s, on_timeout = Err(Error::Timeout(id))",
        "async fn get(&mut self, id: u64) -> Result<u8, Error> { self.fetch(id).await }",
    ),
    (
        "blocking",
        "attempts = 3, budget = BUDGET, classify = classify, blocking, attempt = attempt, within = 5s",
        "fn get(&mut self, id: u64) -> io::Result<u8> { self.fetch(id, attempt.remaining()) }",
    ),
    (
        "blocking_cancelled",
        "attempts = 3, budget = BUDGET, classify = classify, blocking, cancel = |delay| self.stop.recv_timeout(delay).is_ok()",
        "fn get(&self, id: u64) -> Result<u8, Error> { self.fetch(id) }",
    ),
    (
        "impl",
        "retrier = self.retrier, cancel = self.stop.cancelled(), observe = log",
        "impl<T: Store> Client<T> { const N: [u8; 2] = [1, 2]; pub fn new() -> Self { make() } #[doc = \"Gets.\"] #[retry] pub async fn get(&self, id: Id) -> Result<Page, Error> { self.fetch(id).await } #[retry_runtime::retry(policy = POLICY, budget = DB, classify_err = judge, cancel = none)] #[instrument] async fn put(&self) -> Result<(), Error> { self.store().await } #[instrument] async fn plain(&self) {} }",
    ),
    (
        "mistaken",
        "attempts = 0, budget = BUDGET",
        "async fn get(&self) -> Result<u8, Error> { self.fetch().await }",
    ),
];
