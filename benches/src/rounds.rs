//! Times, interleaved: each round measures everything once, so that whatever else
//! the machine does falls on all alike, and ratios are taken within a round.

use std::time::Instant;

use indicatif::ProgressBar;

/// Something to measure.
pub struct Subject<'a> {
    /// What is measured, once for each call.
    pub run: Box<dyn FnMut() + 'a>,
    /// How many times in each round.
    pub times: u32,
}

/// The times of each subject, in nanoseconds for each run, by round.
pub struct Rounds(Vec<Vec<f64>>);

impl Rounds {
    /// Measures all subjects `rounds` times. Each round begins with another one.
    pub fn measure(subjects: &mut [Subject<'_>], rounds: usize, progress: &ProgressBar) -> Rounds {
        let mut times = vec![Vec::with_capacity(rounds); subjects.len()];
        for subject in &mut *subjects {
            (subject.run)();
        }
        for round in 0..rounds {
            for turn in 0..subjects.len() {
                let index = (round + turn) % subjects.len();
                let Subject { run, times: runs } = &mut subjects[index];
                let start = Instant::now();
                for _ in 0..*runs {
                    run();
                }
                times[index].push(start.elapsed().as_nanos() as f64 / f64::from(*runs));
            }
            progress.inc(1);
        }
        Rounds(times)
    }

    /// The median time of a subject, in nanoseconds.
    pub fn time(&self, subject: usize) -> f64 {
        median(self.0[subject].clone())
    }

    /// The median, over the rounds, of the first's time divided by the second's.
    pub fn ratio(&self, subject: usize, base: usize) -> f64 {
        let pairs = self.0[subject].iter().zip(&self.0[base]);
        median(pairs.map(|(time, base)| time / base).collect())
    }

    /// The median, over the rounds, of the difference, in nanoseconds.
    pub fn difference(&self, subject: usize, base: usize) -> f64 {
        let pairs = self.0[subject].iter().zip(&self.0[base]);
        median(pairs.map(|(time, base)| time - base).collect())
    }
}

/// The middle one, or the mean of the two in the middle.
///
/// # Panics
///
/// If there is none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}

#[cfg(test)]
mod tests {
    use super::{Rounds, median};

    #[test]
    fn the_median_is_the_middle_of_the_sorted_values() {
        assert_eq!(median(vec![9.0, 1.0, 5.0]), 5.0);
        assert_eq!(median(vec![9.0, 1.0, 5.0, 7.0]), 6.0);
    }

    #[test]
    fn a_ratio_is_taken_within_each_round() {
        // The machine was three times slower in the second round, for both.
        let rounds = Rounds(vec![vec![20.0, 60.0, 22.0], vec![10.0, 30.0, 10.0]]);
        assert_eq!(rounds.ratio(0, 1), 2.0);
        assert_eq!(rounds.difference(0, 1), 12.0);
        assert_eq!(rounds.time(0), 22.0);
    }
}
