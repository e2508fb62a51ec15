"""A migration as text and Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clusterwright.migration.results import Costs, Migration, MigrationReport, Note
from clusterwright.render.migration import SECTIONS, migration_markdown, migration_text
from tests.support.bills import bill_of


def report(folder: Path, *, loads: bool = True, **changes: Any) -> MigrationReport:
    notes: dict[str, Any] = {
        "lost": (Note("resilience", "no deep health checks", "check GPUs by hand"),),
        "gained": (),
        "moves": (Note("compute[1]", "compute[1] is renamed"),),
        "decisions": (Note("", "the database is | new"),),
    }
    migration = Migration("hyperpod-slurm", "eks", "text", **notes)
    bill = bill_of(folder)
    values: dict[str, Any] = {
        "open_points": (Note("tenants", "must be set"),),
        "unknown": (),
        "costs": Costs(bill, bill if loads else None),
        "file": "dev.yaml",
        "written": None,
    }
    return MigrationReport(migration, **{**values, **changes})


def test_text_has_the_sections_with_notes(tmp_path: Path) -> None:
    lines = migration_text(report(tmp_path)).splitlines()
    assert lines[0] == "dev.yaml: hyperpod-slurm → eks"
    titles = dict(SECTIONS)
    assert [line for line in lines if line in titles.values()] == [
        titles[key] for key in ("decisions", "open", "lost", "moves")
    ]
    assert "  - resilience: no deep health checks" in lines
    assert "    → check GPUs by hand" in lines
    # The path is not repeated.
    assert "  - compute[1] is renamed" in lines
    assert lines[-1] == "--write FILE writes the new spec"


def test_costs_of_both_clusters(tmp_path: Path) -> None:
    text = migration_text(report(tmp_path, written="new.yaml"))
    assert "  before (hyperpod-slurm): about " in text
    assert "  after (hyperpod-slurm): about " in text
    assert "  before, known parts: " in text
    assert "--write FILE" not in text
    unknown = migration_text(report(tmp_path, loads=False))
    assert "  after: unknown until the new spec loads" in unknown


def test_markdown(tmp_path: Path) -> None:
    text = migration_markdown(report(tmp_path))
    assert text.startswith("## `dev.yaml`: hyperpod-slurm to eks\n\n### ")
    assert f"### {dict(SECTIONS)['decisions']}\n" in text
    assert "| – | the database is \\| new | – |" in text
    assert "| resilience | no deep health checks | check GPUs by hand |" in text
    assert "- before (hyperpod-slurm): about " in text
