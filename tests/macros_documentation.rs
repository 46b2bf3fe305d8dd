//! The examples in the documentation of the macros, compiled and run.

#[doc = include_str!("../retry-macros/src/attribute.md")]
#[cfg(doctest)]
struct Attribute;

#[doc = include_str!("../retry-macros/src/block.md")]
#[cfg(doctest)]
struct Block;
