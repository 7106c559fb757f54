//! A small service: clients put jobs into a queue and notify a worker, which answers each.
//!
//! The worker looks into the queue and then waits for a notification. `Notify::notify_waiters` reaches only those who wait at that
//! moment; a worker that has looked and does not wait yet misses it, and everybody waits for ever. `notify_one` is stored.
//!
//! `cargo run -p mazurka-tokio --example lost_wakeup`

use mazurka::Checker;
use mazurka_tokio as tokio;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::runtime::Runtime;
use tokio::sync::{Mutex, Notify, oneshot};

/// A number to be squared, and where the answer goes.
type Job = (u32, oneshot::Sender<u32>);

#[derive(Default)]
struct Service {
    jobs: Mutex<VecDeque<Job>>,
    arrived: Notify,
}

impl Service {
    /// Answers so many jobs.
    async fn work(&self, jobs: usize) {
        for _ in 0..jobs {
            let (number, reply) = self.next().await;
            // Nobody may wait for the answer any more.
            _ = reply.send(number * number);
        }
    }

    async fn next(&self) -> Job {
        loop {
            if let Some(job) = self.jobs.lock().await.pop_front() {
                return job;
            }
            self.arrived.notified().await;
        }
    }

    async fn square(&self, number: u32, stored: bool) -> u32 {
        let (reply, answer) = oneshot::channel();
        self.jobs.lock().await.push_back((number, reply));
        if stored {
            self.arrived.notify_one();
        } else {
            self.arrived.notify_waiters();
        }
        answer.await.unwrap()
    }
}

/// A client asks a worker. The notification is `stored` or not.
pub fn serve(stored: bool) {
    Runtime::new().unwrap().block_on(async {
        let service = Arc::new(Service::default());
        let worker = Arc::clone(&service);
        let worker = tokio::spawn(async move { worker.work(1).await });
        assert_eq!(service.square(7, stored).await, 49);
        worker.await.unwrap();
    });
}

/// Shows the lost wakeup, and that it is gone.
pub fn main() {
    println!("{}\n", Checker::new().run(|| serve(false)));
    println!("{}", Checker::new().run(|| serve(true)));
}
