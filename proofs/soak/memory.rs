//! Growth of the process's memory.

/// The resident memory of this process in KiB, where the system tells: on Linux.
#[must_use]
pub fn resident() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64 / 1024)
}

/// What may be added between the second fifth of a run and its last: pools and buffers
/// that grow to their size, and heaps of threads.
const SLACK: u64 = 4 * 1024;

/// The median of the second fifth of these samples and that of the last, and whether
/// the second is no more than a tenth above the first.
#[must_use]
pub fn is_flat(samples: &[u64]) -> Option<(u64, u64, bool)> {
    let fifth = samples.len() / 5;
    let early = median(samples.get(fifth..2 * fifth)?)?;
    let late = median(&samples[samples.len() - fifth..])?;
    Some((early, late, late <= early + early / 10 + SLACK))
}

fn median(samples: &[u64]) -> Option<u64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::is_flat;

    #[test]
    fn steady_memory_is_flat_whatever_the_start_was() {
        let mut samples = vec![30_000; 100];
        samples[..10].fill(5_000);
        assert_eq!(is_flat(&samples), Some((30_000, 30_000, true)));
    }

    #[test]
    fn memory_that_goes_on_growing_is_found() {
        let samples: Vec<u64> = (0..600).map(|second| 30_000 + 50 * second).collect();
        assert!(matches!(is_flat(&samples), Some((_, _, false))));
    }

    #[test]
    fn too_few_samples_say_nothing() {
        assert_eq!(is_flat(&[1, 2, 3]), None);
    }
}
