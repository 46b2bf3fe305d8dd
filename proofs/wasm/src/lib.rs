//! Tests of the library in JavaScript's world, in `tests/`.
