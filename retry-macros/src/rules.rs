//! Every rule of the attribute: what must be there, what excludes what, and what
//! a function must look like. Each mistake is reported, and a plan is made only if
//! there is none.

mod flow;
mod forms;
mod function;
mod settings;
mod source;
mod time;

use proc_macro2::Span;

use crate::arguments::Arguments;
use crate::diagnostics::Errors;
use crate::duration;
use crate::function::{Body, Function};
use crate::keys::Key;
use crate::plan::Plan;
use function::Uses;

/// The plan, or every mistake: those in `errors` too, and the function, to be emitted beside them.
pub fn plan(
    arguments: &Arguments,
    function: Function,
    mut errors: Errors,
) -> Result<Plan, Box<(Function, Errors)>> {
    match checked(arguments, function, &mut errors) {
        Ok(plan) => Ok(plan),
        Err(function) => Err(Box::new((*function, errors))),
    }
}

/// Reports every mistake. The function comes back if there is any.
fn checked(
    arguments: &Arguments,
    function: Function,
    errors: &mut Errors,
) -> Result<Plan, Box<Function>> {
    for (_, argument) in arguments.iter() {
        duration::check(&argument.value, errors);
    }
    flow::check(arguments, errors);
    let result = function::result(&function, errors);
    function::check(&function, errors);
    let uses = Uses::of(&function, arguments);
    let parameters = function::parameters(&function, arguments, &uses, errors);

    settings::check_presence(arguments, errors);
    settings::check_conflicts(arguments, errors);
    let krate = settings::krate(arguments, errors);
    let source = source::source(arguments, &function, errors);
    let schedule = settings::schedule(arguments, errors);
    let within = time::duration(arguments, Key::Within, errors);
    let timeout = time::timeout(arguments, errors);
    let attempt = settings::attempt(arguments, &function, errors);
    let reason = settings::reason(arguments, errors);
    settings::check_literals(arguments, errors);

    forms::check(arguments, &function, errors);

    let value = |key| arguments.get(key).map(|argument| argument.value.clone());
    let receiver = function::receiver(&function, &uses);
    let Function { header, body, form } = function;
    let (source, body) = match (source, body) {
        (Some(source), Body::Async(body)) if errors.is_empty() => (source, body),
        (_, body) => return Err(Box::new(Function { header, body, form })),
    };
    Ok(Plan {
        header,
        form,
        body,
        krate,
        source,
        schedule,
        within,
        deadline: value(Key::Deadline),
        cancel: value(Key::Cancel),
        observe: value(Key::Observe),
        reason,
        timer: value(Key::Timer),
        timeout,
        attempt,
        label: value(Key::Name),
        parameters,
        receiver,
        result,
    })
}

/// Reports what is wrong with the keys of an `impl`, whatever its methods are.
pub fn check_shared(arguments: &Arguments, errors: &mut Errors) {
    for (_, argument) in arguments.iter() {
        duration::check(&argument.value, errors);
    }
    settings::check_conflicts(arguments, errors);
    settings::krate(arguments, errors);
    settings::schedule(arguments, errors);
    time::duration(arguments, Key::Within, errors);
    time::duration(arguments, Key::AttemptTimeout, errors);
    settings::check_literals(arguments, errors);
    source::check_shared(arguments, errors);
}

/// Where to report what the arguments lack: at the attribute.
pub fn attribute() -> Span {
    Span::call_site()
}
