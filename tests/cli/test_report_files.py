"""Rates and accelerators of the cluster's nodes, and limits of what is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.cli import report_files
from clusterwright.cli.errors import UserError
from clusterwright.cli.inputs import load_or_exit

EXAMPLES = Path(__file__).parents[2] / "configs/examples"


@pytest.mark.parametrize(
    ("example", "instance_type", "accelerators", "processes"),
    [
        ("p5-2", "p5.48xlarge", 8, 8),
        # A Trainium device has several cores, and each core a process.
        ("trn1-1", "trn1.32xlarge", 16, None),
        ("p5-127-trn1-24", None, None, None),
    ],
)
def test_prices(
    example: str, instance_type: str | None, accelerators: int | None, processes: int | None
) -> None:
    path = EXAMPLES / f"{example}.yaml"
    spec = load_or_exit(path, command="report goodput")
    found = report_files.prices_of(
        spec, path, None, command="report goodput", output_format="text"
    )
    assert (found.instance_type, found.accelerators) == (instance_type, accelerators)
    assert found.processes == processes
    assert bool(found.reason) == (found.usd_per_node_hour is None)


def test_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_files, "MAXIMUM_FILES", 1)
    (tmp_path / "a").write_text("")
    (tmp_path / "b").write_text("")
    with pytest.raises(UserError, match="has 2 files, at most 1 are read"):
        report_files.read_logs(tmp_path)


def test_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_files, "MAXIMUM_LOG_BYTES", 3)
    (tmp_path / "a").write_text("long")
    with pytest.raises(UserError, match="it has more than 3 bytes"):
        report_files.read_logs(tmp_path)
