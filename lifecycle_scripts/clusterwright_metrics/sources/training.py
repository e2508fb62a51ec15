"""Figures of training jobs, on the controller, from the output files of Slurm's running jobs.

The parsers are those of `clusterwright report goodput`; `python -m tools.docs` writes their copy
in `job_logs`. Of each file the beginning, which has the settings, is read once, and the end when
the file has grown. Nothing is kept on disk: after a restart the end of the file is read again, and
a file that was truncated or replaced is a new one. The times of steps and checkpoints are those at
which the file got their lines, because lines may have no time, or one without a time zone.

Source: squeue(1), scontrol(1) of Slurm 24.11.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

from clusterwright_common.probe import Probe, ProbeError

from clusterwright_metrics.job_logs import Event, JobLog, Settings, read_log
from clusterwright_metrics.text import Metrics, number

ROLES = ("controller",)

MOST_JOBS = 64
"""Jobs whose files are read: those with the most nodes. It bounds the number of series."""
HEAD_BYTES = 128 * 1024
TAIL_BYTES = 256 * 1024
_LEAST_SECONDS = 1.0
"""With less time left, the files that remain are read at the next scrape."""
_SAVES = 8
"""Checkpoints, and step lines, from which the usual intervals are taken."""
_LINES = 100

_FIELDS = ("JobID", "Partition", "UserName", "Account", "RestartCnt", "NumNodes", "Name")
_STDOUT = re.compile(r"^\s+StdOut=(/.*)$", re.MULTILINE)
_REASONS = {
    errno.EACCES: "permission",
    errno.EPERM: "permission",
    errno.ENOENT: "missing",
    errno.ENOTDIR: "missing",
}


@dataclass
class Followed:
    """The output file of one run of a job, and what was read of it.

    Attributes
    ----------
    path:
        Empty if Slurm names no file, as for interactive jobs.
    reason:
        Why it cannot be read; empty if it can.
    seen:
        Inode, size and time of change (ns) of the file when it was read last.
    step_at:
        When the file got the last step line: seconds since 1970.
    saves:
        The same of the last checkpoints, by their steps and the times that their lines state.
    save_seconds:
        How long the last of them took; None where the log does not say it.
    """

    path: str
    reason: str = ""
    seen: tuple[int, int, int] | None = None
    head: Settings = field(default_factory=Settings)
    log: JobLog | None = None
    step_at: float | None = None
    saves: dict[tuple[int | None, int | None], float] = field(default_factory=dict)
    save_seconds: float | None = None


_followed: dict[tuple[str, str], Followed] = {}
"""By id and number of restarts of running jobs; sources are collected one at a time."""


def collect(probe: Probe, metrics: Metrics) -> None:
    if not probe.has("squeue"):
        return
    jobs = _running(probe)
    metrics.add(
        "training_jobs_not_followed",
        "gauge",
        "Running jobs whose output is not read, because many larger jobs run.",
        float(len(jobs[MOST_JOBS:])),
    )
    jobs = jobs[:MOST_JOBS]
    known = {(job["JobID"], job["RestartCnt"]) for job in jobs}
    for key in [key for key in _followed if key not in known]:
        del _followed[key]
    # The one that was read the longest ago comes first: all are reached in a few scrapes.
    places = {key: place for place, key in enumerate(_followed)}
    for job in sorted(jobs, key=lambda job: places.get((job["JobID"], job["RestartCnt"]), -1)):
        if probe.seconds_left() < _LEAST_SECONDS:
            break
        key = (job["JobID"], job["RestartCnt"])
        followed = _followed.pop(key, None)
        if followed is None:
            followed = Followed(_output(probe, job["JobID"]))
        _followed[key] = followed
        _read(probe, followed)
    for job in jobs:
        found = _followed.get((job["JobID"], job["RestartCnt"]))
        if found is not None and found.path:
            _add(metrics, job, found)


def _running(probe: Probe) -> list[dict[str, str]]:
    """Running jobs, those with the most nodes first. A name may contain the separator."""
    form = ",".join(f"{name}:64|" for name in _FIELDS[:-1]) + ",Name:64"
    text = probe.output(["squeue", "--noheader", "--all", "--states=RUNNING", f"--Format={form}"])
    jobs = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|", len(_FIELDS) - 1)]
        if len(cells) == len(_FIELDS) and cells[0].isdigit():
            jobs.append(dict(zip(_FIELDS, cells)))
    return sorted(jobs, key=lambda job: (-(number(job["NumNodes"]) or 0.0), int(job["JobID"])))


def _output(probe: Probe, job_id: str) -> str:
    """The path of the job's standard output; empty without one, or if the job has just ended."""
    try:
        text = probe.output(["scontrol", "show", "job", job_id])
    except ProbeError as error:
        if "Invalid job id" in str(error):
            return ""
        raise
    found = _STDOUT.search(text)
    return found.group(1) if found and found.group(1) != "/dev/null" else ""


def _read(probe: Probe, followed: Followed) -> None:
    """Read what is new. The file is a user's: anything but a regular file is refused."""
    if not followed.path:
        return
    try:
        # A FIFO without a writer would block.
        handle = os.open(probe.path(followed.path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        followed.reason = _REASONS.get(error.errno or 0, "error")
        return
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            followed.reason = "not-a-file"
            return
        seen = (found.st_ino, found.st_size, found.st_mtime_ns)
        if seen == followed.seen:
            return
        _follow(handle, found, followed)
        followed.reason, followed.seen = "", seen
    except OSError as error:
        # Such as ESTALE, when the server has replaced the file.
        followed.reason = _REASONS.get(error.errno or 0, "error")
    finally:
        os.close(handle)


def _follow(handle: int, found: os.stat_result, followed: Followed) -> None:
    before = followed.seen
    if before is not None and (found.st_ino != before[0] or found.st_size < before[1]):
        vars(followed).update(vars(Followed(followed.path)))
        before = None
    if before is None or before[1] < HEAD_BYTES:
        followed.head = read_log(_text(os.pread(handle, HEAD_BYTES, 0))).settings
    begin = max(0, found.st_size - TAIL_BYTES)
    tail = os.pread(handle, found.st_size - begin, begin)
    if begin:
        # The first line lacks its beginning.
        tail = tail[tail.find(b"\n") + 1 :]
    log = read_log(_text(tail), followed.head)
    old, new = _last_step(followed.log), _last_step(log)
    if new is None or _is_of_an_evaluation(log, old, new):
        return
    if old is None or (new.step, new.time, new.elapsed) != (old.step, old.time, old.elapsed):
        followed.step_at = _written_at(new, log, found.st_mtime)
    followed.log = log
    _note_saves(followed, log, found.st_mtime)


def _is_of_an_evaluation(log: JobLog, old: Event | None, new: Event) -> bool:
    """Whether the last progress bar in the end of the file is not that of the training.

    The Trainer of transformers states the number of steps only with verbose logging; a resumed
    training begins with other lines.
    """
    if log.framework != "hf-trainer" or old is None or old.step is None or new.step is None:
        return False
    return new.step < old.step and not any(e.kind in ("train", "load") for e in log.events)


def _note_saves(followed: Followed, log: JobLog, changed_at: float) -> None:
    """Note checkpoints by their ends where the log has ends, else by their beginnings."""
    ends = [event for event in log.events if event.kind == "save_end"]
    found = ends or [event for event in log.events if event.kind == "save_begin"]
    steps = log.steps
    for index, event in enumerate(found):
        step = event.step
        if step is None:
            # The line names no step: it is that of the last step line before it.
            step = next((e.step for e in reversed(steps) if e.line <= event.line), None)
        key = (step, None if event.time is None else int(event.time))
        # Of lines without times only the last can be new.
        if key in followed.saves or (event.time is None and index < len(found) - 1):
            continue
        followed.saves[key] = _written_at(event, log, changed_at)
        followed.save_seconds = event.seconds
    for key in list(followed.saves)[:-_SAVES]:
        del followed.saves[key]


def _written_at(event: Event, log: JobLog, changed_at: float) -> float:
    """When the file got the line: as long before its change as the times of the lines differ."""
    last = max((e.time for e in log.events if e.time is not None), default=None)
    if last is None or event.time is None:
        return changed_at
    return changed_at - max(0.0, last - event.time)


def _text(content: bytes) -> str:
    return content.decode("utf-8", errors="replace")


def _last_step(log: JobLog | None) -> Event | None:
    steps = () if log is None else log.steps
    return steps[-1] if steps else None


def _intervals(log: JobLog) -> list[tuple[float, int]]:
    """Seconds per step and number of steps between the last step lines."""
    found = []
    steps = log.steps[-_LINES:]
    for one, two in zip(steps, steps[1:]):
        many = (two.step or 0) - (one.step or 0)
        if many <= 0:
            continue
        seconds = two.seconds
        if seconds is None and one.time is not None and two.time is not None:
            seconds = (two.time - one.time) / many
        elif seconds is None and one.elapsed is not None and two.elapsed is not None:
            seconds = (two.elapsed - one.elapsed) / many
        if seconds is not None and seconds > 0:
            found.append((seconds, many))
    return found


def _speed(last: Event, seconds: float | None, settings: Settings) -> float | None:
    """Tokens per second of the whole job; None where the log does not say enough."""
    of_one, devices = last.tokens_per_second_per_device, settings.world_size
    if of_one is not None and devices is not None:
        return of_one * devices
    tokens = settings.tokens_per_step
    return tokens / seconds if tokens is not None and seconds else None


def _planned(speed: float | None, settings: Settings) -> tuple[float | None, float | None]:
    """FLOP/s of one accelerator and MFU by the plan's FLOPs of a token; None without a plan."""
    flops, devices, peak = settings.flops_per_token, settings.accelerators, settings.peak_flops
    if speed is None or flops is None or devices is None or peak is None:
        return None, None
    return speed * flops / devices, speed * flops / devices / peak


def _add_speed(
    gauge: Callable[[str, str, float | None], None],
    last: Event,
    speed: float | None,
    settings: Settings,
) -> None:
    """Add tokens per second, and operations and MFU as the framework and the plan count them."""
    gauge("training_tokens_per_second", "Tokens per second of the whole job.", speed)
    gauge(
        "training_flops_per_gpu",
        "Floating point operations per second of one GPU, as the framework counts them.",
        None if last.tflops is None else last.tflops * 1e12,
    )
    gauge("training_mfu_ratio", "Model FLOPs utilisation, as the framework counts it.", last.mfu)
    flops, mfu = _planned(speed, settings)
    gauge(
        "training_plan_flops_per_gpu",
        "Floating point operations per second of one accelerator, as the job's plan counts them.",
        flops,
    )
    gauge("training_plan_mfu_ratio", "Model FLOPs utilisation, as the job's plan counts it.", mfu)


def _add(metrics: Metrics, job: dict[str, str], followed: Followed) -> None:
    labels = {"job_id": job["JobID"], "partition": job["Partition"]}

    def gauge(
        name: str, about: str, value: float | None, more: dict[str, str] | None = None
    ) -> None:
        metrics.add(name, "gauge", about, value, {**labels, **(more or {})})

    gauge(
        "training_log_readable",
        "Whether the output file of the job can be read; with the reason if not.",
        float(not followed.reason),
        {"reason": followed.reason},
    )
    log, last = followed.log, _last_step(followed.log)
    if followed.reason or log is None or last is None:
        return
    intervals = _intervals(log)
    seconds = last.seconds
    if seconds is None and intervals:
        seconds = intervals[-1][0]
    losses = [event.loss for event in log.steps if event.loss is not None]
    gauge(
        "training_job_info",
        "Always 1: name, user and account of a job whose output has steps, and its framework.",
        1.0,
        {
            "job_name": job["Name"],
            "user": job["UserName"],
            "account": job["Account"],
            "framework": log.framework,
        },
    )
    gauge("training_restarts", "Times that Slurm requeued the job.", number(job["RestartCnt"]))
    gauge("training_step", "Steps completed.", last.step)
    gauge("training_total_steps", "Steps of the whole run.", log.settings.total_steps)
    gauge("training_step_seconds", "Seconds per step, by the last step line.", seconds)
    gauge(
        "training_last_step_timestamp_seconds",
        "When the output got the last step line.",
        followed.step_at,
    )
    # After the end of the training no step is due.
    if intervals and not any(e.kind == "end" and e.line > last.line for e in log.events):
        gauge(
            "training_step_line_interval_seconds",
            "Usual time between two step lines; none after the end of the training.",
            median(each * many for each, many in intervals),
        )
    gauge(
        "training_loss", "Loss, by the last step line that has it.", losses[-1] if losses else None
    )
    _add_speed(gauge, last, _speed(last, seconds, log.settings), log.settings)
    if not followed.saves:
        return
    (step, _), at = list(followed.saves.items())[-1]
    times = list(followed.saves.values())
    apart = [two - one for one, two in zip(times, times[1:]) if two > one]
    gauge("training_checkpoint_step", "Step of the last checkpoint.", step)
    gauge(
        "training_checkpoint_timestamp_seconds",
        "When the output got the line of the last checkpoint.",
        at,
    )
    gauge("training_checkpoint_seconds", "Duration of the last save.", followed.save_seconds)
    gauge(
        "training_checkpoint_interval_seconds",
        "Usual time between two checkpoints.",
        median(apart) if apart else None,
    )
