//! Work on several threads whose results come in the order of the work. Owns the bound of what is under way:
//! neither a slow piece nor a slow reader of results lets memory grow.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

/// How many pieces are under way, for each thread.
const AHEAD: usize = 4;

/// Does `work` on every item on so many threads, and gives the results to `sink` in order. When `sink` says
/// `false`, nothing more is begun.
pub fn ordered<I: Send, O: Send>(
    threads: usize,
    items: impl Iterator<Item = I> + Send,
    work: impl Fn(I) -> O + Sync,
    mut sink: impl FnMut(O) -> bool,
) {
    let threads = threads.max(1);
    // A place is taken before a piece is read, and given back when its result was taken in order.
    let (take, give) = mpsc::sync_channel::<()>(threads * AHEAD);
    let (send, receive) = mpsc::sync_channel::<(usize, I)>(threads * AHEAD);
    let (answer, answers) = mpsc::channel::<(usize, O)>();
    let receive = Mutex::new(receive);
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut items = items.enumerate();
            while take.send(()).is_ok() {
                let Some(item) = items.next() else { break };
                if send.send(item).is_err() {
                    break;
                }
            }
        });
        for _ in 0..threads {
            let (answer, receive, work) = (answer.clone(), &receive, &work);
            scope.spawn(move || {
                loop {
                    let next = receive.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((place, item)) = next else { break };
                    if answer.send((place, work(item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(answer);
        let (mut next, mut waiting) = (0, BTreeMap::new());
        let mut give = Some(give);
        for (place, result) in answers {
            waiting.insert(place, result);
            while let Some(result) = waiting.remove(&next) {
                next += 1;
                let goes_on = give.is_some() && sink(result);
                if !goes_on {
                    // The reader finds nobody who gives places back.
                    give = None;
                }
                if let Some(give) = &give {
                    let _ = give.recv();
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn results_come_in_order_and_little_is_under_way() {
        let (begun, done, most) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        let items = (0..500_u64).inspect(|_| {
            let under_way = begun.fetch_add(1, Ordering::SeqCst) + 1 - done.load(Ordering::SeqCst);
            most.fetch_max(under_way, Ordering::SeqCst);
        });
        let mut got = Vec::new();
        ordered(
            3,
            items,
            |item| {
                // The first one is slow: all others must wait for it without piling up.
                thread::sleep(Duration::from_micros(if item == 0 { 30_000 } else { item % 7 * 20 }));
                item * 2
            },
            |result| {
                done.fetch_add(1, Ordering::SeqCst);
                got.push(result);
                true
            },
        );
        assert_eq!(got, (0..500).map(|item| item * 2).collect::<Vec<_>>());
        assert!(most.load(Ordering::SeqCst) <= 3 * AHEAD + 2, "{most:?}");
    }

    #[test]
    fn it_stops_when_nobody_wants_more() {
        let begun = AtomicUsize::new(0);
        let mut got = 0;
        let items = (0..1_000_000).inspect(|_| {
            begun.fetch_add(1, Ordering::SeqCst);
        });
        ordered(
            2,
            items,
            |item: usize| item,
            |_| {
                got += 1;
                got < 10
            },
        );
        assert_eq!(got, 10);
        assert!(begun.load(Ordering::SeqCst) < 1000);
    }
}
