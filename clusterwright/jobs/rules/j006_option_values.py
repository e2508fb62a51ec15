"""Values of options have a form that Slurm accepts."""

from __future__ import annotations

import re
from collections.abc import Callable

from clusterwright.jobs import values
from clusterwright.jobs.rule import Fail, Job, JobRule, Results

_SIGNAL = re.compile(r"(?:(?:[RB]{1,2}):)?(?:(?:SIG)?(\w+))(?:@\d{1,5})?")
_SIGNALS = frozenset(
    [
        "HUP",
        "INT",
        "QUIT",
        "ABRT",
        "KILL",
        "ALRM",
        "TERM",
        "USR1",
        "USR2",
        "URG",
        "CONT",
        "STOP",
        "TSTP",
        "TTIN",
        "TTOU",
    ]
)


def _signal(text: str) -> None:
    match = _SIGNAL.fullmatch(text)
    if match is None or not (match.group(1).isdigit() or match.group(1).upper() in _SIGNALS):
        raise ValueError(text)


def _number(text: str) -> None:
    if not re.fullmatch(r"\d{1,9}", text) or not int(text):
        raise ValueError(text)


def _stated(text: str) -> None:
    """sbatch takes an empty list of resources, and slurmctld refuses the job."""
    if not text.strip():
        raise ValueError(text)


def _open_mode(text: str) -> None:
    if text[:1].lower() not in ("a", "t"):
        raise ValueError(text)


_NUMBERS = (
    "ntasks",
    "ntasks-per-node",
    "ntasks-per-gpu",
    "ntasks-per-socket",
    "ntasks-per-core",
    "cpus-per-task",
    "cpus-per-gpu",
)
"""Options whose value 0 sbatch refuses, too."""
_MAIL_TYPES = frozenset(
    {
        *("NONE", "ALL", "BEGIN", "END", "FAIL", "REQUEUE", "INVALID_DEPEND", "STAGE_OUT"),
        *("ARRAY_TASKS", "TIME_LIMIT", "TIME_LIMIT_90", "TIME_LIMIT_80", "TIME_LIMIT_50"),
    }
)
_JOB = r"\d+(?:_(?:\d+|\*))?"
_STATE = r"(?:\([a-z]+\))?"
_DEPENDENCY = re.compile(
    r"(?:after(?:any|ok|notok|corr|burstbuffer)?|expand):"
    rf"{_JOB}(?:\+\d+)?{_STATE}(?::{_JOB}(?:\+\d+)?{_STATE})*|singleton{_STATE}|{_JOB}",
    re.IGNORECASE,
)


def _mail_type(text: str) -> None:
    """Unknown types are ignored, but one must be known."""
    if not _MAIL_TYPES & {each.upper() for each in text.split(",")}:
        raise ValueError(text)


def _dependency(text: str) -> None:
    if not all(_DEPENDENCY.fullmatch(each) for each in re.split(r"[,?]", text)):
        raise ValueError(text)


_FORMS: dict[str, tuple[Callable[[str], object], str]] = {
    "time": (values.minutes, "minutes, H:MM:SS or D-HH:MM:SS"),
    "time-min": (values.minutes, "minutes, H:MM:SS or D-HH:MM:SS"),
    "nodes": (values.nodes, "a number, or a range such as 2-4"),
    "mem": (values.memory_mib, "a number with K, M, G or T"),
    "mem-per-cpu": (values.memory_mib, "a number with K, M, G or T"),
    "mem-per-gpu": (values.memory_mib, "a number with K, M, G or T"),
    "signal": (_signal, "[B:]NAME[@SECONDS], such as B:USR1@300"),
    **dict.fromkeys(_NUMBERS, (_number, "a number from 1 on")),
    "gres": (_stated, "a resource with a number, such as gpu:8; without one, omit it"),
    "open-mode": (_open_mode, "append or truncate"),
    "mail-type": (_mail_type, "a list of NONE, BEGIN, END, FAIL, REQUEUE, ALL, TIME_LIMIT, ..."),
    "dependency": (_dependency, "TYPE:JOB[:JOB...], such as afterok:123, or singleton"),
    "array": (values.array_ranges, "indices and ranges with an optional limit, such as 0-15%4"),
}


class OptionValues(JobRule):
    id = "CW-J006"
    severity = "error"
    prevents = "a submission that sbatch refuses: invalid specification"
    source = (
        "sbatch(1), and sbatch 24.11.5, tried with such values on 2026-11-23 and 2026-11-30; "
        "an empty --gres: 3dem/relion#877 (from Slurm 21.08 on); mail "
        "types: SchedMD/slurm, parse_mail_type; dependencies: _parse_dependency_str; arrays: "
        "slurm_parse_array_tok (26.05)"
    )

    def check(self, job: Job) -> Results:
        for option in job.file.all_options:
            form = _FORMS.get(option.name)
            if form is None or re.search(r"[${`]", option.value):
                continue  # CW-J004; a template is not a value
            try:
                form[0](option.value)
            except ValueError:
                yield Fail(
                    message=f"--{option.name}: Slurm does not accept {option.value[:60]!r}",
                    at=option,
                    hint=f"it is {form[1]}",
                )
