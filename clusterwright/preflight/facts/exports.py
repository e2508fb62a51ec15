"""The export state of a file system that is to be deleted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws import fsx
from clusterwright.preflight.facts.fact import Fact, Reading, answered, ask


@dataclass(frozen=True)
class Exports:
    """A file system with its associations and tasks, and its CloudWatch metrics.

    `oldest_pending_seconds` is None without a datapoint; `written_bytes` is what clients wrote in
    the last 15 minutes, `written_since_export` since the newest export that succeeded (None
    without such an export, or without a datapoint).
    """

    file_system: fsx.ExportSource
    associations: tuple[fsx.DataRepositoryAssociation, ...]
    tasks: tuple[fsx.ExportTask, ...]
    oldest_pending_seconds: float | None
    written_bytes: float | None
    written_since_export: float | None

    @property
    def last_export(self) -> fsx.ExportTask | None:
        """Return the newest task that exported all its files."""
        return next((task for task in self.tasks if task.succeeded), None)


@dataclass(frozen=True)
class ExportState(Fact[tuple[Exports, ...]]):
    """Every file system of that id, or with that tag Name: none, one, or several."""

    id: str | None
    name: str
    actions: ClassVar = (
        "fsx:DescribeFileSystems",
        "fsx:DescribeDataRepositoryAssociations",
        "fsx:DescribeDataRepositoryTasks",
        "cloudwatch:GetMetricStatistics",
    )
    inventory: ClassVar = True

    def read(self) -> Reading[tuple[Exports, ...]]:
        (answer,) = yield [ask(fsx.export_sources)]
        everything: tuple[fsx.ExportSource, ...] = answered(answer)
        found = []
        for one in everything:
            wanted = one.id == self.id if self.id is not None else one.name == self.name
            if wanted:
                found.append((yield from _exports(one)))
        return tuple(found)


def _exports(one: fsx.ExportSource) -> Reading[Exports]:
    if one.kind != "LUSTRE":
        return Exports(one, (), (), None, None, None)
    answers = yield [
        ask(fsx.associations, one.id),
        ask(fsx.export_tasks, one.id),
        ask(fsx.oldest_pending_export_seconds, one.id),
        ask(fsx.written_bytes, one.id, None),
    ]
    associations, tasks, pending, written = (answered(answer) for answer in answers)
    known = Exports(one, associations, tasks, pending, written, None)
    since = None
    if known.last_export is not None:
        (answer,) = yield [ask(fsx.written_bytes, one.id, known.last_export.created)]
        since = answered(answer)
    return Exports(one, associations, tasks, pending, written, since)
