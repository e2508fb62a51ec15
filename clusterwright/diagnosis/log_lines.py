"""Lines of logs as evidence: times, hosts, the node program's JSON, and what is out of date.

A line has no statement of its own that it is a failure, except the node program's end of a failed
step; signatures decide about the rest.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from clusterwright.diagnosis import deployment_output, mpi_help
from clusterwright.diagnosis.backtraces import Backtraces
from clusterwright.diagnosis.continuations import Causes
from clusterwright.diagnosis.deployment_output import FailedResource
from clusterwright.diagnosis.go_panics import Panics
from clusterwright.diagnosis.json_objects import Objects
from clusterwright.diagnosis.literals import Expression
from clusterwright.diagnosis.model import Evidence
from clusterwright.diagnosis.node_reasons import NodeReason, NodeReasons
from clusterwright.diagnosis.recoveries import GANGS, SERVICES, TITLE
from clusterwright.diagnosis.scheduler import hosts
from clusterwright.diagnosis.stops import Stops
from clusterwright.diagnosis.submissions import Submissions
from clusterwright.diagnosis.tracebacks import Tracebacks

LONGEST_LINE: Final = 2000

_ANSI: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_TASK: Final = re.compile(
    # Open MPI, SageMaker's data parallelism, srun --label.
    r"^(?:\[\d+,(?:mpirank:)?\d+(?:,[\w.-]{1,60})?\]<std(?:out|err)>:|\d{1,5}: )"
)
_DASHES: Final = re.compile(r"^\s*(?:\[?[\w,.-]{1,40}\]?(?:<std\w+>)?: ?)?-{40,}\s*$")
_RULE: Final = "-" * 40
_IS_HELP: Final = re.compile(
    r"\b(?:MPI|ORTE|PRTE|PRRTE|mpirun|prterun|orterun|PMIx|OMPI|Open MPI|UCX|launch|process|"
    r"daemon|component|shared memory|slots)\b"
)
_LONGEST_BLOCK: Final = 60
_ISO: Final = re.compile(
    r"\b(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,6}))?\d*(Z|[+-]\d\d:?\d\d)?"
)
_SYSLOG: Final = re.compile(r"^[A-Z][a-z]{2}\s+\d{1,2} \d\d:\d\d:\d\d (?P<host>[\w.-]+) ")
_ISO_HOST: Final = re.compile(r"^\S*\d\d:\d\d:\d\d\S*\s+(?P<host>ip-[\d-]+|[\w-]+-\d+)\s")
_READY: Final = Expression(
    r"clusterwright: \S+ is ready\b|lifecycle scripts? (?:succeeded|(?:ran|completed|finished) "
    r"successfully)",
    re.IGNORECASE,
)
_RESTORED: Final = Expression(r"Connection restored to|reconnected to|Lustre: .* is connected")
_OVER: Final = (
    # What shows that a failure is over, and the lines that reported it, of the same node if named.
    (_RESTORED, Expression(r"Lustre|LNet", re.IGNORECASE)),
    (
        Expression(r"\bnode (?P<node>\S+) (?:now responding|returned to service)", re.IGNORECASE),
        Expression(r"not responding", re.IGNORECASE),
    ),
    (
        Expression(r"\bslurmd started on \S"),
        Expression(r"fetch_config|_establish_config|resolve_ctls_from_dns_srv|load configs"),
    ),
    (
        Expression(r"\bNodeReady\b|node status as it just became ready"),
        Expression(
            r"NodeNotReady|KubeletNotReady|not ready|"
            r"taint\(?s?\)? \{node\.kubernetes\.io/not-ready",
            re.IGNORECASE,
        ),
    ),
    (Expression(r"Thread is unstuck!"), Expression(r"may be stuck")),
    GANGS,
    *SERVICES,
)
_DONE: Final = frozenset({"applied", "unchanged", "skipped"})


@dataclass(frozen=True)
class Place:
    """Where lines were read: the name that users look up, and what the lines are about."""

    source: str
    stream: str
    node: str = ""
    instance: str = ""
    job: str = ""
    fields: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Line:
    """A line; `time` is that of arrival, None for files; a `block` is several lines in one.

    An `early` line, before the end of a long log, is kept only if it may be evidence of a finding.
    """

    text: str
    number: int
    time: dt.datetime | None = None
    block: bool = False
    early: bool = False


def evidence(
    lines: Iterable[Line],
    place: Place,
    keeps: Callable[[Evidence], bool] = lambda _: True,
) -> tuple[Evidence, ...]:
    """The lines that may be evidence, without what a later line shows to be over.

    `keeps` says whether an early line is kept.
    """
    kept = _Kept()
    left_out = 0
    tracebacks = Tracebacks()
    lines = _joined(lines)
    rows = _Rows(place)
    reasons = NodeReasons()
    stops = Stops()
    for line in lines:
        clean = line.text[: 2 * LONGEST_LINE]
        if "\x1b" in clean:
            clean = _ANSI.sub("", clean)
        clean = _TASK.sub("", clean)
        text = clean.strip()[:LONGEST_LINE]
        if not text:
            continue
        events, is_part = rows.read(text, line)
        kept.extend(events)
        if is_part:
            continue
        told = {"block": text} if line.block else tracebacks.read(clean)
        if not line.block and tracebacks.raises:
            continue
        lowered = text.lower()
        if _READY.search(text, lowered):
            # A node is ready: what failed before it in this log was repeated with success.
            kept.clear()
            continue
        if kept.ends_with(text, lowered) or stops.is_part(text, lowered, _host(text)):
            continue
        reason = reasons.read(text, lowered)
        item = (
            _item(text, line, place, told) if reason is None else _node_reason(reason, line, place)
        )
        if item is None:
            continue
        done = item.fields.get("done")
        if done:
            kept.end_step(done)
        elif line.early and not keeps(item):
            left_out += 1
        else:
            kept.add(replace(item, left_out=left_out) if left_out else item)
            left_out = 0
    kept.extend(rows.end())
    return kept.evidence()


class _Report(NamedTuple):
    """The host that wrote a report, and the nodes in its host lists (`w-[1-4]`)."""

    host: str
    listed: frozenset[str]


class _Kept:
    """Lines that no later line shows to be over; each is looked at once for what ends it."""

    def __init__(self) -> None:
        self._next = 0
        self.clear()

    def clear(self) -> None:
        self._lines: dict[int, Evidence] = {}
        self._steps: dict[str, list[int]] = {}
        self._units: dict[tuple[str, str], list[int]] = {}
        self._titles: dict[tuple[str, str], str] = {}
        self._reports: list[dict[int, _Report]] = [{} for _ in _OVER]
        self._looked_at = [self._next for _ in _OVER]

    def evidence(self) -> tuple[Evidence, ...]:
        return tuple(self._lines.values())

    def add(self, item: Evidence) -> None:
        self._lines[self._next] = item
        if "step" in item.fields:
            self._steps.setdefault(item.fields["step"], []).append(self._next)
        self._next += 1

    def extend(self, items: Iterable[Evidence]) -> None:
        for item in items:
            self.add(item)

    def end_step(self, step: str) -> None:
        for number in self._steps.pop(step, ()):
            self._lines.pop(number, None)

    def ends_with(self, text: str, lowered: str) -> bool:
        """Whether a text says that something is over, whose lines are removed."""
        for kind, (over, _) in enumerate(_OVER):
            found = over.search(text, lowered)
            if found is None:
                continue
            named = found.groupdict()
            reports = self._reports_of(kind)
            if "unit" in named:
                ended = self._end_unit(_host(text), named)
                if not ended:
                    continue
            else:
                node = named.get("node") or ""
                host = "" if node else _host(text)
                ended = [n for n in reports if self._names(n, reports[n], node, host)]
            for number in ended:
                reports.pop(number, None)
                self._lines.pop(number, None)
            return True
        return False

    def _end_unit(self, host: str, named: Mapping[str, str | None]) -> list[int]:
        """Numbers of the reports of a unit that was started, by its name or title."""
        unit = named["unit"] or self._titles.get((host, named["title"] or ""), "")
        return self._units.pop((host, unit), [])

    def _reports_of(self, kind: int) -> dict[int, _Report]:
        """Lines that reported what is over."""
        reports = self._reports[kind]
        for number in range(self._looked_at[kind], self._next):
            item = self._lines.get(number)
            report = item and _OVER[kind][1].search(item.text, item.text.lower())
            if item and report:
                host = _host(item.text)
                if "unit" in report.groupdict():
                    self._keep_unit(number, host, report["unit"])
                    continue
                words = (word for word in item.text.split() if "[" in word)
                listed = frozenset(node for word in words for node in hosts(word))
                reports[number] = _Report(host, listed)
        self._looked_at[kind] = self._next
        return reports

    def _keep_unit(self, number: int, host: str, unit: str) -> None:
        """Remember that a unit failed, with the line after it, which may only have its title."""
        numbers = self._units.setdefault((host, unit), [])
        numbers.append(number)
        after = self._lines.get(number + 1)
        title = after and TITLE.search(after.text)
        if title:
            self._titles[host, title["title"]] = unit
            numbers.append(number + 1)

    def _names(self, number: int, report: _Report, node: str, host: str) -> bool:
        """Whether a report is of what is over: it names the node, or is of the same host."""
        item = self._lines.get(number)
        if item is None:
            return True
        if host and report.host not in ("", host):
            return False
        return node in item.text or node in report.listed


class _Rows:
    """Rows about failed resources, whose reason may be the next line, or missing."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._last: tuple[FailedResource, Line] | None = None

    def read(self, text: str, line: Line) -> tuple[list[Evidence], bool]:
        """The events that a line completes, and whether it is a part of one."""
        row = deployment_output.read(text)
        if row is None and self._last is not None and deployment_output.goes_on(text):
            before, self._last = self._last[0], None
            return [_stack_event(replace(before, reason=text), line, self._place)], True
        events = self.end()
        if row is not None and row.reason:
            events.append(_stack_event(row, line, self._place))
        elif row is not None:
            self._last = row, line
        return events, row is not None

    def end(self) -> list[Evidence]:
        """The event of a last row without a reason."""
        last, self._last = self._last, None
        return [] if last is None else [_stack_event(*last, self._place)]


def _joined(lines: Iterable[Line]) -> Iterator[Line]:
    """The lines; a help text of MPI, between lines of dashes, is one, and a backtrace or panic one
    more.
    """
    block: list[Line] | None = None
    backtraces, panics = Backtraces(), Panics()
    for line in _read_with(_with_causes(_read_with(lines, Objects[Line]())), Submissions[Line]()):
        for text, number in (
            *backtraces.read(line.text, line.number),
            *panics.read(line.text, line.number),
        ):
            yield Line(text, number, line.time)
        if panics.holds:
            continue
        if _RULE in line.text and _DASHES.match(line.text):
            if block:
                yield _help_text(block)
            block = [] if block is None else None
            continue
        if block is None:
            yield line
            continue
        block.append(line)
        if len(block) > _LONGEST_BLOCK or (len(block) == 1 and not _is_help(line.text)):
            yield from block
            block = None
    yield from block or ()
    for text, number in (*backtraces.end(), *panics.end()):
        yield Line(text, number)


def _is_help(text: str) -> bool:
    """Whether a help text of MPI begins with a line."""
    return bool(_IS_HELP.search(text) or mpi_help.BEGINS.search(text))


def _read_with(lines: Iterable[Line], reader: Objects[Line] | Submissions[Line]) -> Iterator[Line]:
    """The lines, with what a reader joins as one: an object of JSON, or what a command of Slurm
    printed about a refused request.
    """
    for line in lines:
        for text, one in reader.read(line.text, line):
            yield one if text == one.text else replace(one, text=text)
    for _, one in reader.end():
        yield one


def _with_causes(lines: Iterable[Line]) -> Iterator[Line]:
    """The lines, with what AWS's SDK for Go or XLA writes about an error after it in one with
    it.
    """
    causes = Causes()
    held: Line | None = None
    for line in lines:
        if causes.is_part(line.text) and held is not None:
            held = replace(held, text=f"{held.text.rstrip()} {line.text.strip()}")
            continue
        if held is not None:
            yield held
        held = line
    if held is not None:
        yield held


def _help_text(block: Sequence[Line]) -> Line:
    text = " ".join(line.text.strip() for line in block if line.text.strip())
    return Line(text, block[0].number, block[0].time, block=True)


def time_in(text: str) -> dt.datetime | None:
    """The first time of a line; without a zone it is UTC, as nodes are set; None without one."""
    found = _ISO.search(text)
    if found is None:
        return None
    date, clock, fraction, zone = found.groups()
    offset = "+00:00" if zone in (None, "Z") else zone
    if len(offset) == 5:
        offset = f"{offset[:3]}:{offset[3:]}"
    try:
        return dt.datetime.fromisoformat(f"{date}T{clock}.{(fraction or '0'):0<6}{offset}")
    except ValueError:
        return None


def _item(text: str, line: Line, place: Place, told: Mapping[str, str]) -> Evidence | None:
    if text.startswith("{"):
        return _json(text, line, place)
    return _plain(text, line, place, told)


def _plain(text: str, line: Line, place: Place, told: Mapping[str, str] | None = None) -> Evidence:
    return _made(text, line, place, node=_host(text), fields=told)


def _host(text: str) -> str:
    """The host that a line of syslog names; empty without one."""
    host = _SYSLOG.match(text) or _ISO_HOST.match(text)
    return host.group("host").partition(".")[0] if host else ""


def _stack_event(row: FailedResource, line: Line, place: Place) -> Evidence:
    text = row.reason or "the program printed no reason"
    made = _made(text, line, place, failed=row.is_failed, fields={"resource_type": row.type})
    return replace(made, kind="stack-event", resource=row.name)


def _node_reason(found: NodeReason, line: Line, place: Place) -> Evidence:
    """What the controller's state has of a node with a reason, as far as a line has it."""
    names = hosts(found.nodes)
    made = _made(found.reason, line, place, failed=True, fields={"nodes": ",".join(names)})
    node = names[0] if len(names) == 1 else "" if names else made.node
    return replace(made, kind="scheduler-node", node=node)


def _json(text: str, line: Line, place: Place) -> Evidence | None:
    """A line of the node program or of another program that writes JSON; None if it says
    nothing.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _plain(text, line, place)
    if not isinstance(value, dict):
        return _plain(text, line, place)
    event, step = value.get("event"), str(value.get("step") or "")
    node = str(value.get("node") or "")
    if event == "end" and step:
        if value.get("status") in _DONE:
            return _made(text, line, place, node=node, fields={"done": step})
        if value.get("status") == "failed":
            said = f"step {step} failed: {value.get('error') or 'no reason was given'}"
            fields = {"step": step}
            return _made(said, line, place, node=node, failed=True, fields=fields)
    if event in ("start", "notice"):
        return None
    words = " ".join(_words(value))
    return _made(words or text, line, place, node=node)


def _words(value: Mapping[str, Any]) -> Iterator[str]:
    """Texts of a JSON line, with their keys, nested ones too."""
    for key, entry in value.items():
        if isinstance(entry, Mapping):
            yield from _words(entry)
        elif isinstance(entry, list):
            for each in entry:
                yield from _words(each if isinstance(each, Mapping) else {key: each})
        elif isinstance(entry, str) and key not in ("time", "timestamp", "run", "trace"):
            yield f"{key}: {entry}" if len(key) > 2 else entry
        elif key == "trace" and isinstance(entry, str):
            yield entry.strip().rpartition("\n")[2]


def _made(
    text: str,
    line: Line,
    place: Place,
    *,
    node: str = "",
    failed: bool = False,
    fields: Mapping[str, str] | None = None,
) -> Evidence:
    return Evidence(
        kind="log",
        source=place.source,
        id=f"{place.stream}:{line.number}",
        time=time_in(line.text) or line.time,
        text=text,
        node=place.node or node,
        instance=place.instance,
        job=place.job,
        failed=failed,
        fields={**(place.fields or {}), **(fields or {})},
    )
