"""Records are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from clusterwright_common import records

from clusterwright.cluster_state.acceptance import MAXIMUM_BYTES


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "record.json"
    records.write(path, {"b": 1, "a": [2]})
    assert records.read(path) == {"a": [2], "b": 1}
    assert [found.name for found in path.parent.iterdir()] == ["record.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", "3"])
def test_unreadable_record_is_empty(tmp_path: Path, text: str) -> None:
    path = tmp_path / "record.json"
    assert records.read(path) == {}
    path.write_text(text)
    assert records.read(path) == {}


def test_failed_write_keeps_the_old_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "record.json"
    records.write(path, {"a": 1})

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        records.write(path, {"a": 2})
    assert records.read(path) == {"a": 1}
    assert [found.name for found in tmp_path.iterdir()] == ["record.json"]


def test_overlong_record_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text('{"a": "' + "x" * records.LARGEST_BYTES + '"}')
    assert records.read(path) == {}
    assert set(records.read(path, records.LARGEST_REPORT_BYTES)) == {"a"}


def test_the_command_elsewhere_reads_reports_of_the_same_size() -> None:
    assert records.LARGEST_REPORT_BYTES == MAXIMUM_BYTES
