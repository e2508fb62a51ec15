"""Time of NCCL's operations by number of nodes, from the files of NCCL Inspector.

Files for Prometheus have means only. Its other files have a line of JSON for each operation, so
that the time of all is known (NVIDIA/nccl, plugins/profiler/inspector, README.md and
inspector_json.cc, read 2026-11-29). The duration of an operation is that of its kernel on a GPU:
it includes waiting for other ranks, and computation may run at the same time.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from clusterwright.goodput.results import CollectiveTime, Unknown
from clusterwright.job_logs.nccl_inspector import samples

WHAT: Final = "the collective that dominates"
_MEANS: Final = {
    "nccl_collective_exec_time_microseconds": "collective",
    "nccl_p2p_exec_time_microseconds": "p2p_operation",
}
_RECORDS: Final = (b'"coll_perf"', b'"p2p_perf"', b'"dump_stats"')
_NUMBER: Final = re.compile(r"\d+")
_MOST_NAMED: Final = 4


@dataclass(frozen=True)
class Operation:
    """Operations of one kind and size in a file: the sum of their microseconds and their number.

    `count` is None where the file has a mean: then `microseconds` is that mean.
    """

    name: str
    least_bytes: int
    microseconds: float
    count: int | None


@dataclass(frozen=True)
class InspectorFile:
    """A file of NCCL Inspector.

    Attributes
    ----------
    path:
        Relative to the folder that was read.
    job:
        The Slurm job that the file states; None if it states none.
    dropped:
        Operations that were overwritten before they were written.
    """

    path: str
    operations: tuple[Operation, ...]
    job: str | None = None
    dropped: int = 0

    @property
    def numbers(self) -> tuple[str, ...]:
        """The numbers in the names of its folders, of which one may be the job's id."""
        return tuple(_NUMBER.findall(PurePosixPath(self.path).parent.as_posix()))


def read_means(path: str, text: str) -> InspectorFile:
    """A file for Prometheus."""
    found = []
    jobs = set()
    for sample in samples(text):
        operation = sample.labels.get(_MEANS.get(sample.name, ""))
        if operation and math.isfinite(sample.value) and sample.value > 0:
            found.append(Operation(operation, sample.least_bytes, sample.value, None))
            jobs.add(sample.labels.get("slurm_job_id", ""))
    job = jobs.pop() if len(jobs) == 1 else ""
    return InspectorFile(path, tuple(found), job if job.isdigit() else None)


def has_record(head: bytes) -> bool:
    """Whether the first bytes of a file have a record of Inspector, as each of its lines has."""
    return any(word in head for word in _RECORDS)


def read_operations(path: str, lines: Iterable[bytes]) -> InspectorFile | None:
    """A file with a line of JSON for each operation; None if it has no record of Inspector."""
    sums: dict[tuple[str, int], list[float]] = {}
    dropped, is_inspector = 0, False
    for line in lines:
        if not has_record(line):
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(record, Mapping):
            continue
        is_inspector = True
        for kind in ("coll", "p2p"):
            _add(sums, record.get(f"{kind}_perf"), kind)
            dropped += _count(record.get("dump_stats"), f"{kind}_dropped_since_last_dump")
    if not is_inspector:
        return None
    operations = tuple(
        Operation(name, size, microseconds, int(count))
        for (name, size), (microseconds, count) in sums.items()
    )
    return InspectorFile(path, operations, None, dropped)


def _add(sums: dict[tuple[str, int], list[float]], found: object, kind: str) -> None:
    if not isinstance(found, Mapping):
        return
    name, microseconds = found.get(kind), _number(found.get(f"{kind}_exec_time_us"))
    size = _number(found.get(f"{kind}_msg_size_bytes"))
    if isinstance(name, str) and name and microseconds and size is not None:
        own = sums.setdefault((name, int(size)), [0.0, 0.0])
        own[0] += microseconds
        own[1] += 1


def _count(found: object, key: str) -> int:
    value = _number(found.get(key)) if isinstance(found, Mapping) else None
    return int(value or 0)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 <= value < 1e18 else None


def nodes_text(numbers: Sequence[int]) -> str:
    """`1 node`, `2, 1,024 nodes`."""
    word = "node" if list(numbers) == [1] else "nodes"
    return f"{', '.join(f'{number:,}' for number in numbers)} {word}"


def collective_times(
    files: Sequence[InspectorFile],
    nodes_of: Mapping[str, set[int]],
    wanted: Collection[int] = (),
) -> tuple[tuple[CollectiveTime, ...], tuple[Unknown, ...]]:
    """Operations by number of nodes, those with most time first, and what is unknown.

    Parameters
    ----------
    nodes_of:
        Numbers of nodes of the runs by the numbers of their logs' names and by job. Where all runs
        have one number of nodes, it is that of every file.
    wanted:
        Numbers of nodes of the runs that are compared: those without an operation are named.
    """
    unknown: list[Unknown] = []
    by_nodes: dict[int, list[InspectorFile]] = defaultdict(list)
    lost: dict[str, set[str]] = defaultdict(set)
    for file in files:
        nodes = _nodes(file, nodes_of)
        if nodes is None:
            numbers = lost[PurePosixPath(file.path).parent.as_posix()]
            numbers.update(file.numbers, (file.job,) if file.job else ())
        else:
            by_nodes[nodes].append(file)
    unknown += [_lost(folder, lost[folder], nodes_of) for folder in sorted(lost)]
    found: list[CollectiveTime] = []
    for nodes in sorted(by_nodes):
        found += _of(nodes, by_nodes[nodes], unknown)
    if not found and not lost:
        unknown.append(Unknown(WHAT, "no file of NCCL Inspector has an operation"))
    else:
        unknown += _without_operation(set(wanted) - {one.nodes for one in found}, set(by_nodes))
    return tuple(found), tuple(unknown)


def _lost(folder: str, numbers: Collection[str], nodes_of: Mapping[str, set[int]]) -> Unknown:
    """The files of a folder, by whose numbers no number of nodes is found."""
    where = "in the folder itself" if folder == "." else f"in {folder}"
    if not numbers:
        reason = "no folder's name has a number, which would be that of a run's log or of a job"
    elif any(number in nodes_of for number in numbers):
        reason = "they have numbers of runs on different numbers of nodes"
    else:
        named = ", ".join(sorted(numbers)[:_MOST_NAMED]) + (
            f" or {len(numbers) - _MOST_NAMED:,} more" if len(numbers) > _MOST_NAMED else ""
        )
        reason = f"no run's log and no job of the accounting has the number {named}"
    return Unknown(
        f"nodes of NCCL Inspector's files {where}",
        reason,
        "a folder for each run, with the job's id in its name",
    )


def _without_operation(lacking: Collection[int], with_files: Collection[int]) -> list[Unknown]:
    """The numbers of nodes without an operation: those without files, and those with."""
    found = []
    for reason, numbers in (
        (
            "no file of NCCL Inspector belongs to these runs",
            [nodes for nodes in sorted(lacking) if nodes not in with_files],
        ),
        (
            "NCCL Inspector's files of these runs have no operation",
            [nodes for nodes in sorted(lacking) if nodes in with_files],
        ),
    ):
        if numbers:
            found.append(Unknown(f"{WHAT} on {nodes_text(numbers)}", reason))
    return found


def _nodes(file: InspectorFile, nodes_of: Mapping[str, set[int]]) -> int | None:
    every = set().union(*nodes_of.values())
    if len(every) == 1:
        return next(iter(every))
    for numbers in (file.numbers, (file.job,) if file.job else ()):
        # A number that runs of different sizes have, as in a date, tells nothing.
        own = set().union(*(s for n in numbers if len(s := nodes_of.get(n, set())) == 1))
        if len(own) == 1:
            return next(iter(own))
    return None


def _of(
    nodes: int, files: Sequence[InspectorFile], unknown: list[Unknown]
) -> list[CollectiveTime]:
    """The operations on a number of nodes, of files with every operation where there are any."""
    every = [o for file in files for o in file.operations if o.count is not None]
    operations = every or [o for file in files for o in file.operations]
    dropped = sum(file.dropped for file in files)
    if dropped:
        text = f"{dropped:,} operations were overwritten before NCCL Inspector wrote them"
        hint = "a larger NCCL_INSPECTOR_DUMP_COLL_RING_SIZE, or a shorter interval"
        unknown.append(Unknown(f"some operations on {nodes_text([nodes])}", text, hint))
    if not operations:
        return []
    if not every:
        unknown.append(
            Unknown(
                f"{WHAT} on {nodes_text([nodes])}",
                "files of NCCL Inspector for Prometheus have means without a number of operations",
                "NCCL_INSPECTOR_PROM_DUMP=0 writes every operation",
            )
        )
    sums: dict[str, dict[int, list[float]]] = defaultdict(dict)
    for one in operations:
        own = sums[one.name].setdefault(one.least_bytes, [0.0, 0.0])
        own[0] += one.microseconds
        own[1] += 1 if one.count is None else one.count
    total = sum(each[0] for sizes in sums.values() for each in sizes.values())
    found = []
    for name, sizes in sums.items():
        longest, size = max((each[0] / each[1], size) for size, each in sizes.items())
        time = sum(each[0] for each in sizes.values())
        found.append(
            CollectiveTime(
                nodes=nodes,
                operation=name,
                share=time / total if every else None,
                operations=int(sum(each[1] for each in sizes.values())) if every else None,
                longest_us=longest,
                longest_bytes=size,
            )
        )
    return sorted(found, key=lambda one: (-(one.share or 0.0), -one.longest_us, one.operation))
