//! All ways to choose: permutations, and products of lists.

/// Every order of the items.
pub(crate) fn permutations<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut found = Vec::new();
    for first in 0..items.len() {
        let mut others = items.to_vec();
        let first = others.remove(first);
        for mut rest in permutations(&others) {
            rest.insert(0, first.clone());
            found.push(rest);
        }
    }
    found
}

/// Every way to choose one item of each list.
pub(crate) fn product<T: Clone>(lists: &[Vec<T>]) -> Vec<Vec<T>> {
    let mut found = vec![Vec::new()];
    for list in lists {
        let longer = |chosen: &Vec<T>| {
            let chosen = chosen.clone();
            list.iter()
                .map(move |item| chosen.iter().cloned().chain([item.clone()]).collect())
                .collect::<Vec<Vec<T>>>()
        };
        found = found.iter().flat_map(longer).collect();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_chosen_once() {
        assert_eq!(permutations(&[1, 2, 3]).len(), 6);
        assert_eq!(permutations(&[1, 2]), [[1, 2], [2, 1]]);
        assert_eq!(product(&[vec![1, 2], vec![3]]), [[1, 3], [2, 3]]);
        assert_eq!(product::<u8>(&[]), [Vec::new()]);
        assert!(product(&[vec![1], vec![]]).is_empty());
    }
}
