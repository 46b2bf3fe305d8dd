//! The errors of a service, with a type or boxed.

use std::error::Error;

/// An error of a service that [`GrpcExchange`](crate::GrpcExchange) can read: any
/// [`Error`], and `tower::BoxError`, which is none itself. `M` tells the two apart and is
/// inferred.
pub trait ServiceError<M> {
    /// The error.
    fn as_error(&self) -> &(dyn Error + 'static);
}

/// The error is an [`Error`].
#[derive(Clone, Copy, Debug)]
pub enum Typed {}

/// The error is a `tower::BoxError`: that of a timeout, a buffer, a limit, or a load that
/// is shed.
#[derive(Clone, Copy, Debug)]
pub enum Boxed {}

impl<E: Error + 'static> ServiceError<Typed> for E {
    fn as_error(&self) -> &(dyn Error + 'static) {
        self
    }
}

impl ServiceError<Boxed> for Box<dyn Error + Send + Sync> {
    fn as_error(&self) -> &(dyn Error + 'static) {
        &**self
    }
}
