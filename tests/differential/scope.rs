//! The scope of a body: variables that it can name, and those that it has moved.

use std::collections::BTreeSet;

/// What a variable can be used as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Type {
    Number,
    Text,
    List,
    NumberRef,
    TextRef,
    ListRef,
    NumberMut,
    TextMut,
    ListMut,
    Function,
    FunctionMut,
    /// Implements `Display` and nothing else.
    Shown,
    Noisy,
    /// A cell.
    Shared,
}

#[derive(Clone)]
pub struct Variable {
    pub name: String,
    pub of_type: Type,
    pub is_mut: bool,
    pub is_parameter: bool,
    pub is_borrowed: bool,
    id: usize,
}

impl Variable {
    pub fn parameter(name: &str, of_type: Type) -> Variable {
        Variable {
            name: name.to_owned(),
            of_type,
            is_mut: false,
            is_parameter: true,
            is_borrowed: false,
            id: 0,
        }
    }

    /// It cannot be moved, or need not be.
    pub fn borrowed(self) -> Variable {
        Variable { is_borrowed: true, ..self }
    }

    /// A value that a move takes from where it came.
    pub fn is_owned(&self) -> bool {
        matches!(self.of_type, Type::Text | Type::List | Type::Shown) && !self.is_borrowed
    }
}

#[derive(Default)]
pub struct Scope {
    variables: Vec<Variable>,
    moved: BTreeSet<usize>,
    /// Parameters that were moved, so that each attempt needs its own.
    pub consumed: BTreeSet<String>,
    next: usize,
    /// What is older must stay: a loop may come to the same place again.
    barrier: usize,
}

impl Scope {
    /// Declares a variable; it hides an older one of its name.
    pub fn declare(&mut self, mut variable: Variable) {
        variable.id = self.next;
        self.next += 1;
        self.variables.retain(|older| older.name != variable.name);
        self.variables.push(variable);
    }

    pub fn local(&mut self, name: &str, of_type: Type, is_mut: bool) {
        let variable = Variable::parameter(name, of_type);
        self.declare(Variable { is_mut, is_parameter: false, ..variable });
    }

    pub fn fresh(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    pub fn visible(&self, is: impl Fn(&Variable) -> bool) -> Vec<Variable> {
        self.variables.iter().filter(|variable| is(variable)).cloned().collect()
    }

    /// Those that may be moved here.
    pub fn movable(&self, is: impl Fn(&Variable) -> bool) -> Vec<Variable> {
        self.visible(|variable| variable.id >= self.barrier && is(variable))
    }

    pub fn remove(&mut self, variable: &Variable) {
        self.moved.insert(variable.id);
        self.variables.retain(|other| other.id != variable.id);
        if variable.is_parameter && variable.is_owned() {
            self.consumed.insert(variable.name.clone());
        }
    }

    /// What `inside` declares ends with it.
    pub fn enter(&mut self, is_loop: bool) -> (Vec<Variable>, usize) {
        let outer = (self.variables.clone(), self.barrier);
        if is_loop {
            self.barrier = self.next;
        }
        outer
    }

    pub fn leave(&mut self, (variables, barrier): (Vec<Variable>, usize)) {
        self.variables = variables;
        self.variables.retain(|variable| !self.moved.contains(&variable.id));
        self.barrier = barrier;
    }
}
