//! Builds the source of retry-runtime for the models.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(retry_loom)");
    println!("cargo::rustc-cfg=retry_loom");
}
