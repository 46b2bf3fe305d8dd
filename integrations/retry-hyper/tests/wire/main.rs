//! The reading of errors over real connections: hyper-util's legacy client against
//! servers that fail in every way.

mod http1;
mod http2;
mod load;
mod outage;

use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Builder, Client, Error};
use hyper_util::rt::{TokioExecutor, TokioTimer};

type Body = BoxBody<Bytes, std::io::Error>;

fn builder() -> Builder {
    let mut builder = Client::builder(TokioExecutor::new());
    // On its own it repeats requests that were handed back.
    builder.retry_canceled_requests(false).timer(TokioTimer::new());
    builder
}

fn request(method: Method, url: &str) -> Request<Body> {
    let body = Full::from("every byte of it").map_err(|never| match never {}).boxed();
    Request::builder().method(method).uri(url).body(body).unwrap()
}

async fn post(
    client: &Client<HttpConnector, Body>,
    url: &str,
) -> Result<Response<Incoming>, Error> {
    client.request(request(Method::POST, url)).await
}
