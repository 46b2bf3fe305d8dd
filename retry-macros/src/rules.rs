//! Every rule of the attribute: what must be there, what excludes what, and what
//! a function must look like. Each mistake is reported; a plan is made only of
//! arguments and a function without one.

mod function;
mod settings;
mod time;

use proc_macro2::Span;

use crate::arguments::Arguments;
use crate::diagnostics::Errors;
use crate::duration;
use crate::function::Function;
use crate::keys::Key;
use crate::names::Names;
use crate::plan::{Plan, PolicySource};

pub fn plan(arguments: Arguments, function: Function, errors: &mut Errors) -> Option<Plan> {
    for (_, argument) in arguments.iter() {
        duration::check(&argument.value, errors);
    }
    let result = function::result(&function, errors);
    function::check(&function, errors);
    let bindings = function::bindings(&function, &arguments, errors);

    settings::check_presence(&arguments, errors);
    settings::check_conflicts(&arguments, errors);
    let names = Names::new(settings::krate(&arguments, errors));
    let attempts = settings::attempts(&arguments, &function, errors);
    settings::check_retrier(&arguments, errors);
    let budget = settings::budget(&arguments, &function, errors);
    let retrier = arguments.get(Key::Retrier);
    let retrier_is_static =
        retrier.is_some_and(|retrier| settings::names_a_static(&retrier.value, &function));
    let classify = settings::classify(&arguments);
    let schedule = settings::schedule(&arguments, errors);
    let within = time::duration(&arguments, Key::Within, errors);
    let timeout = time::timeout(&arguments, errors);
    let attempt = settings::attempt_name(&arguments, errors);
    settings::check_literals(&arguments, errors);

    let value = |key| arguments.get(key).map(|argument| argument.value.clone());
    let policy = match (value(Key::Policy), value(Key::Retrier)) {
        (Some(policy), _) => Some(PolicySource::Policy(policy)),
        (None, Some(retrier)) => Some(PolicySource::Retrier(retrier)),
        (None, None) => None,
    };
    Some(Plan {
        names,
        policy,
        attempts: attempts?,
        budget: budget?,
        retrier_is_static,
        classify: classify?,
        schedule,
        within,
        deadline: value(Key::Deadline),
        cancel: value(Key::Cancel),
        observe: value(Key::Observe),
        timer: value(Key::Timer),
        timeout,
        attempt,
        label: value(Key::Name),
        bindings,
        receiver: function::receiver(&function, &arguments),
        result,
        function,
    })
}

/// Where to report what the arguments lack: at the attribute.
fn attribute() -> Span {
    Span::call_site()
}
