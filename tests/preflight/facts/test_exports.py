"""The export state of file systems."""

from __future__ import annotations

import datetime as dt
from typing import Any

from clusterwright.aws.fsx import ExportSource, ExportTask
from clusterwright.preflight.facts.exports import Exports, ExportState

CREATED = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)


def source(name: str, kind: str = "LUSTRE") -> ExportSource:
    return ExportSource(f"fs-{name}", name, kind, "AVAILABLE", "PERSISTENT_2", CREATED, None)


def task(lifecycle: str, failed: int, day: int) -> ExportTask:
    created = CREATED + dt.timedelta(days=day)
    return ExportTask("task-1", lifecycle, (), created, None, failed)


def read(fact: ExportState, *rounds: list[Any]) -> Any:
    reading = fact.read()
    next(reading)
    for answers in rounds:
        try:
            reading.send(answers)
        except StopIteration as end:
            return end.value
    raise AssertionError("it asks further")


def test_a_file_system_by_its_name() -> None:
    exported = task("SUCCEEDED", 0, 1)
    (found,) = read(
        ExportState(None, "fsx"),
        [(source("fsx"), source("other"))],
        [(), (task("FAILED", 3, 2), exported), 0.0, 12.0],
        [5.0],
    )
    assert found.file_system == source("fsx")
    assert found.last_export == exported
    assert (found.written_bytes, found.written_since_export) == (12.0, 5.0)


def test_without_an_export_nothing_is_known_since() -> None:
    (found,) = read(ExportState("fs-fsx", ""), [(source("fsx"),)], [(), (), None, None])
    assert found == Exports(source("fsx"), (), (), None, None, None)


def test_only_lustre_has_exports() -> None:
    home = source("home", "OPENZFS")
    assert read(ExportState(None, "home"), [(home,)]) == (Exports(home, (), (), None, None, None),)
    assert read(ExportState(None, "missing"), [(home,)]) == ()
