//! Prints the table: `cargo run -p retry-comparison`.

fn main() {
    print!("{}", retry_comparison::table());
}
