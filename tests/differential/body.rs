//! Random bodies, statement by statement.

use crate::random::Random;
use crate::returned::Returned;
use crate::scope::{Scope, Type, Variable};

pub struct Body<'r> {
    pub random: &'r mut Random,
    pub scope: Scope,
    pub returned: Returned,
    pub is_async: bool,
    /// `None` in a function, else whether `self` can be changed.
    pub receiver: Option<bool>,
}

impl Body<'_> {
    pub fn whole(&mut self) -> String {
        let count = 1 + self.random.below(6);
        let statements = self.statements(count, 2);
        let tail = match self.random.below(8) {
            0 => format!("return {};", self.exit()),
            1 if self.returned == Returned::Number => {
                format!("Noisy(\"tail\").number({})", self.number(1))
            }
            2 => format!(
                "match {} % 3 {{ 0 => {}, _ => {} }}",
                self.number(1),
                self.exit(),
                self.exit()
            ),
            3 => {
                format!("if {} {{ {} }} else {{ {} }}", self.condition(), self.exit(), self.exit())
            }
            _ => self.exit(),
        };
        format!("{statements}{tail}\n")
    }

    fn statements(&mut self, count: usize, depth: usize) -> String {
        (0..count).map(|_| self.statement(depth) + "\n").collect()
    }

    /// Statements in braces of their own.
    fn block(&mut self, depth: usize, is_loop: bool) -> String {
        let outer = self.scope.enter(is_loop);
        let count = 1 + self.random.below(2);
        let statements = self.statements(count, depth.saturating_sub(1));
        self.scope.leave(outer);
        statements
    }

    /// A new name, or one that the variable hides.
    fn target(&mut self) -> String {
        let visible = self.scope.visible(|_| true);
        if visible.is_empty() || self.random.one_in(2) {
            return self.scope.fresh();
        }
        visible[self.random.below(visible.len())].name.clone()
    }

    fn declaration(&mut self, of_type: Type, value: &str) -> String {
        let name = self.target();
        let is_mut = self.random.one_in(2);
        self.scope.local(&name, of_type, is_mut);
        format!("let {}{name} = {value};", if is_mut { "mut " } else { "" })
    }

    fn statement(&mut self, depth: usize) -> String {
        let number = self.number(2);
        match self.random.below(if depth == 0 { 19 } else { 25 }) {
            0 => self.declaration(Type::Number, &number),
            1 => {
                let value = self.text();
                self.declaration(Type::Text, &value)
            }
            2 => {
                let value = self.list();
                self.declaration(Type::List, &value)
            }
            3 => self.log(),
            4..=6 => self.mutation(),
            7 | 8 => self.consumption(),
            9 => match self.returned {
                of_type if of_type.is_result() => {
                    self.declaration(Type::Number, &format!("check({number})?"))
                }
                Returned::MaybeText => self.declaration(Type::Number, &format!("maybe({number})?")),
                _ => self.log(),
            },
            10 => self.closure(&number),
            11 => self.nested_future(&number),
            12 if self.is_async => "pause().await;".to_owned(),
            13 => self.object(&number),
            14 => format!("assert!({number} % 17 != 5, \"{{}}\", {});", self.number(1)),
            15 => {
                let name = self.scope.fresh();
                format!("let _{name} = Noisy(\"{name}\");")
            }
            16 => {
                let (a, b) = (self.scope.fresh(), self.scope.fresh());
                let second = self.number(1);
                self.scope.local(&a, Type::Number, false);
                self.scope.local(&b, Type::Number, true);
                format!("let ({a}, mut {b}) = ({number}, {second});")
            }
            17 => {
                let (exit, name) = (self.exit(), self.scope.fresh());
                self.scope.local(&name, Type::Number, false);
                format!("let Some({name}) = maybe({number}) else {{ return {exit}; }};")
            }
            18 => {
                let name = self.scope.fresh();
                let factor = self.random.below(9);
                format!(
                    "fn of_{name}(x: u64) -> u64 {{ if x % 2 == 0 {{ return x; }} x.wrapping_mul({factor}) }}\n{}",
                    self.declaration(Type::Number, &format!("of_{name}({number})"))
                )
            }
            19 => {
                let condition = self.condition();
                let inner = self.block(depth, false);
                let exit = if self.returned.is_result() && self.random.one_in(2) {
                    format!("bail!(\"left with {{}}\", {})", self.number(1))
                } else {
                    format!("return {}", self.exit())
                };
                format!("if {condition} {{ {{\n{inner}}} {exit}; }}")
            }
            20 => {
                let (label, count) = (self.scope.fresh(), self.random.below(4));
                let inner = self.block(depth, true);
                let value = format!(
                    "'{label}: loop {{ i_{label} += 1; if i_{label} > {count} {{ break '{label} {number}; }}\n{inner}}}"
                );
                format!("let mut i_{label} = 0;\n{}", self.declaration(Type::Number, &value))
            }
            21 => {
                let (name, limit) = (self.scope.fresh(), self.random.below(4));
                let skip = self.condition();
                let outer = self.scope.enter(true);
                self.scope.local(&name, Type::Number, false);
                let inner = self.block(depth, true);
                self.scope.leave(outer);
                format!("for {name} in 0..{limit}u64 {{ if {skip} {{ continue; }}\n{inner}}}")
            }
            22 => {
                let (name, condition) = (self.scope.fresh(), self.condition());
                let inner = self.block(depth, true);
                format!(
                    "let mut i_{name} = 0;\nwhile i_{name} < 3 {{ i_{name} += 1; if {condition} {{ break; }}\n{inner}}}"
                )
            }
            23 => {
                let (first, second) = (self.number(1), self.number(1));
                let value = format!(
                    "match {number} {{ 0 => {first}, x @ 1..=9 if x % 2 == 1 => x, x => {{ log(format!(\"matches {{x}}\")); {second} }} }}"
                );
                self.declaration(Type::Number, &value)
            }
            24 => format!("{{\n{}}}", self.block(depth, false)),
            _ => self.log(),
        }
    }

    fn log(&mut self) -> String {
        let number = self.number(2);
        match self.random.below(3) {
            0 => match self.one_of(is_debug) {
                Some(it) => format!("log(format!(\"{{{0}:?}} {{}}\", {number}));", it.name),
                None => format!("log(format!(\"{{}}\", {number}));"),
            },
            1 => format!("log({});", self.text()),
            _ => format!("log(format!(\"{{x}} {{0:?}}\", {}, x = {number}));", self.list()),
        }
    }

    fn mutation(&mut self) -> String {
        let number = self.number(1);
        let can_change = self.receiver == Some(true) && self.random.one_in(3);
        if can_change {
            return match self.random.below(3) {
                0 => format!("self.count = {number};"),
                1 => format!("let by = {number}; log(format!(\"{{}}\", self.bump(by)));"),
                _ => format!("let by = {number}; self.names.push(by);"),
            };
        }
        let Some(it) = self.one_of(can_change_variable) else {
            return self.log();
        };
        let name = &it.name;
        // In two steps: the value may read the variable.
        let step = match it.of_type {
            Type::Number => format!("{name} = next;"),
            Type::NumberMut if self.random.one_in(2) => format!("*{name} = next;"),
            Type::NumberMut => {
                format!("*{name} = std::mem::replace({name}, next).wrapping_add(1);")
            }
            Type::Text | Type::TextMut => format!("{name}.push_str(&next.to_string());"),
            Type::List | Type::ListMut => match self.random.below(4) {
                0 => format!("{name}.sort();"),
                1 => format!("{name}.retain(|x| *x != next);"),
                _ => format!("{name}.push(next);"),
            },
            Type::TextRef => format!("touch(&next); {name} = \"other\";"),
            Type::ListRef => format!("touch(&next); {name} = &[8, 8];"),
            Type::Shared => format!("{name}.set(next);"),
            _ => format!("log(format!(\"calls {{}}\", {name}(next)));"),
        };
        format!("{{ let next = {number}; {step} }}")
    }

    fn consumption(&mut self) -> String {
        let can_move = |variable: &Variable| {
            variable.is_owned()
                || matches!(variable.of_type, Type::NumberMut | Type::ListMut | Type::TextMut)
        };
        let found = self.scope.movable(can_move);
        if found.is_empty() {
            return self.log();
        }
        let it = found[self.random.below(found.len())].clone();
        self.scope.remove(&it);
        let name = &it.name;
        match (self.random.below(4), it.of_type) {
            (0, Type::List) => format!("for x in {name} {{ log(format!(\"has {{x}}\")); }}"),
            (1, _) => format!("drop({name});"),
            (2, Type::Text | Type::List) if self.is_async => {
                format!(
                    "async move {{ let inside = {name}; log(format!(\"inside {{inside:?}}\")); }}.await;"
                )
            }
            (2, _) => format!("(move || touch(&{name}))();"),
            _ => self.declaration(it.of_type, &format!("take({name})")),
        }
    }

    fn closure(&mut self, number: &str) -> String {
        let (name, captured) = (self.scope.fresh(), self.number(1));
        let value = format!("f_{name}({number})");
        let body = match self.random.below(3) {
            0 => format!("x.wrapping_add({captured})"),
            1 => format!("{{ if x % 2 == 0 {{ return {captured}; }} x }}"),
            _ => format!("check({captured}).map_or(x, |y| y ^ x)"),
        };
        format!(
            "let f_{name} = |x: u64| -> u64 {{ {body} }};\n{}",
            self.declaration(Type::Number, &value)
        )
    }

    fn nested_future(&mut self, number: &str) -> String {
        if !self.is_async {
            return self.log();
        }
        let inner = self.number(1);
        let value = match self.random.below(3) {
            0 => format!("async {{ pause().await; {number} }}.await"),
            1 => format!(
                "async {{ if {inner} % 2 == 0 {{ return {number}; }} pause().await; {inner} }}.await"
            ),
            _ => format!(
                "async {{ let x = check({number})?; Ok::<u64, String>(x) }}.await.unwrap_or_else(|e| e.len() as u64)"
            ),
        };
        self.declaration(Type::Number, &value)
    }

    /// A variable whose name only a macro's tokens have.
    fn object(&mut self, number: &str) -> String {
        let value = match self.one_of(is_debug) {
            Some(it) if self.random.one_in(2) => format!("object!(.{})", it.name),
            Some(it) => format!("object!({{ {0}: {0}, other: {number} }})", it.name),
            None => format!("object!({{ number: {number} }})"),
        };
        self.declaration(Type::Text, &value)
    }
}

fn is_debug(variable: &Variable) -> bool {
    !matches!(variable.of_type, Type::Function | Type::FunctionMut | Type::Shown)
}

fn can_change_variable(variable: &Variable) -> bool {
    match variable.of_type {
        Type::NumberMut | Type::TextMut | Type::ListMut | Type::Shared | Type::FunctionMut => true,
        Type::Number | Type::Text | Type::List => variable.is_mut,
        // Only the parameters: their type is that of what is assigned.
        Type::TextRef | Type::ListRef => variable.is_mut && variable.is_parameter,
        Type::NumberRef | Type::Function | Type::Shown | Type::Noisy => false,
    }
}
