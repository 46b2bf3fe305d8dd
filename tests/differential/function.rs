//! A random function and its caller.

use crate::body::Body;
use crate::keys::keys;
use crate::parameters::{Parameter, parameters};
use crate::random::Random;
use crate::returned::Returned;
use crate::scope::{Scope, Type, Variable};

/// Stands where the attribute is, in the one of the two functions that has it.
pub const ATTRIBUTE: char = '§';

pub struct Function {
    /// The function and `fn drive_NUMBER`, with [`ATTRIBUTE`] before each attribute and
    /// after it.
    pub source: String,
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Function,
    Method,
    /// The attribute on the `impl` holds some of the keys.
    OfImpl,
    OfTrait,
    AsyncTrait,
    Boxed,
    Opaque,
    Blocking,
    BlockingMethod,
}

const FORMS: [&Form; 14] = [
    &Form::Function,
    &Form::Function,
    &Form::Function,
    &Form::Function,
    &Form::Method,
    &Form::Method,
    &Form::Method,
    &Form::OfImpl,
    &Form::OfTrait,
    &Form::AsyncTrait,
    &Form::Boxed,
    &Form::Opaque,
    &Form::Blocking,
    &Form::BlockingMethod,
];

/// How `self` is written, made and looked at afterwards, and whether it can be changed.
type Receiver = (&'static str, &'static str, bool, bool);

const RECEIVERS: [&Receiver; 8] = [
    &("&'l self", "kept", true, false),
    &("&'l mut self", "kept", true, true),
    &("self: &'l Self", "kept", true, false),
    &("self: &'l mut Self", "kept", true, true),
    &("self: Box<Self>", "Box::new(kept)", false, false),
    &("self: Arc<Self>", "Arc::new(kept)", false, false),
    &("self: &'l Arc<Self>", "Arc::new(kept)", false, false),
    &("self: Pin<&'l mut Self>", "Pin::new(&mut kept)", true, false),
];

pub fn function(random: &mut Random, number: usize, edition: &str) -> Function {
    let form = *random.pick(&FORMS);
    let is_async = !matches!(form, Form::Blocking | Form::BlockingMethod);
    let receiver = match form {
        Form::Function | Form::Boxed | Form::Opaque | Form::Blocking => None,
        _ => Some(random.pick(&RECEIVERS)),
    };
    let returns_future = matches!(form, Form::Boxed | Form::Opaque);
    let mut parameters = parameters(random, edition);
    if returns_future {
        // Such a future must own what it uses.
        for parameter in &mut parameters {
            if let Some(name) = parameter.pattern.strip_prefix("ref ") {
                parameter.pattern = name.to_owned();
            }
        }
    }
    let returned = match returned(random, &mut parameters, receiver.is_some()) {
        // In an `async` block the type comes too late for the coercion, and all references
        // have one lifetime, so a result would borrow from each.
        Returned::Object | Returned::Borrowed if returns_future => Returned::NumberOrText,
        returned => returned,
    };
    let mut scope = Scope::default();
    for variable in parameters.iter().flat_map(|parameter| &parameter.variables) {
        scope.declare(variable.clone());
    }
    let changes = receiver.map(|receiver| receiver.3);
    let mut body = Body { random, scope, returned, is_async, receiver: changes };
    let statements = body.whole();
    let scope = body.scope;
    // Such a future has what its body uses, and a key that names more keeps it for longer.
    let can_be_seen = |variable: &Variable| {
        variable.of_type != Type::FunctionMut
            && !(returns_future && variable.of_type == Type::Noisy)
    };
    let seen = parameters.iter().flat_map(|it| &it.variables).filter(|it| can_be_seen(it));
    let seen: Vec<&str> = seen.map(|variable| variable.name.as_str()).collect();
    let keys = keys(random, &parameters, &seen, &scope, returned, is_async);

    let (of_block, own) = match form {
        Form::OfImpl => (keys.shared, keys.own),
        _ => (vec![], [keys.shared, keys.own].concat()),
    };
    let attribute =
        |keys: &[String]| format!("{ATTRIBUTE}#[retry({})]{ATTRIBUTE}\n", keys.join(", "));
    let own = if is_async { own } else { [own, vec!["blocking".to_owned()]].concat() };
    let attributes = attribute(&own);
    let signature =
        |in_trait: bool| signature(number, form, receiver, &parameters, returned, in_trait);
    let block = match form {
        Form::Boxed => format!("{{\nBox::pin(async move {{\n{statements}}})\n}}"),
        Form::Opaque => format!("{{\nasync move {{\n{statements}}}\n}}"),
        _ => format!("{{\n{statements}}}"),
    };
    let item = format!("{attributes}{} {block}", signature(false));
    let item = match form {
        Form::Function | Form::Boxed | Form::Opaque | Form::Blocking => item,
        Form::Method | Form::BlockingMethod => format!("impl Service {{\n{item}\n}}"),
        Form::OfImpl => format!("{}impl Service {{\n{item}\n}}", attribute(&of_block)),
        Form::OfTrait | Form::AsyncTrait => {
            let mark = if form == Form::AsyncTrait { "#[async_trait(?Send)]\n" } else { "" };
            format!(
                "{mark}trait Trait{number} {{ {}; }}\n{mark}impl Trait{number} for Service {{\n{item}\n}}",
                signature(true)
            )
        }
    };
    let item = if random.one_in(8) { format!("same! {{\n{item}\n}}") } else { item };
    Function { source: format!("{item}\n{}", driver(number, receiver, &parameters, is_async)) }
}

/// A result can borrow from a parameter if nothing else has a lifetime that it might be.
fn returned(random: &mut Random, parameters: &mut [Parameter], has_receiver: bool) -> Returned {
    let text = parameters.iter_mut().find(|it| it.of_type == "&'l str" && !it.variables[0].is_mut);
    match text {
        Some(text) if !has_receiver && random.one_in(2) => {
            text.of_type = "&'b str".to_owned();
            let variable = text.variables.remove(0);
            text.variables.push(variable.borrowed());
            Returned::Borrowed
        }
        _ => *random.pick(&Returned::OWNED),
    }
}

fn signature(
    number: usize,
    form: Form,
    receiver: Option<&Receiver>,
    parameters: &[Parameter],
    returned: Returned,
    in_trait: bool,
) -> String {
    let returns_future = matches!(form, Form::Boxed | Form::Opaque);
    let mut generics: Vec<String> = Vec::new();
    if returns_future {
        generics.push("'f".to_owned());
    }
    if returned == Returned::Borrowed && !returns_future {
        generics.push("'b".to_owned());
    }
    let bounds = parameters.iter().filter_map(|parameter| parameter.generics.clone());
    generics.extend(bounds);
    let mut written: Vec<String> = receiver.iter().map(|receiver| receiver.0.to_owned()).collect();
    written.extend(parameters.iter().map(|parameter| {
        let pattern = if in_trait { "_" } else { &parameter.pattern };
        format!("{pattern}: {}", parameter.of_type)
    }));
    let of_type = returned.of_type();
    let (keyword, of_type) = match form {
        Form::Boxed => ("fn", format!("Pin<Box<dyn Future<Output = {of_type}> + 'f>>")),
        Form::Opaque => ("fn", format!("impl Future<Output = {of_type}> + 'f")),
        Form::Blocking | Form::BlockingMethod => ("fn", of_type.to_owned()),
        _ => ("async fn", of_type.to_owned()),
    };
    let text = format!(
        "{keyword} f{number}<{}>({}) -> {of_type}",
        generics.join(", "),
        written.join(", ")
    );
    let text = text.replace("<>(", "(");
    if returns_future {
        text.replace("'l", "'f").replace("'b", "'f")
    } else {
        text.replace("&'l ", "&").replace(" + 'l", "").replace("<'l,", "<'_,")
    }
}

fn driver(
    number: usize,
    receiver: Option<&Receiver>,
    parameters: &[Parameter],
    is_async: bool,
) -> String {
    let mut setup = String::new();
    let mut state = Vec::new();
    let mut called = format!("f{number}");
    if let Some((_, made, is_kept, _)) = receiver {
        setup += "let mut kept = Service::new();\n";
        called = format!("{made}.{called}");
        if *is_kept {
            state.push("&kept".to_owned());
        }
    }
    for parameter in parameters {
        setup += &format!("{}\n", parameter.setup);
        state.extend(parameter.state.iter().map(|state| format!("&{state}")));
    }
    let arguments: Vec<&str> =
        parameters.iter().map(|parameter| parameter.argument.as_str()).collect();
    let call = format!("{called}({})", arguments.join(", "));
    let call = if is_async { format!("run(pin!({call}))") } else { call };
    format!(
        "pub fn drive_{number}() -> String {{\n{setup}let result = {call};\nseen(&result, &[{}])\n}}\n",
        state.join(", ")
    )
}
