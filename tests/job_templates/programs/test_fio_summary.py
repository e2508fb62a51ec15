"""The sum of the nodes' fio results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.job_templates.programs.loading import program

fio_summary = program("fio_summary")


def result(value: float, way: str = "write", error: int = 0) -> str:
    return json.dumps({"jobs": [{"error": error, way: {"bw_bytes": value}}]})


def test_a_warning_before_the_document() -> None:
    text = "fio: native_fallocate call failed\n" + result(2.5e9)
    assert fio_summary.megabytes_per_second(text, "write") == 2500


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "unknown form"),
        ("{}", "unknown form"),
        ("[{]", "unknown form"),
        (result(1e9, "read"), "unknown form"),
        (result(1e9, error=28), "error 28"),
        (result(0), "nothing was transferred"),
    ],
)
def test_bad_results(text: str, reason: str) -> None:
    with pytest.raises(fio_summary.BadResultError, match=reason):
        fio_summary.megabytes_per_second(text, "write")


def test_the_slowest_nodes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number, value in enumerate((4e9, 4e9, 1e9, 4e9)):
        (tmp_path / f"node-{number}.json").write_text(result(value))
    assert fio_summary.main(["--nodes=4", "--way=write", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "write: 4 nodes, together 13000 MB/s, median 4000 MB/s"
    assert lines[1] == "  node-2 1000 MB/s, 25% of the median"
    assert len(lines) == 4


def test_a_node_without_a_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "node-1.json").write_text(result(1e9))
    (tmp_path / "node-2.json").write_text("")
    assert fio_summary.main(["--nodes=3", "--way=write", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "node-2: the result has an unknown form" in out
    assert "2 of 3 nodes have no result" in out
