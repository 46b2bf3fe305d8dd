//! Random parameters: the pattern, the type, what a caller passes, and the variables that
//! the body has of them.

use crate::random::Random;
use crate::scope::{Type, Variable};

/// Whether an attempt can have a value of its own.
#[derive(Clone, Copy, PartialEq)]
pub enum Passed {
    ByReference,
    ByValue { clone: bool },
}

pub struct Parameter {
    pub pattern: String,
    /// `'l ` stands wherever a reference may name its lifetime.
    pub of_type: String,
    pub generics: Option<String>,
    /// What a caller keeps, and whether it looks at that after the call.
    pub setup: String,
    pub argument: String,
    pub state: Option<String>,
    pub variables: Vec<Variable>,
    pub passed: Passed,
}

/// Some are names that an expansion could have of its own, or that its keys have.
const NAMES: [&str; 24] = [
    "amount", "attempt", "attempts", "budget", "call", "client", "clone", "decision", "delay",
    "error", "future", "list", "name", "number", "outcome", "owner", "policy", "request", "result",
    "retry", "schedule", "text", "timer", "value",
];

pub fn parameters(random: &mut Random, edition: &str) -> Vec<Parameter> {
    let mut names: Vec<&str> = NAMES.to_vec();
    if edition == "2021" {
        names.push("gen");
    }
    let count = random.below(5);
    (0..count)
        .map(|index| {
            let mut name = || names.swap_remove(random.below(names.len())).to_owned();
            let names = [name(), name()];
            parameter(random, index, names)
        })
        .collect()
}

fn parameter(random: &mut Random, index: usize, [a, b]: [String; 2]) -> Parameter {
    use Type::*;
    let of = |name: &str, of_type| Variable::parameter(name, of_type);
    let owned = Passed::ByValue { clone: true };
    let fixed = Passed::ByValue { clone: false };
    let number = random.below(90);
    let text = random.pick(&["", "a", "bc", "def"]);
    // Mutable or not, as the pattern says.
    let first = |random: &mut Random, of_type| {
        let mut variable = of(&a, of_type);
        variable.is_mut = random.one_in(3);
        (if variable.is_mut { format!("mut {a}") } else { a.clone() }, variable)
    };
    let simple =
        |(pattern, variable): (String, Variable), of_type: &str, argument: String, passed| {
            Parameter {
                pattern,
                of_type: of_type.to_owned(),
                generics: None,
                setup: String::new(),
                argument,
                state: None,
                variables: vec![variable],
                passed,
            }
        };
    let kept = |(pattern, variable): (String, Variable), of_type: &str, value: String| Parameter {
        pattern,
        of_type: of_type.to_owned(),
        generics: None,
        setup: format!("let mut kept{index} = {value};"),
        argument: format!("&mut kept{index}"),
        state: Some(format!("kept{index}")),
        variables: vec![variable],
        passed: Passed::ByReference,
    };
    let numbers = format!("vec![{number}, 2, 9]");
    let string = format!("String::from({text:?})");
    match random.below(30) {
        0 => simple(first(random, Number), "u64", format!("{number}"), owned),
        1 => simple(first(random, Text), "String", string, owned),
        2 => simple(first(random, List), "Vec<u64>", numbers, owned),
        3 => simple(
            (a.clone(), of(&a, NumberRef)),
            "&'l u64",
            format!("&{number}"),
            Passed::ByReference,
        ),
        4 => simple(first(random, TextRef), "&'l str", format!("{text:?}"), Passed::ByReference),
        5 => simple(
            first(random, ListRef),
            "&'l [u64]",
            format!("&[{number}, 7]"),
            Passed::ByReference,
        ),
        6 | 7 => kept(first(random, NumberMut), "&'l mut u64", format!("{number}u64")),
        8 | 9 => kept(first(random, ListMut), "&'l mut Vec<u64>", numbers),
        10 => kept(first(random, TextMut), "&'l mut String", string),
        11 => {
            let (pattern, variable) = first(random, Text);
            let mut it = simple(
                (format!("({b}, {pattern})"), variable),
                "(u64, String)",
                format!("({number}, {string})"),
                owned,
            );
            it.variables.push(of(&b, Number));
            it
        }
        12 => {
            let (pattern, variable) = first(random, Text);
            let mut it = simple(
                (format!("Pair {{ left: {b}, right: {pattern} }}"), variable),
                "Pair",
                format!("Pair {{ left: {number}, right: {string} }}"),
                owned,
            );
            it.variables.push(of(&b, Number));
            it
        }
        13 => {
            let (pattern, variable) = first(random, Number);
            let mut it = simple(
                (format!("[{pattern}, .., {b}]"), variable),
                "[u64; 3]",
                format!("[{number}, 1, 4]"),
                owned,
            );
            it.variables.push(of(&b, Number));
            it
        }
        14 => {
            let mut it = simple(
                (format!("&({a}, ref {b})"), of(&a, Number).borrowed()),
                "&'l (u64, String)",
                format!("&kept{index}"),
                Passed::ByReference,
            );
            it.setup = format!("let kept{index} = ({number}, {string});");
            it.variables.push(of(&b, TextRef));
            it
        }
        15 => {
            let value = format!("|x: u64| x.wrapping_add({number})");
            simple((a.clone(), of(&a, Function)), "impl Fn(u64) -> u64 + 'l", value, fixed)
        }
        16 => {
            let mut it = simple(
                (a.clone(), of(&a, Shown)),
                &format!("T{index}"),
                format!("{text:?}"),
                owned,
            );
            it.generics = Some(format!("T{index}: Display + Clone + 'l"));
            it
        }
        17 => {
            let it = (a.clone(), of(&a, Shown).borrowed());
            simple(it, "impl Display + 'l", format!("{number}"), fixed)
        }
        18 => simple(
            (a.clone(), of(&a, Noisy)),
            "Noisy",
            format!("Noisy(\"parameter {index}\")"),
            fixed,
        ),
        19 => {
            let mut it = simple(
                ("_".to_owned(), of(&a, Noisy)),
                "Noisy",
                format!("Noisy(\"parameter {index}\")"),
                fixed,
            );
            it.variables.clear();
            it
        }
        20 => {
            simple((a.clone(), of(&a, Shared)), "Cell<u64>", format!("Cell::new({number})"), owned)
        }
        21 => {
            let mut it = simple(
                (a.clone(), of(&a, FunctionMut)),
                "&'l mut dyn FnMut(u64) -> u64",
                format!("&mut |x| {{ called{index}.push(x); x }}"),
                Passed::ByReference,
            );
            it.setup = format!("let mut called{index} = Vec::<u64>::new();");
            it.state = Some(format!("called{index}"));
            it
        }
        22 => {
            let mut it = simple(
                (a.clone(), of(&a, ListRef)),
                &format!("[u64; N{index}]"),
                format!("[{number}, 6]"),
                owned,
            );
            it.generics = Some(format!("const N{index}: usize"));
            it
        }
        23 => {
            let (pattern, variable) = first(random, Text);
            simple(
                (format!("Wrap(Wrap({pattern}))"), variable),
                "Wrap<Wrap<String>>",
                format!("Wrap(Wrap({string}))"),
                owned,
            )
        }
        24 => simple((format!("ref {a}"), of(&a, TextRef)), "String", string, owned),
        25 => simple(
            (format!("(Either::Left({a}) | Either::Right({a}))"), of(&a, Text)),
            "Either",
            format!("Either::{}({string})", random.pick(&["Left", "Right"])),
            owned,
        ),
        26 => {
            let (pattern, variable) = first(random, NumberMut);
            let mut it = kept((pattern, variable), "", format!("({number}u64, {numbers})"));
            it.pattern = format!("({}, {b})", it.pattern);
            "(&'l mut u64, &'l mut Vec<u64>)".clone_into(&mut it.of_type);
            it.argument = format!("(&mut kept{index}.0, &mut kept{index}.1)");
            it.variables.push(of(&b, ListMut));
            it.passed = fixed;
            it
        }
        27 => {
            simple((a.clone(), of(&a, NumberRef)), "Box<u64>", format!("Box::new({number})"), owned)
        }
        28 => simple(
            (a.clone(), of(&a, TextRef)),
            "Arc<String>",
            format!("Arc::new({string})"),
            owned,
        ),
        _ => simple(
            (a.clone(), of(&a, TextRef)),
            "Cow<'l, str>",
            format!("Cow::Borrowed({text:?})"),
            owned,
        ),
    }
}
