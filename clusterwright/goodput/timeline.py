"""Attributes every moment of a run to one part.

The timeline is a cursor that only moves forward: every moment belongs to one part, so that the
parts add up to the wall time. Rules:

queue
    From a job's submission to its start. The wall time begins with the first submission.
boot
    From a job's start to the first line of the program: boot of nodes, prolog, container. A job
    that wrote no line is boot altogether.
start
    From the first line to the first step, and what the first step line takes above the median.
productive, repeated
    Steps that the run kept, and steps that were lost because a later attempt resumed from an
    older checkpoint and did them again.
checkpoint
    The seconds that the log states for a save; otherwise what an interval between step lines with
    a save takes above the median.
stalled
    What an interval without an explanation takes above the median, if it is more than four steps
    and more than a quarter of the interval.
down
    From the last step of an attempt to the next submission or start: the unfinished step, the time
    until the failure was noticed, the end of the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from clusterwright.goodput.accounting import JobRecord
from clusterwright.goodput.attempts import Attempt, step_median
from clusterwright.goodput.results import PARTS, TICKS, Part, Remark, Span, Steps
from clusterwright.job_logs.values import LAST_TIME

STALL_STEPS = 4.0
STALL_SHARE = 0.25


@dataclass
class Timeline:
    """Spans without gaps; `kept` and `lost` count the steps of each attempt."""

    cursor: int
    begin: int
    spans: list[Span] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)
    findings: list[Remark] = field(default_factory=list)
    step_seconds: float | None = None

    def advance(self, to: float, part: Part, attempt: int) -> None:
        """Attribute the time from the cursor to `to`, if it is later."""
        end = round(min(to, LAST_TIME) * TICKS)
        if end <= self.cursor:
            return
        last = self.spans[-1] if self.spans else None
        if last is not None and (last.part, last.attempt) == (part, attempt):
            self.spans[-1] = Span(last.begin, end, part, attempt)
        else:
            self.spans.append(Span(self.cursor, end, part, attempt))
        self.cursor = end

    @property
    def now(self) -> float:
        """The cursor in seconds."""
        return self.cursor / TICKS

    @property
    def parts(self) -> dict[str, float]:
        """Seconds by part, exact multiples of 1/8."""
        ticks = dict.fromkeys(PARTS, 0)
        for span in self.spans:
            ticks[span.part] += span.end - span.begin
        return {f"{part}_s": count / TICKS for part, count in ticks.items()}

    @property
    def wall_s(self) -> float:
        """Seconds from the begin to the cursor."""
        return (self.cursor - self.begin) / TICKS

    def steps(self, attempts: Sequence[Attempt]) -> Steps:
        """The steps of all attempts."""
        with_steps = [a for a in attempts if a.steps]
        return Steps(
            productive=sum(self.kept),
            repeated=sum(self.lost),
            first=with_steps[0].resumed_at if with_steps else None,
            last=with_steps[-1].last_step if with_steps else None,
        )


def timeline(attempts: Sequence[Attempt], records: Sequence[JobRecord]) -> Timeline:
    """The timeline of a run.

    Parameters
    ----------
    attempts:
        In their order, with their records; those without are placed by their own times.
    records:
        Of the run, by start; empty without accounting.
    """
    units = _units(attempts, records)
    first_record, first = units[0]
    begin = _begin_of(first_record, first[0][1] if first else None)
    made = Timeline(round(begin * TICKS), round(begin * TICKS))
    made.step_seconds = step_median(attempts)
    made.kept, made.lost = [0] * len(attempts), [0] * len(attempts)
    last_index = -1
    for number, (record, own) in enumerate(units):
        index = own[0][0] if own else last_index
        if record is not None:
            _queue(made, record, max(index, 0), first=number == 0)
        for order, (index, attempt) in enumerate(own):
            if attempt.relative:
                _shift(attempt, record, made.now)
            start = _first_time(attempt)
            part: Part = "boot" if record is not None and order == 0 else "down"
            made.advance(_clipped(start, record), part, index)
            _attempt(made, attempts, index)
            last_index = index
        if record is not None:
            end = record.end if record.end is not None else made.now
            made.advance(end, "down" if own else "boot", max(last_index, 0))
    return made


def _units(
    attempts: Sequence[Attempt], records: Sequence[JobRecord]
) -> list[tuple[JobRecord | None, list[tuple[int, Attempt]]]]:
    """Jobs with their attempts, and attempts without a job, in the order of time."""
    units: list[tuple[float, int, JobRecord | None, list[tuple[int, Attempt]]]] = []
    for order, record in enumerate(records):
        own = [(i, a) for i, a in enumerate(attempts) if a.record is record]
        units.append((record.start, order, record, own))
    for index, attempt in enumerate(attempts):
        if attempt.record is None:
            begin = float("inf") if attempt.relative else _first_time(attempt)
            units.append((begin, index, None, [(index, attempt)]))
    units.sort(key=lambda unit: unit[:2])
    return [(record, own) for _, _, record, own in units]


def _begin_of(record: JobRecord | None, attempt: Attempt | None) -> float:
    if record is not None:
        before = [t for t in (record.submit, record.eligible) if t is not None]
        return min([*before[:1], record.start])
    assert attempt is not None
    return _first_time(attempt)


def _queue(made: Timeline, record: JobRecord, index: int, *, first: bool) -> None:
    if not first:
        # A job that waits for the one before was submitted early: it can start when that ends.
        known = [t for t in (record.submit, record.eligible) if t is not None]
        later = [t for t in known if t > made.now]
        ready = later[0] if later else made.now if known else record.start
        made.advance(min(ready, record.start), "down", index)
    made.advance(record.start, "queue", index)


def _first_time(attempt: Attempt) -> float:
    times = attempt.times
    first = times[0] if times else 0.0
    steps = attempt.steps
    if attempt.first_time is not None:
        return min(attempt.first_time, first) if times else attempt.first_time
    if steps and attempt.events[0] is steps[0] and steps[0].seconds is not None:
        return first - steps[0].seconds
    return first


def _shift(attempt: Attempt, record: JobRecord | None, now: float) -> None:
    """Place an attempt without times: so that it ends with its job, else at the cursor."""
    times = attempt.times
    if not times:
        return
    shift = now - _first_time(attempt)
    if record is not None and record.end is not None:
        shift = max(shift, record.end - times[-1])
    attempt.at = [None if t is None else t + shift for t in attempt.at]


def _clipped(time: float, record: JobRecord | None) -> float:
    if record is None or record.end is None:
        return time
    return min(time, record.end)


def _attempt(made: Timeline, attempts: Sequence[Attempt], index: int) -> None:
    """The steps and saves of one attempt, from the cursor to its last line."""
    attempt = attempts[index]
    later = [a.resumed_at for a in attempts[index + 1 :] if a.resumed_at is not None]
    until = min(later, default=None)
    done = attempt.resumed_at
    since_save, stated = False, 0.0
    fresh = True
    for event, time in zip(attempt.events, attempt.at, strict=True):
        if event.kind == "train" and time is not None:
            made.advance(_clipped(time, attempt.record), "start", index)
        if event.kind == "save_begin":
            since_save = True
        elif event.kind == "save_end":
            since_save, stated = True, stated + (event.seconds or 0.0)
        if event.kind != "step" or event.step is None or done is None:
            continue
        many = event.step - done
        if many <= 0:
            continue
        lost = 0 if until is None else min(many, max(0, event.step - max(done, until)))
        made.kept[index] += many - lost
        made.lost[index] += lost
        if time is not None:
            end = _clipped(time, attempt.record)
            blocked = stated if stated > 0 else None if since_save else 0.0
            _interval(made, index, end, event.seconds, many, lost, blocked, fresh=fresh)
            since_save, stated, fresh = False, 0.0, False
        done = event.step
    if done is not None:
        _unwritten(made, attempts, index, done)
    if since_save and attempt.times:
        end = max(attempt.times)
        made.advance(
            _clipped(min(end, made.now + stated) if stated else end, attempt.record),
            "checkpoint",
            index,
        )
    if attempt.times:
        last = _clipped(max(attempt.times), attempt.record)
        made.advance(last, "down" if attempt.steps else "start", index)


def _interval(
    made: Timeline,
    index: int,
    end: float,
    step_seconds: float | None,
    many: int,
    lost: int,
    blocked: float | None,
    *,
    fresh: bool,
) -> None:
    """The time from the cursor to a step line: `many` steps, of which `lost` were done again.

    `blocked` is the stated time of saves, None for a save whose time is not stated.
    """
    total = end - made.now
    if total <= 0:
        return
    usual = made.step_seconds
    if usual is None:
        usual = step_seconds if step_seconds is not None else total / many
    expected = usual * many
    if fresh:
        own = expected if step_seconds is None else step_seconds * many
        limit = expected + max(STALL_STEPS * usual, STALL_SHARE * expected)
        work = min(total, own if own <= limit else expected)
        made.advance(end - work, "start", index)
    else:
        save = max(0.0, total - expected) if blocked is None else min(blocked, total)
        work = total - save
        if work > expected + max(STALL_STEPS * usual, STALL_SHARE * expected):
            made.advance(end - save - expected, "stalled", index)
            work = expected
        made.advance(end - work, "checkpoint", index)
    # What was kept was done before what was lost.
    made.advance(end - work * lost / many, "productive", index)
    made.advance(end, "repeated", index)


def _unwritten(made: Timeline, attempts: Sequence[Attempt], index: int, done: int) -> None:
    """Steps after the last line that a checkpoint proves: the next attempt resumed after them."""
    following = next(
        (a.resumed_at for a in attempts[index + 1 :] if a.resumed_at is not None), None
    )
    if following is None or following <= done:
        return
    usual = made.step_seconds or 0.0
    record = attempts[index].record
    end = made.now + usual * (following - done)
    limit = record.end if record is not None and record.end is not None else None
    if limit is not None and end > limit + usual:
        message = (
            f"steps {done + 1:,} to {following:,} are in no log, and the job had no time for them"
        )
        made.findings.append(Remark("steps-missing", message))
        return
    later = [a.resumed_at for a in attempts[index + 1 :] if a.resumed_at is not None]
    lost = max(0, following - max(done, min(later)))
    made.kept[index] += following - done - lost
    made.lost[index] += lost
    begin = made.now
    made.advance(begin + usual * (following - done - lost), "productive", index)
    made.advance(end if limit is None else min(end, limit), "repeated", index)
