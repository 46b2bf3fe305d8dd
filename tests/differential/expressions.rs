//! Random expressions over the variables that are in scope.

use crate::body::Body;
use crate::returned::Returned;
use crate::scope::{Type, Variable};

impl Body<'_> {
    /// What ends an attempt.
    pub fn exit(&mut self) -> String {
        let number = self.number(1);
        let fails = self.random.one_in(3);
        match self.returned {
            Returned::Number => number,
            Returned::Unit => "()".to_owned(),
            Returned::MaybeText if fails => "None".to_owned(),
            Returned::MaybeText => format!("Some({})", self.text()),
            Returned::ListOrBoxed if fails => format!("Err(format!(\"no {{}}\", {number}).into())"),
            _ if fails => format!("Err(format!(\"no {{}}\", {number}))"),
            Returned::NumberOrText if self.random.one_in(2) => format!("check({number})"),
            Returned::NumberOrText => format!("Ok({number})"),
            Returned::TextOrText => format!("Ok({})", self.text()),
            Returned::ListOrBoxed => format!("Ok({})", self.list()),
            Returned::Object => format!("Ok(Box::new({number}))"),
            Returned::Borrowed => {
                let borrowed = |it: &Variable| {
                    it.of_type == Type::TextRef && it.is_parameter && it.is_borrowed
                };
                match self.one_of(borrowed) {
                    Some(it) => format!("Ok({})", it.name),
                    None => "Ok(\"another\")".to_owned(),
                }
            }
        }
    }

    pub fn condition(&mut self) -> String {
        let (of, rest) = (2 + self.random.below(4), self.random.below(2));
        format!("{} % {of} == {rest}", self.number(1))
    }

    /// An expression of type `u64` that a method can be called on.
    pub fn number(&mut self, depth: usize) -> String {
        match self.random.below(if depth == 0 { 4 } else { 8 }) {
            0 => format!("{}u64", self.random.below(100)),
            1 if self.receiver.is_some() => {
                self.random.pick(&["self.count", "self.total()"]).to_owned()
            }
            4 => format!("{}.wrapping_add({})", self.number(depth - 1), self.number(depth - 1)),
            5 => format!("({} ^ {})", self.number(depth - 1), self.number(depth - 1)),
            6 => {
                let (yes, no) = (self.number(depth - 1), self.number(depth - 1));
                format!("(if {} {{ {yes} }} else {{ {no} }})", self.simple_condition())
            }
            7 => format!("({{ let x = {}; x.wrapping_mul(3) }})", self.number(depth - 1)),
            _ => self.read(),
        }
    }

    fn simple_condition(&mut self) -> String {
        format!("{} % 2 == 0", self.read())
    }

    fn read(&mut self) -> String {
        let Some(it) = self.one_of(|it| !matches!(it.of_type, Type::FunctionMut | Type::Noisy))
        else {
            return format!("{}u64", self.random.below(100));
        };
        let name = &it.name;
        match it.of_type {
            Type::NumberRef | Type::NumberMut => format!("(*{name})"),
            Type::Text | Type::TextRef | Type::TextMut => format!("({name}.len() as u64)"),
            Type::List | Type::ListRef | Type::ListMut => self
                .random
                .pick(&["total(&#)", "(#.len() as u64)", "#.first().copied().unwrap_or(3)"])
                .replace('#', name),
            Type::Function => format!("{name}({}u64)", self.random.below(9)),
            Type::Shown => format!("({name}.to_string().len() as u64)"),
            Type::Shared => format!("{name}.get()"),
            Type::Number | Type::FunctionMut | Type::Noisy => name.clone(),
        }
    }

    pub fn text(&mut self) -> String {
        let texts =
            |it: &Variable| matches!(it.of_type, Type::Text | Type::TextRef | Type::TextMut);
        match (
            self.random.below(3),
            self.one_of(texts),
            self.one_of(|it| it.of_type == Type::Shown),
        ) {
            (0, Some(it), _) => format!("{}.to_uppercase()", it.name),
            (1, Some(it), _) => format!("format!(\"{{{}}}!\")", it.name),
            (_, _, Some(it)) => format!("format!(\"<{{{}}}>\")", it.name),
            _ => format!("{}.to_string()", self.number(1)),
        }
    }

    pub fn list(&mut self) -> String {
        let lists =
            |it: &Variable| matches!(it.of_type, Type::List | Type::ListRef | Type::ListMut);
        let number = self.number(1);
        match (self.random.below(3), self.one_of(lists)) {
            (0, Some(it)) => format!("{}.to_vec()", it.name),
            (1, Some(it)) => {
                format!("{}.iter().map(|x| x ^ {number}).collect::<Vec<u64>>()", it.name)
            }
            (2, _) => format!("(0..{number} % 4).collect::<Vec<u64>>()"),
            _ => format!("vec![{number}, {}]", self.number(0)),
        }
    }

    pub fn one_of(&mut self, is: impl Fn(&Variable) -> bool) -> Option<Variable> {
        let found = self.scope.visible(is);
        if found.is_empty() { None } else { Some(found[self.random.below(found.len())].clone()) }
    }
}
