//! Detection on a run that goes on: records in, announcements out.
//!
//! Only line formats can be followed: each line is a record, told to the monitor as
//! soon as it is complete. What the records read so far imply is announced at once.

mod refused;

use super::board::Board;
use super::followable::{check, followable, line_parser};
use super::{Options, warnings};
use crate::arriving::{Arrival, Arriving};
use crate::diagnostic::{Diagnostic, plain, shown};
use crate::exit::{Error, Exit};
use crate::input::{InputOptions, unrecognised};
use crate::output::{Format, print, print_styled, remark};
use crate::progress::Activity;
use mazurka_core::Limit;
use mazurka_report::detection::{announcement_json, announcement_text, formula_json, formula_text};
use mazurka_trace::{
    Announcement, Ended, FormulaId, ImportError, LineParser, Monitor, Place, Queries, SltlAnswer, Stop, Supervisor,
    Watching,
};
use std::fs::File;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// No record is longer than this; an input without line breaks is not a log.
const LONGEST: usize = 1 << 26;

pub(super) fn run(options: &Options) -> Result<Exit, Error> {
    check(options)?;
    let board = Arc::new(Mutex::new(Board::default()));
    let supervisor = Supervisor::new(options.budget());
    let (all, shared) = (options.clone(), board.clone());
    match supervisor.run(None, move |stop| follow(&all, stop, &shared)) {
        Ended::Done(exit, _) => exit,
        Ended::LeftBehind(limit) => {
            let board = board.lock().unwrap_or_else(PoisonError::into_inner);
            board.print(options, Some(limit), None, &[]);
            Ok(board.exit(Some(limit)))
        }
    }
}

/// Follows a run until it ends or is to stop.
fn follow(options: &Options, stop: &Arc<Stop>, board: &Arc<Mutex<Board>>) -> Result<Exit, Error> {
    let queries = options.all_queries()?;
    let watching = Watching {
        processes: options.processes.clone(),
        defaults: options.input.defaults.clone(),
    };
    let arriving = arriving(options)?;
    board.lock().unwrap_or_else(PoisonError::into_inner).ask(&queries);
    let following = Following {
        options,
        queries,
        stop: stop.clone(),
        board: board.clone(),
        name: options.input.title(),
        start: Instant::now(),
        line: Activity::new(format!("following {}", options.input.title()), options.output.quiet),
        reader: None,
        pending: Vec::new(),
        scanned: 0,
        lines: 0,
        offset: 0,
        said: Instant::now(),
    };
    let Queries {
        questions, formulas, ..
    } = &following.queries;
    let monitor = Monitor::with_formulas(questions, formulas, &watching);
    let monitor = monitor.map_err(|error| following.refused(error, None))?;
    following.watch(monitor, &arriving)
}

/// The input, as it arrives.
fn arriving(options: &Options) -> Result<Arriving, Error> {
    let path = &options.input.traces[0];
    if InputOptions::is_standard_input(path) {
        return Ok(Arriving::standard_input());
    }
    if path.is_dir() {
        let message = format!("{} is a directory; one file can be followed", path.display());
        return Err(Diagnostic::error(message).into());
    }
    let file = File::open(path).map_err(|error| {
        let path = path.clone();
        options.input.refused(ImportError::Io { path, error })
    })?;
    Ok(Arriving::file(file, path.clone(), options.wait))
}

/// A run that is being followed.
struct Following<'a> {
    options: &'a Options,
    queries: Queries,
    stop: Arc<Stop>,
    /// What is known, for the other thread to say if this one does not react any more.
    board: Arc<Mutex<Board>>,
    /// What to call the input.
    name: String,
    start: Instant,
    line: Activity,
    /// How to read lines; known after the first one.
    reader: Option<LineParser>,
    /// What has arrived of the line that is not complete.
    pending: Vec<u8>,
    /// How much of that has no end of line in it.
    scanned: usize,
    /// How many lines were read, and where the next one begins.
    lines: u64,
    offset: u64,
    /// When the progress line was written last.
    said: Instant,
}

impl Following<'_> {
    fn watch(mut self, mut monitor: Monitor, arriving: &Arriving) -> Result<Exit, Error> {
        let (limit, broken) = match self.follow(&mut monitor, arriving) {
            Ok(limit) => (limit, None),
            // What was announced stays true, whatever is wrong with what came after it.
            Err(error) if self.board().has_announced() => (None, Some(error)),
            Err(error) => return Err(error),
        };
        let mut odd = warnings::defaults(self.options, &self.queries);
        odd.extend(warnings::never_assigned_so_far(&monitor, &self.queries));
        self.say(|| warnings::say(&odd, self.options.output.quiet));
        let why = broken.as_ref().map(plain);
        self.note(&monitor);
        self.say(|| self.board().print(self.options, limit, why.as_deref(), &odd));
        let exit = self.board().exit(limit);
        match broken {
            None => Ok(exit),
            Some(error) => {
                self.say(|| remark(&shown(&error)));
                Ok(exit.max(error.exit()))
            }
        }
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints something beside the progress line, unless this was left behind.
    fn say<T>(&self, print: impl FnOnce() -> T) -> T {
        self.stop.visibly(|| self.line.aside(print))
    }

    /// Notes how far it is.
    fn note(&self, monitor: &Monitor) {
        let mut board = self.board();
        board.processes = monitor.processes();
        board.events = monitor.events();
        board.records = monitor.records();
        board.time = self.start.elapsed();
    }

    /// Reads records until the end, or until a limit is reached.
    fn follow(&mut self, monitor: &mut Monitor, arriving: &Arriving) -> Result<Option<Limit>, Error> {
        let mut limit = None;
        let mut ended = false;
        while limit.is_none() && !ended {
            limit = self.limit();
            let path = self.options.input.traces[0].clone();
            let arrival = arriving.next();
            match arrival.map_err(|error| self.options.input.refused(ImportError::Io { path, error }))? {
                Arrival::Bytes(bytes) => {
                    self.pending.extend(bytes);
                    limit = self.read_lines(monitor)?;
                }
                Arrival::Nothing => {}
                Arrival::Lost(why) => return Err(self.lost(why)),
                Arrival::End => {
                    let rest = std::mem::take(&mut self.pending);
                    self.read_line(&rest, true, monitor)?;
                    ended = true;
                }
            }
            self.progress(monitor);
        }
        if ended {
            if monitor.records() == 0 && self.lines == 0 {
                return Err(Diagnostic::error(format!("{} is empty; expected the records of a run", self.name)).into());
            }
            let records = monitor.records();
            let settled = monitor.ended();
            let (announcements, errors) = monitor.conclusions();
            self.announce(announcements, true)?;
            self.settle(settled.map_err(|error| self.refused(error, None))?, records, true)?;
            if let Some(error) = errors.into_iter().next() {
                return Err(self.refused(error, None));
            }
        }
        Ok(limit)
    }

    /// What to say if the file is not the one whose beginning was read.
    fn lost(&self, why: &str) -> Error {
        let mut all = Diagnostic::error(format!("{} {why} while it was followed", self.name));
        all.note(format!(
            "it was read up to line {}; what follows is not known, so there are no answers about it",
            self.lines
        ))
        .note(format!(
            "`tail -F {} | mazurka detect - --follow` follows through rotations, as long as they lose no record",
            self.name
        ));
        all.into()
    }

    /// The limit that is reached.
    fn limit(&self) -> Option<Limit> {
        self.stop.reason()
    }

    /// Reads the lines that are complete.
    fn read_lines(&mut self, monitor: &mut Monitor) -> Result<Option<Limit>, Error> {
        let mut pending = std::mem::take(&mut self.pending);
        let (mut begin, mut from) = (0, self.scanned);
        while let Some(length) = pending[from..].iter().position(|b| *b == b'\n') {
            let end = from + length;
            self.read_line(&pending[begin..end], false, monitor)?;
            (begin, from) = (end + 1, end + 1);
            let limit = self.limit();
            if limit.is_some() {
                return Ok(limit);
            }
            self.progress(monitor);
        }
        // A line that is not complete stays where it is: it may be long and come in many pieces.
        pending.drain(..begin);
        self.pending = pending;
        self.scanned = self.pending.len();
        if self.pending.len() > LONGEST {
            let message = format!(
                "{}:{}:1: the line is longer than {} MiB",
                self.name,
                self.lines + 1,
                LONGEST >> 20
            );
            let mut wrong = Diagnostic::error(message);
            wrong.note("expected one record on each line, and an end after each");
            return Err(wrong.into());
        }
        Ok(None)
    }

    /// Reads a line; `rest` says that the input ends with it.
    fn read_line(&mut self, line: &[u8], rest: bool, monitor: &mut Monitor) -> Result<(), Error> {
        if rest && line.is_empty() {
            return Ok(());
        }
        let end = self.offset + line.len() as u64;
        self.offset = end + 1;
        self.lines += 1;
        let line = match self.lines {
            // A byte order mark has no meaning in UTF-8.
            1 => line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line),
            _ => line,
        };
        let offset = end - line.len() as u64;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let reader = match self.reader {
            Some(reader) => reader,
            None if line.trim_ascii().is_empty() => return Ok(()),
            None => self.recognise(line)?,
        };
        let place = Place {
            file: 0,
            offset,
            length: u32::try_from(line.len()).unwrap_or(u32::MAX),
        };
        reader.follow(line, place, rest, monitor);
        let announcements = monitor
            .advance()
            .map_err(|error| self.refused(error, Some((place, line))))?;
        self.announce(announcements, false)?;
        let settled = monitor.settled();
        self.settle(settled, monitor.records(), false)
    }

    /// Says which formulas are settled.
    fn settle(&mut self, settled: Vec<(FormulaId, SltlAnswer)>, records: u64, at_end: bool) -> Result<(), Error> {
        for (id, answer) in settled {
            let formula = self.queries.formula(id);
            self.say(|| match self.options.output.format {
                Format::Text => {
                    let when = if at_end { "at the end, after" } else { "after" };
                    let block = formula_text(formula, &answer);
                    print_styled(&format!("{when} {records} records: {block}\n"));
                }
                Format::Json => print(&formula_json(records, formula, &answer)),
            });
            self.board().formulas[id.index()].announced = Some(answer);
        }
        Ok(())
    }

    /// Recognises the format by the first line.
    fn recognise(&mut self, line: &[u8]) -> Result<LineParser, Error> {
        let format = match self.options.input.input.format() {
            Some(format) => format,
            None => mazurka_trace::Format::of_beginning(&String::from_utf8_lossy(line)).map_err(|tried| {
                let mut wrong = unrecognised(&self.name, &tried);
                wrong.note(followable());
                wrong
            })?,
        };
        let reader = line_parser(format)?;
        self.reader = Some(reader);
        Ok(reader)
    }

    /// Prints announcements at once.
    fn announce(&mut self, announcements: Vec<Announcement>, at_end: bool) -> Result<(), Error> {
        let text = self.options.output.text(self.options.verbose);
        for announcement in announcements {
            let (id, question) = (announcement.question, self.queries.question(announcement.question));
            self.say(|| match self.options.output.format {
                Format::Text => {
                    let block = announcement_text(question, &announcement, at_end, &text);
                    print_styled(&format!("{block}\n"));
                }
                Format::Json => print(&announcement_json(question, &announcement)),
            });
            self.board().answers[id.index()].announced = Some(announcement);
        }
        Ok(())
    }

    fn progress(&mut self, monitor: &Monitor) {
        if self.said.elapsed() < Duration::from_millis(250) {
            return;
        }
        self.said = Instant::now();
        self.note(monitor);
        let seconds = self.start.elapsed().as_secs_f64();
        let open = self.board().open();
        self.line.say(|| {
            let records = monitor.records();
            let speed = records as f64 / seconds;
            format!(
                "{records} records, {speed:.0} a second, {} states held, open questions: {open}",
                monitor.held()
            )
        });
    }
}
