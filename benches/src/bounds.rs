//! Bounds of what the loops of the library cost over the loop by hand, in instructions of a
//! success: a little above what was counted, so that a change which costs more is seen.

/// A contestant, and how many instructions it may be over another, by their names.
pub struct Bound {
    /// The contestant.
    pub name: &'static str,
    /// What it is beside.
    pub beside: &'static str,
    /// Where the body is ready at once.
    pub ready: f64,
    /// Where it yields once.
    pub yields: f64,
}

const fn bound(name: &'static str, beside: &'static str, ready: f64, yields: f64) -> Bound {
    Bound { name, beside, ready, yields }
}

impl Bound {
    /// What is over the bound, in words, by the instructions of a contestant in both cases.
    pub fn over(
        &self,
        ready: impl Fn(&str) -> f64,
        yields: impl Fn(&str) -> f64,
    ) -> Option<String> {
        let Bound { name, beside, .. } = self;
        let (in_one, in_two) = (ready(name) - ready(beside), yields(name) - yields(beside));
        (in_one > self.ready || in_two > self.yields).then(|| {
            format!(
                "{name} is {in_one:.0} and {in_two:.0} instructions over {beside}, \
                 allowed are {} and {}",
                self.ready, self.yields
            )
        })
    }
}

/// All of them.
pub const BOUNDS: [Bound; 8] = [
    bound("`#[retry]`", "loop by hand, same budget", 4.0, 4.0),
    bound("`retry_block!`", "loop by hand in a block, same budget", 4.0, 4.0),
    bound("`#[retry(blocking)]`", "blocking loop by hand, same budget", 4.0, 4.0),
    bound("`Call::run_blocking`", "blocking loop by hand, same budget", 5.0, 5.0),
    bound("`Retrier::run`", "loop by hand in a block, same budget", 9.0, 5.0),
    bound("`Call::run_with`", "loop by hand in a block, same budget", 60.0, 48.0),
    bound("`Call::run`", "loop by hand in a block, same budget", 66.0, 54.0),
    bound("`Call::run_with`", "`Call` by hand", 0.0, 10.0),
];
