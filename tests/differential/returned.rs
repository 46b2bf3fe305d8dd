//! The types of the results.

#[derive(Clone, Copy, PartialEq)]
pub enum Returned {
    Number,
    Unit,
    NumberOrText,
    /// Through an alias of `Result`.
    TextOrText,
    ListOrBoxed,
    MaybeText,
    /// The value is coerced to a trait object.
    Object,
    /// Borrowed from a parameter.
    Borrowed,
}

impl Returned {
    pub const OWNED: [&'static Returned; 7] = [
        &Returned::Number,
        &Returned::Unit,
        &Returned::NumberOrText,
        &Returned::TextOrText,
        &Returned::ListOrBoxed,
        &Returned::MaybeText,
        &Returned::Object,
    ];

    pub fn of_type(self) -> &'static str {
        match self {
            Returned::Number => "u64",
            Returned::Unit => "()",
            Returned::NumberOrText => "Result<u64, String>",
            Returned::TextOrText => "Fallible<String>",
            Returned::ListOrBoxed => "Result<Vec<u64>, Box<dyn Error>>",
            Returned::MaybeText => "Option<String>",
            Returned::Object => "Result<Box<dyn Debug>, String>",
            Returned::Borrowed => "Result<&'b str, String>",
        }
    }

    pub fn is_result(self) -> bool {
        !matches!(self, Returned::Number | Returned::Unit | Returned::MaybeText)
    }
}
