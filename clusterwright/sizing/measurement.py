"""Read measured runs: the JSON output of `report goodput`, `report scaling`, `report layouts`.

A value that the document does not state is `None`, with the reason in `Measurement.unknown`. A
document of another form is refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.plan_types import Layout

GOODPUT: Final = "report goodput"
SCALING: Final = "report scaling"
LAYOUTS: Final = "report layouts"
_WRITE: Final = (
    "write it with `clusterwright report goodput CONFIG --logs DIR --format json`, or with "
    "`report scaling` or `report layouts`"
)
_TRAINING: Final = frozenset({"productive", "repeated", "checkpoint", "stalled"})
UNEXPECTED: Final = frozenset(
    {"NODE_FAIL", "FAILED", "BOOT_FAIL", "OUT_OF_MEMORY", "LAUNCH_FAILED", "RECONFIG_FAIL"}
)
"""States of Slurm's jobs that ended unexpectedly."""
EXPECTED: Final = frozenset(
    {"COMPLETED", "COMPLETING", "TIMEOUT", "DEADLINE", "CANCELLED", "PREEMPTED", "RUNNING"}
    | {"PENDING", "SUSPENDED", "STOPPED", "RESIZING", "REVOKED"}
)


@dataclass(frozen=True)
class Throughput:
    """Tokens per second while training on a number of nodes.

    Attributes
    ----------
    runs:
        Measured runs of this number of nodes.
    tokens_per_step:
        `None` where no log states it: then the plan's is taken.
    layout:
        `None` where it is unknown.
    """

    nodes: int
    tokens_per_second: float
    runs: int
    tokens_per_step: float | None = None
    layout: Layout | None = None


@dataclass(frozen=True)
class MeasuredLayout:
    """A layout on a number of nodes; `None` tokens per second: it ran out of memory."""

    layout: Layout
    nodes: int
    tokens_per_second: float | None


@dataclass(frozen=True)
class Workload:
    """What was trained, by the plan beside the run; `None` where unknown."""

    model: str | None = None
    params: float | None = None
    seq_len: int | None = None
    precision: str | None = None
    kind: str | None = None


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """One document.

    Attributes
    ----------
    failures:
        Unexpected ends of attempts that had trained; `None` without accounting.
    node_days:
        Nodes by the time without queue and down time.
    save_seconds:
        Mean time that one checkpoint blocks training.
    restart_minutes:
        From the last step before a failure to the first step after it, each.
    layouts:
        Of a sweep; the fastest is in `throughputs`, too.
    """

    file: str
    command: str
    instance_type: str | None = None
    workload: Workload = Workload()
    throughputs: tuple[Throughput, ...] = ()
    failures: int | None = None
    node_days: float | None = None
    save_seconds: float | None = None
    saves: int = 0
    restart_minutes: tuple[float, ...] = ()
    layouts: tuple[MeasuredLayout, ...] = ()
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def read_measurement(document: object, file: str) -> Measurement:
    """The measurement that a document states.

    Raises
    ------
    GoalError
        It is not the output of one of these commands, or a value has no meaning.
    """
    if not isinstance(document, Mapping):
        raise _refused(f"{file} is not the output of a command: it is not a JSON object")
    command, version = document.get("command"), document.get("schema_version")
    if command not in (GOODPUT, SCALING, LAYOUTS):
        stated = f"its `command` is {command!r}" if command is not None else "it has no `command`"
        raise _refused(f"{file} is no measurement: {stated}")
    if version != 1 or isinstance(version, bool):
        raise _refused(f"{file}: schema_version is {version!r}, and 1 is the only one known")
    if document.get("exit_code") == 3:
        raise _refused(f"{file}: the report was not made (exit_code 3)")
    reader = _Reader(file, document)
    if command == GOODPUT:
        return reader.goodput()
    return reader.scaling() if command == SCALING else reader.sweep()


def _refused(message: str, hint: str = _WRITE) -> GoalError:
    return GoalError(message, hint, field="measured")


class _Reader:
    """Typed access to one document; errors name the key."""

    def __init__(self, file: str, document: Mapping[str, Any]) -> None:
        self.file, self.document = file, document
        self.unknown: list[str] = []

    def goodput(self) -> Measurement:
        document = self.document
        nodes, speed = self.count(document, "nodes"), self.number(document, "tokens_per_second")
        throughputs: tuple[Throughput, ...] = ()
        if nodes is None or speed is None:
            self.lacks("throughput", "nodes" if nodes is None else "tokens_per_second")
        else:
            per_step = self.number(document, "tokens_per_step")
            throughputs = (Throughput(nodes, speed, 1, per_step),)
        parts = self.mapping(document, "parts")
        failures, restarts = self.failures()
        saves, save_seconds = self.saves(parts)
        return Measurement(
            file=self.file,
            command=GOODPUT,
            instance_type=self.text(document, "instance_type"),
            workload=self.workload(),
            throughputs=throughputs,
            failures=failures,
            node_days=self.node_days(nodes, parts) if failures is not None else None,
            save_seconds=save_seconds,
            saves=saves,
            restart_minutes=restarts,
            notes=self.contradictions(),
            unknown=tuple(self.unknown),
        )

    def scaling(self) -> Measurement:
        found = []
        for index, point in enumerate(self.sequence(self.document, "points")):
            where = f"points[{index}]."
            if not isinstance(point, Mapping):
                raise _refused(f"{self.file}: points[{index}] is not an object")
            nodes = self.count(point, "nodes", where)
            speed = self.number(point, "tokens_per_second", where)
            runs = self.count(point, "runs", where)
            if nodes is None or runs is None:
                raise _refused(
                    f"{self.file}: {where}{'nodes' if nodes is None else 'runs'} is missing"
                )
            if speed is None:
                self.unknown.append(
                    f"throughput on {nodes:,} nodes: {self.file} states no tokens_per_second"
                )
                continue
            per_step = self.number(point, "tokens_per_step", where)
            found.append(Throughput(nodes, speed, runs, per_step))
        if not found:
            self.lacks("throughput", "point with tokens_per_second")
        self.not_in(SCALING)
        return Measurement(
            file=self.file,
            command=SCALING,
            instance_type=self.text(self.document, "instance_type"),
            workload=self.workload(),
            throughputs=tuple(found),
            unknown=tuple(self.unknown),
        )

    def sweep(self) -> Measurement:
        found, rates = [], []
        for index, point in enumerate(self.sequence(self.document, "points")):
            where = f"points[{index}]."
            if not isinstance(point, Mapping):
                raise _refused(f"{self.file}: points[{index}] is not an object")
            nodes = self.count(point, "nodes", where)
            layout = self.layout(point, where)
            if nodes is None or layout is None:
                missing = "nodes" if nodes is None else "layout"
                raise _refused(f"{self.file}: {where}{missing} is missing")
            speed = self.number(point, "tokens_per_second", where)
            outcome = self.text(point, "outcome", where)
            if speed is None and outcome != "out of memory":
                self.unknown.append(f"throughput of {layout.text}: {outcome or 'not measured'}")
                continue
            found.append(MeasuredLayout(layout, nodes, speed))
            if speed is not None:
                per_step = self.number(point, "tokens_per_step", where)
                rates.append(Throughput(nodes, speed, 1, per_step, layout))
        if not rates:
            self.lacks("throughput", "point with tokens_per_second")
        self.not_in(LAYOUTS)
        fastest = max(rates, key=lambda one: one.tokens_per_second, default=None)
        return Measurement(
            file=self.file,
            command=LAYOUTS,
            instance_type=self.text(self.document, "instance_type"),
            workload=self.workload(),
            throughputs=() if fastest is None else (fastest,),
            layouts=tuple(found),
            unknown=tuple(self.unknown),
        )

    def layout(self, point: Mapping[str, Any], where: str) -> Layout | None:
        """The layout of a point."""
        found = self.mapping(point, "layout")
        if found is None:
            return None
        values: dict[str, Any] = {}
        for one in fields(Layout):
            if one.name in ("recompute", "sharding"):
                value: Any = self.text(found, one.name, f"{where}layout.")
            elif one.name == "recompute_share":
                value = self.number(found, one.name, f"{where}layout.", zero=True)
            else:
                value = self.count(found, one.name, f"{where}layout.")
            if value is not None:
                values[one.name] = value
        return Layout(**values)

    def not_in(self, command: str) -> None:
        """What a report of short runs leaves unknown."""
        for what in ("failures", "checkpoints", "restarts"):
            self.unknown.append(f"{what}: `{command}` does not state them")

    def failures(self) -> tuple[int | None, tuple[float, ...]]:
        """Unexpected ends of attempts that had trained, and the minutes until the next step."""
        attempts = self.sequence(self.document, "attempts")
        failed: set[int] = set()
        for index, attempt in enumerate(attempts):
            if not isinstance(attempt, Mapping):
                raise _refused(f"{self.file}: attempts[{index}] is not an object")
            where = f"attempts[{index}]."
            state = self.text(attempt, "state", where)
            word = "" if state is None else state.split()[0].upper() if state.split() else ""
            if self.count(attempt, "last_step", where, zero=True) is None:
                continue
            if word not in UNEXPECTED | EXPECTED:
                why = f"state {word}" if word else "no state: `report goodput --sacct FILE` has it"
                job = self.text(attempt, "job_id", where)
                named = f"job {job}" if job else f"attempt {index + 1}"
                self.unknown.append(f"failures and restarts: {named} of {self.file} has {why}")
                return None, ()
            # A program that starts again within its job ended unexpectedly, too.
            again = index + 1 < len(attempts) and word in {"COMPLETED", "RUNNING"}
            if word in UNEXPECTED or again:
                failed.add(index)
        if not attempts:
            self.lacks("failures and restarts", "attempts")
            return None, ()
        return len(failed), tuple(self.restarts(failed))

    def restarts(self, failed: set[int]) -> list[float]:
        """Minutes without training after the attempts that failed, if training went on."""
        found = []
        ended: float | None = None
        last = -1
        for index, span in enumerate(self.sequence(self.document, "spans")):
            if not isinstance(span, Mapping):
                raise _refused(f"{self.file}: spans[{index}] is not an object")
            where = f"spans[{index}]."
            begin = self.number(span, "begin_s", where, zero=True)
            end = self.number(span, "end_s", where, zero=True)
            attempt = self.count(span, "attempt", where, zero=True)
            if begin is None or end is None or attempt is None or end < begin:
                raise _refused(f"{self.file}: spans[{index}] has no begin, end or attempt")
            if self.text(span, "part", where) not in _TRAINING:
                continue
            if ended is not None and attempt != last and last in failed and begin > ended:
                found.append((begin - ended) / 60)
            ended, last = end, attempt
        return found

    def saves(self, parts: Mapping[str, Any] | None) -> tuple[int, float | None]:
        """Number of checkpoints and the mean seconds that one blocks."""
        count = self.count(self.document, "saves", zero=True)
        blocked = (
            None if parts is None else self.number(parts, "checkpoint_s", "parts.", zero=True)
        )
        if not count or not blocked:
            key = "saves" if not count else "parts.checkpoint_s"
            self.lacks("checkpoints", key)
            return 0, None
        return count, blocked / count

    def node_days(self, nodes: int | None, parts: Mapping[str, Any] | None) -> float | None:
        wall = self.number(self.document, "wall_s")
        if nodes is None or parts is None or wall is None:
            self.lacks("failures per node and day", "nodes" if nodes is None else "wall_s")
            return None
        away = sum(
            self.number(parts, key, "parts.", zero=True) or 0 for key in ("queue_s", "down_s")
        )
        return nodes * max(0.0, wall - away) / 86_400 or None

    def workload(self) -> Workload:
        found = self.mapping(self.document, "workload") or {}
        where = "workload."
        return Workload(
            model=self.text(found, "model", where),
            params=self.number(found, "params", where),
            seq_len=self.count(found, "seq_len", where),
            precision=self.text(found, "precision", where),
            kind=self.text(found, "kind", where),
        )

    def contradictions(self) -> tuple[str, ...]:
        codes = [
            str(one.get("code"))
            for one in self.sequence(self.document, "findings")
            if isinstance(one, Mapping)
        ]
        if not codes:
            return ()
        return (f"{self.file}: logs and accounting contradict each other ({', '.join(codes)})",)

    def lacks(self, what: str, key: str) -> None:
        self.unknown.append(f"{what}: {self.file} states no {key}")

    def number(
        self, of: Mapping[str, Any], key: str, where: str = "", *, zero: bool = False
    ) -> float | None:
        value = of.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise _refused(f"{self.file}: {where}{key} is {str(value)[:40]!r}, not a number")
        if not _finite(value) or value < 0 or (value == 0 and not zero):
            least = "0 or more" if zero else "positive"
            raise _refused(f"{self.file}: {where}{key} is {value!r:.40}, not {least}")
        return float(value)

    def count(
        self, of: Mapping[str, Any], key: str, where: str = "", *, zero: bool = False
    ) -> int | None:
        value = self.number(of, key, where, zero=zero)
        if value is not None and not value.is_integer():
            raise _refused(f"{self.file}: {where}{key}: expected an integer, got {value:g}")
        return None if value is None else int(value)

    def text(self, of: Mapping[str, Any], key: str, where: str = "") -> str | None:
        value = of.get(key)
        if value is not None and not isinstance(value, str):
            raise _refused(
                f"{self.file}: {where}{key}: expected a string, got {str(value)[:40]!r}"
            )
        return value

    def mapping(self, of: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
        value = of.get(key)
        if value is not None and not isinstance(value, Mapping):
            raise _refused(f"{self.file}: {key} is not an object")
        return value

    def sequence(self, of: Mapping[str, Any], key: str) -> Sequence[Any]:
        value = of.get(key)
        if value is not None and not isinstance(value, list):
            raise _refused(f"{self.file}: {key} is not a list")
        return value or ()


def _finite(value: float) -> bool:
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False
