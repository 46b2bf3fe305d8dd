//! A function for each kind of parameter, in each form of the attribute that passes parameters
//! in another way: unused, read, and taken where it is cloned.

use std::fmt::Write;

/// A parameter, what it binds, and whether a `clone` is needed or of use.
const PARAMETERS: [(&str, &str, Cloned); 27] = [
    ("p: u32", "p", Cloned::Maybe),
    ("mut p: u32", "p", Cloned::Always),
    ("_p: u32", "_p", Cloned::Never),
    ("r#type: u32", "r#type", Cloned::Maybe),
    ("p: String", "p", Cloned::Maybe),
    ("mut p: String", "p", Cloned::Always),
    ("p: std::string::String", "p", Cloned::Maybe),
    ("p: Vec<u8>", "p", Cloned::Maybe),
    ("p: Option<u32>", "p", Cloned::Maybe),
    ("p: std::sync::Arc<String>", "p", Cloned::Maybe),
    ("p: Box<dyn Fn(u32) -> u32>", "p", Cloned::Never),
    ("p: [u8; 4]", "p", Cloned::Maybe),
    ("p: Pair", "p", Cloned::Maybe),
    ("(p, q): (u32, String)", "(&p, &q)", Cloned::Maybe),
    ("(p, _): (u32, String)", "p", Cloned::Maybe),
    ("Pair { left: p, .. }: Pair", "p", Cloned::Maybe),
    ("ref p: String", "p", Cloned::Never),
    ("&p: &u32", "p", Cloned::Maybe),
    ("p: &str", "p", Cloned::Never),
    ("mut p: &str", "p", Cloned::Never),
    ("p: &String", "p", Cloned::Never),
    ("p: &[u8]", "p", Cloned::Never),
    ("p: &mut u32", "p", Cloned::Never),
    ("p: &mut Vec<u8>", "p", Cloned::Never),
    ("p: impl Fn(u32) -> u32", "p", Cloned::Never),
    ("p: &dyn Fn(u32) -> u32", "p", Cloned::Never),
    ("_: u32", "()", Cloned::Never),
];

#[derive(Clone, Copy, PartialEq)]
enum Cloned {
    Never,
    Maybe,
    Always,
}

const RECEIVERS: [&str; 4] =
    ["&self", "&mut self", "self: std::sync::Arc<Self>", "self: &std::sync::Arc<Self>"];

/// The module, to be put after the sample.
pub fn module() -> String {
    let mut text = String::from(
        "\n/// Every kind of parameter.\npub mod kinds {\n\
         /// Two.\n#[derive(Clone, Debug)]\npub struct Pair {\n/// One.\npub left: u32,\n/// The other.\npub right: String,\n}\n\
         /// Looks at a value.\npub fn see<T: ?Sized>(_value: &T) -> bool { true }\n",
    );
    // What no constant function could do: see `lost` in the sample.
    let nothing = "if see(\"\") { return Err(3); }";
    let mut number = 0;
    let mut add = |text: &mut String, keys: &str, parameter: &str, body: &str| {
        let word = if keys.contains("blocking") { "" } else { "async " };
        write!(
            text,
            "/// Takes it.\n\
             #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge{keys})]\n\
             pub {word}fn f{number}({parameter}) -> Result<u8, u8> {{ {body} Ok(1) }}\n"
        )
        .expect("a string takes it");
        number += 1;
    };
    for keys in ["", ", blocking", ", clone(..)"] {
        for (parameter, value, clone) in PARAMETERS {
            let is_fit = match clone {
                Cloned::Never => !keys.contains("clone"),
                Cloned::Maybe => true,
                Cloned::Always => keys.contains("clone"),
            };
            if is_fit {
                add(&mut text, keys, parameter, nothing);
                add(&mut text, keys, parameter, &format!("if see(&{value}) {{ return Err(2); }}"));
            }
        }
    }
    text += "impl Pair {\n";
    for keys in ["", ", blocking"] {
        for receiver in RECEIVERS {
            add(&mut text, keys, receiver, nothing);
            add(&mut text, keys, receiver, "if see(&self.left) { return Err(2); }");
        }
    }
    text + "}\n}\n"
}
