"""Statements of error in the words of any program, for logs that no signature knows.

Programs say by a form of their own that a line is an error: a severity, an event's type, the
shell's word for a signal. The words of the statement then tell the kind of failure (`wording`).
Of several statements the first of the last run of errors is the cause: what follows it are its
consequences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from clusterwright.diagnosis import (
    aws_errors,
    grpc_codes,
    parts_agents,
    parts_containers,
    parts_dcgm,
    parts_eks,
    parts_kubelet,
    parts_kubernetes,
    parts_parallelcluster,
    parts_slurm,
    signals,
)
from clusterwright.diagnosis.model import Evidence
from clusterwright.diagnosis.wording import NOT_AN_ERROR, kind_of
from clusterwright.diagnosis.writer import fields

_WRITERS: Final = (*parts_agents.WRITERS, *parts_dcgm.WRITERS, *parts_eks.WRITERS)
LAST_LINES: Final = 3
"""A log ends with an error if it is one of so many last lines."""

_LONGEST: Final = 220
_REQUEST: Final = re.compile(
    r"\((?:Service|RequestToken|Request ID|Status Code): [^()\n]{1,300}\)"
)
_SUBJECTS: Final = re.compile(r"\b(?:debug|info)\b(?= \w)")
"""What errors of Slurm's daemons are about, as `debug level`; they have a level of their own."""
_CODE: Final = re.compile(r"Error Code: (\w{3,80})")
_GAP: Final = 25
_LONGEST_TRACEBACK: Final = 60


@dataclass(frozen=True)
class Form:
    """How a sort of program writes an error.

    Attributes
    ----------
    strong:
        It is an error wherever it stands in a log.
    in_failed_only:
        Files of which it is an error only in the log of something that failed.
    any_level:
        Whether it is one also if the program calls it information.
    """

    pattern: re.Pattern[str]
    strong: bool = False
    in_failed_only: str = ""
    any_level: bool = False


def _form(
    pattern: str, strong: bool = False, in_failed_only: str = "", any_level: bool = False
) -> Form:
    return Form(re.compile(pattern), strong, in_failed_only, any_level)


_GO: Final = ".go"
_KLOG_PREFIX: Final = r"(?:^|[\s\]:\[])(?:(?P<program>[\w.-]{1,40})(?:\[\d+\])?: )?"
_KLOG: Final = r"\d{3,4} \d\d:\d\d:\d\d[.\d]*\s+(?:\d+ )?(?P<file>[\w./-]+:\d+)\] (?P<message>.*)"


_REASONS: Final = (
    "Failed|Evict|OOM|SystemOOM|NodeNot|FreeDisk|ErrImage|Inspect|HostPort|OutOf|Unexpected|"
    "Provisioning|Preempt|BackoffLimit|DeadlineExceeded|NetworkNot|Kubelet|Insufficient|Invalid|"
    "Evicted|Exceeded|Conflict|Denied|Error"
)
_PROGRAM: Final = r"(?P<program>[A-Za-z][\w./-]{0,60}?)"
FORMS: Final = (
    # klog and glog, in any prefix. Daemons of Kubernetes repeat errors without end.
    _form(rf"{_KLOG_PREFIX}F{_KLOG}"),
    _form(rf"{_KLOG_PREFIX}E{_KLOG}", in_failed_only=_GO),
    # JSON with sorted keys, so that the error stands before the level.
    _form(r"\b(?:err|error): (?P<message>[^\n]{3,600}?) level: (?:error|fatal|panic)\b"),
    # JSON of Go programs, as `log_lines` writes it, and their key=value form.
    _form(
        fields(r"\blevel: (?:error|fatal|panic|dpanic|ERROR|FATAL)\b") + r".*?"
        r"(?:logger: (?P<logger>\S+) )?(?:message|msg): "
        r"(?P<message>(?:.*? controller: (?P<program>\S+)(?= ))?.*)"
    ),
    _form(fields(r"\blevel=(?:error|fatal|panic)\b", r"msg=\"?(?P<message>.*)")),
    # Ray and other users of spdlog.
    _form(
        r"\[[^\]\n]{10,40} [CEF] \d+ \d+\] (?:\((?P<program>\w+)\) )?(?P<file>[\w./-]+:\d+): "
        r"(?P<message>.*)"
    ),
    # XLA and other users of absl, with a time of day before the severity.
    _form(r"^(?:\S+ )?\d\d:\d\d:\d\d\.\d+: [EF] (?P<file>[\w./-]+:\d+)\] (?P<message>.*)"),
    # Curl, the shell and an exception of Python alone, after a label of the process.
    _form(r"^(?P<program>curl): \(\d+\) (?P<message>.+)"),
    _form(
        r"^(?:\([\w. =,]{3,60}\) )?(?:\w+\.)*(?P<program>[A-Z]\w{2,40}(?:Error|Exception)): "
        r"(?P<message>.+)"
    ),
    # Events of Kubernetes, except those that a start usually has.
    _form(
        rf"^\s*Warning\s+(?P<program>(?:{_REASONS})\w*)\s+(?:\S+ \(x\d+ over \S+\)|<\w+>|\S+)\s+"
        r"[\w-]+(?:, \S+)?\s+(?P<message>.*)",
        strong=True,
    ),
    _form(
        r"^\s*(?:Reason|Message|reason|message):\s+(?P<message>.*\b(?:[Ee]vict|OOM|Fail|fail|"
        r"Error).*)"
    ),
    # `program: error: ...`, `program[12]: fatal: ...`, and what has only the severity.
    _form(
        rf"(?:^|[\s\]]){_PROGRAM}(?:\[\d+\])?: (?:error|fatal|ERROR|FATAL|panic|critical)\b:? "
        r"(?P<message>.+)"
    ),
    # The severity after a time or in brackets.
    _form(
        r"(?:^|[\s\]|-])\[?(?:ERROR|FATAL|CRITICAL|Error|SEVERE)\]?\s*(?:[|:-]+\s*|\s{2,}|"
        r"\s(?=[\w.]+:))"
        r"(?:(?P<program>[\w.:-]{2,60}?):\s)?(?P<message>.+)"
    ),
    _form(
        r"(?:^|\s)(?:error|fatal|panic|Error|ERROR|FATAL|Fatal error|"
        r"fatal error)\s?[:!] (?P<message>.+)"
    ),
    _form(r"^(?P<program>[\w.-]{2,40}): (?:ERROR|FATAL) (?P<message>.+)"),
    # A command with the text of an errno, which stands last.
    _form(
        r"^(?P<program>[a-z][\w.+-]{0,40}(?: [a-z][\w-]{1,20})?): (?P<message>[^\n]{1,240}: "
        r"(?:No such file or directory|"
        r"Permission denied|Operation not permitted|Input/output error|No space left on device|"
        r"Disk quota exceeded|Read-only file system|Stale file handle|Device or resource busy|"
        r"File exists|File too large|Is a directory|Not a directory|Directory not empty|"
        r"Argument list too long|File name too long|Exec format error|Text file busy|"
        r"No locks available|Connection (?:refused|timed out|reset by peer)|Invalid argument|"
        r"Too many open files|Cannot allocate memory|Operation not supported|Broken pipe|"
        r"Too many levels of symbolic links|Invalid cross-device link|Remote I/O error|"
        r"Transport endpoint is not connected|No such device|Function not implemented))$"
    ),
    _form(
        r"^(?P<message>(?:Access [Dd]enied|Permission denied|Unauthorized|Forbidden|Access is "
        r"denied))\.?$"
    ),
    # Scripts ask for what may not exist, so that these are errors only at the end.
    _form(r"^(?P<program>Error from server) \((?:NotFound|AlreadyExists)\): (?P<message>.+)"),
    # What the shell or a command says of a line of a script.
    _form(r"^(?:\S*/)?(?P<program>[\w.-]{1,60}): line \d+: (?P<message>\S.+)"),
    _form(r"(?:^|\s)(?P<program>docker): Error response from daemon: (?P<message>.+)"),
    _form(
        r"^(?P<program>[a-z][\w.+-]{1,40}): (?P<message>(?:cannot|can't|unable|failed|could not|"
        r"invalid|unrecognized) .+)"
    ),
    _form(
        r"(?P<message>(?:[Uu]nable|[Cc]annot|[Cc]ould not|[Ff]ailed|[Nn]o|[Tt]imed out)\b.{3,300}"
        r"\b(?:exiting|aborting|giving up|terminating)\b.*)",
        any_level=True,
    ),
    _form(r"^(?P<message>(?:Timed out|Time-?out) (?:waiting|after|while) .+)"),
    # A sentence that says what could not be done, not of a level of information: only where the
    # log ends with it.
    _form(
        r"^(?!\[?[^\]\n]{0,40} [IWD] \d)(?![^\]\n]{0,80}?\b[IWD]\d{4} "
        r"\d\d:)(?P<message>[^\n]{0,120}?\b(?:[Uu]nable to|[Cc]annot|"
        r"[Cc]ould not|[Cc]ouldn't|[Cc]an't|[Ff]ailed to) "
        r"[a-z][^\n]{3,240})"
    ),
    _form(r"terminate called after throwing an instance of '(?P<message>[^']+)", strong=True),
    _form(r"thread '[^']*' panicked at (?P<message>.+)", strong=True),
    _form(r"(?P<message>Assertion [`'].{1,200}[`'] failed\.?.*)", strong=True),
)
_HINTS: Final = (
    "error",
    "fatal",
    "fail",
    "panic",
    "kill",
    "fault",
    "abort",
    "assert",
    "cannot",
    "can't",
    "unable",
    "invalid",
    "unrecognized",
    "could not",
    "terminate",
    "critical",
    "[slurm_plugin",
    "[common.",
    "severe",
    "evict",
    "oom",
    "exit",
    "bus ",
    "illegal",
    "exception",
    "warning  ",
    'type="warning"',
    "signal",
    " e ",
    "] f",
    "[e",
    "[f",
    " c ",
    "denied",
    "unauthorized",
    "forbidden",
    "line ",
    "curl:",
    " e0",
    " e1",
    " f0",
    " f1",
)
"""Of which every form has one: most lines of a log are normal, and have none."""

_EXIT: Final = re.compile(
    r"exit(?:ed with)?(?: exit)? ?(?:code|status)[ :=]+\(?(?P<code>-?\d{1,3})\b|"
    r"signal=(?P<name>\w+)|code=(?:killed|dumped), status=(?P<number>\d{1,2})/|"
    r"\bexitcode *[:=] *(?P<python>-?\d{1,3})",
    re.IGNORECASE,
)
_SHELL: Final = re.compile(
    r"^(?:\S+: line \d+:\s+\d+\s+|(?:srun|slurmstepd): error: (?P<node>\S+): tasks? [\d,-]+: )?"
    rf"(?P<signal>{signals.WORDS})"
    r"(?:\s*\(core dumped\))?(?:\s+(?P<command>\S.{0,80}))?$"
)


@dataclass(frozen=True)
class Statement:
    """An error that a log states, and the kind of failure that it is."""

    line: Evidence
    cause: str


def of_failure(item: Evidence) -> str | None:
    """The kind of failure of evidence that its source itself calls a failure."""
    text = " ".join(item.text.split())
    # What AWS's SDKs add, such as `Proxy: null`, is about the request, not about its failure.
    kind = kind_of(_REQUEST.sub("", text))
    sentence = kind.sentence if kind is not None else None
    code = _CODE.search(text)
    if code is not None and (kind is None or (kind.group == "program" and kind.id != "setting")):
        # The service's own code says more about its request than words that any program has.
        sentence = aws_errors.meaning(code.group(1)) or sentence
    if sentence is None:
        return None
    where = item.resource or item.node or (f"job {item.job}" if item.job else "")
    return f"{where}: {sentence}: {text}" if where else f"{sentence}: {text}"


def of_log(
    lines: Sequence[Evidence], is_echo: Callable[[Evidence], bool], known_to_fail: bool
) -> Statement | None:
    """The first statement of the last run of errors.

    Parameters
    ----------
    known_to_fail:
        Whether what the log is about is known to have failed; else the log must end with an error,
        or have one in a form that no warning has.
    """
    found: list[tuple[int, bool, str | None]] = []
    places: list[int] = []
    place = -1
    for number, line in enumerate(lines):
        place += 1 + line.left_out
        places.append(place)
        said = _said(line.text, known_to_fail) if _has_hint(line.text) else None
        if said is not None and not is_echo(line):
            found.append((number, *said))
    if not found:
        return None
    last = found[-1][0]
    if not known_to_fail and not _ends(lines, last):
        found = [entry for entry in found if entry[1]]
        if not found:
            return None
    start = len(found) - 1
    while start > 0 and places[found[start][0]] - places[found[start - 1][0]] <= _GAP:
        start -= 1
    named = next((entry for entry in found[start:] if entry[2] is not None), None)
    if named is None:
        return None
    return Statement(lines[named[0]], named[2] or "")


def may_state(text: str) -> bool:
    """Whether a line is an error in the log of something that failed."""
    return _has_hint(text) and _said(text, known_to_fail=True) is not None


def of_error(text: str) -> str | None:
    """The kind of failure that the last error of a log says; None if nothing tells it.

    A log that ends with a line that calls itself an error is reported in any case, so that the
    line is read here as one of something that is known to have failed.
    """
    said = _said(text, known_to_fail=True)
    if said is not None and said[1] is not None:
        return said[1]
    # Of Slurm's words its own table has the meaning.
    kind = None if parts_slurm.is_line(text) else kind_of(text)
    return None if kind is None else f"{kind.sentence}: {_shortened(text)}"


def is_harmless(text: str) -> bool:
    """Whether a line is an error of a known program that healthy nodes have too."""
    return any(one.is_harmless(text) for one in _WRITERS)


def _has_hint(text: str) -> bool:
    lowered = f" {text.lower()}"
    return any(hint in lowered for hint in _HINTS)


def _ends(lines: Sequence[Evidence], last: int) -> bool:
    """Whether a log ends with a line: its last lines, or one with only a traceback after it."""
    after = lines[last + 1 :]
    if len(after) < LAST_LINES:
        return True
    return len(after) < _LONGEST_TRACEBACK and any('File "' in line.text for line in after[:4])


def _said(text: str, known_to_fail: bool) -> tuple[bool, str | None] | None:
    """Whether a line is an error in a strong form, and its cause; None if it is no error."""
    shell = _SHELL.match(text)
    if shell is not None:
        on = f" on {shell.group('node')}" if shell.group("node") else ""
        who = (shell.group("command") or f"a program{on}").split("  ")[0]
        return True, f"{who[:60]} ended: {signals.of_word(shell.group('signal'))}"
    event = parts_kubernetes.event(text, known_to_fail)
    if event is not None:
        return True, event
    if parts_slurm.is_line(text):
        if not parts_slurm.is_fatal(text) and NOT_AN_ERROR.search(_SUBJECTS.sub("", text)):
            return None
        return False, parts_slurm.error(text)
    if is_harmless(text):
        return None
    written = _of_program(text)
    if written is not None:
        return False, written
    for form in FORMS:
        found = form.pattern.search(text)
        if found is not None:
            return _by_form(form, found, known_to_fail)
    end = _end(text)
    return None if end is None or NOT_AN_ERROR.search(text) else (False, end)


def _by_form(
    form: Form, found: re.Match[str], known_to_fail: bool
) -> tuple[bool, str | None] | None:
    """The same of a line that has a form."""
    text = found.string
    if not (form.strong or form.any_level) and NOT_AN_ERROR.search(text):
        return None
    groups = found.groupdict()
    message = (groups.get("message") or "").strip()
    if form.in_failed_only and form.in_failed_only in (groups.get("file") or ""):
        if not known_to_fail:
            return None
        by_part = parts_kubelet.KUBELET.error(text)
        if by_part is not None:
            return form.strong, by_part
    kind = kind_of(message)
    sentence = kind.sentence if kind is not None else grpc_codes.meaning(message)
    if sentence is None:
        return form.strong, _end(message)
    program = groups.get("program") or groups.get("logger") or groups.get("file") or ""
    subject = f"{program.rpartition('/')[2].partition(':')[0]}: " if program else ""
    return form.strong, f"{subject}{sentence}: {_shortened(message)}"


def _of_program(text: str) -> str | None:
    """What is wrong by an error of a program whose parts are known; None for other lines."""
    of_cluster = parts_parallelcluster.error(text)
    if of_cluster is not None or NOT_AN_ERROR.search(text):
        return of_cluster
    readers = (parts_containers.enroot, *(one.error for one in _WRITERS))
    return next(filter(None, (read(text) for read in readers)), None)


def _shortened(message: str) -> str:
    """A message with its begin and its end: errors of Go say first what failed and last why."""
    if len(message) <= _LONGEST:
        return message
    return f"{message[: _LONGEST // 3].rstrip()} ... {message[-2 * _LONGEST // 3 :].lstrip()}"


def _end(text: str) -> str | None:
    """What an exit code or a signal in a text says, if it is not a code of the program's own."""
    found = _EXIT.search(text)
    if found is None:
        return None
    code = found.group("code") or found.group("python")
    if code is not None:
        meaning = signals.of_exit_code(int(code))
    elif found.group("number") is not None:
        meaning = signals.of_number(int(found.group("number")))
    else:
        meaning = signals.of_name(found.group("name"))
    return None if meaning is None else f"a program ended: {meaning}: {text[:_LONGEST]}"
