"""The hardware that a healthy node has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from clusterwright_common.probe import Probe
from clusterwright_health.expected import FILE, Expected, NoExpectation, read_expected, written

EXPECTED = Expected("workers-1", "nvidia", 8, 32, ("/fsx", "/home"), "/scratch")


def probe_with(folder: Path, text: str) -> Probe:
    path = folder / FILE.lstrip("/")
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return Probe(str(folder))


@pytest.mark.parametrize("expected", [EXPECTED, Expected("login-1", "none", 0, 0, (), None)])
def test_what_is_written_is_read(expected: Expected, tmp_path: Path) -> None:
    assert read_expected(probe_with(tmp_path, written(expected))) == expected


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(NoExpectation, match=f"{FILE} cannot be read"):
        read_expected(Probe(str(tmp_path)))


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", json.dumps({**json.loads(written(EXPECTED)), "efa_count": "many"})],
)
def test_a_file_of_another_form(text: str, tmp_path: Path) -> None:
    with pytest.raises(NoExpectation, match="is not a valid file of the node program"):
        read_expected(probe_with(tmp_path, text))
