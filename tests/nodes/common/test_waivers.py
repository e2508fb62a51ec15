"""Waivers that a request brought."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from clusterwright_common import waivers

ROW = {"check": "nvlink", "reason": "the vendor replaces it", "expires": "2026-12-07"}
READ = {**ROW, "nodes": [], "groups": []}


@pytest.mark.parametrize("check", ["nvlink", "equal-versions", "pairs", "deep-health-check"])
def test_every_check_can_be_waived(check: str) -> None:
    assert waivers.read([{**ROW, "check": check}]) == [{**READ, "check": check}]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("nvlink", "waivers[0] must have the keys check, expires, groups, nodes, reason"),
        ({**ROW, "action": "x"}, "waivers[0] must have the keys check, expires, groups, nodes"),
        ({**ROW, "check": "rm -rf"}, "waivers[0]: no check is called rm -rf"),
        ({**ROW, "check": ["nvlink"]}, "waivers[0]: no check is called"),
        ({**ROW, "reason": "short"}, "waivers[0]: the reason must have 10 to 1000 characters"),
        ({**ROW, "reason": "x" * 1001}, "waivers[0]: the reason must have 10 to 1000 characters"),
        (
            {**ROW, "reason": "a \x1b[31m red text"},
            "waivers[0]: the reason has the invisible character U+001B",
        ),
        (
            {**ROW, "reason": "the vendor re\u00adplaces it"},
            "waivers[0]: the reason has the invisible character U+00AD",
        ),
        ({**ROW, "reason": None}, "waivers[0]: the reason must have"),
        ({**ROW, "expires": "2026-02-30"}, "waivers[0]: expires must be a day"),
        ({**ROW, "expires": "20261207"}, "waivers[0]: expires must be a day"),
        ({**ROW, "expires": None}, "waivers[0]: expires must be a day"),
        ({**ROW, "nodes": "n1"}, "waivers[0].nodes must be a list of at most 1000 names"),
        ({**ROW, "nodes": ["n1;reboot"]}, "waivers[0].nodes must be names"),
        ({**ROW, "groups": ["g"] * 1001}, "waivers[0].groups must be a list of at most 1000"),
    ],
)
def test_a_malformed_waiver_is_refused(row: Any, said: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(said)}"):
        waivers.read([row])


def test_there_is_a_largest_number() -> None:
    assert len(waivers.read([ROW] * 1000)) == 1000
    with pytest.raises(ValueError, match="a list of at most 1000"):
        waivers.read([ROW] * 1001)


def test_they_are_replaced_as_a_whole_and_a_damaged_file_has_none(tmp_path: Path) -> None:
    said: list[str] = []
    assert waivers.load(tmp_path, said.append) == []
    waivers.keep(tmp_path, [READ], "r1", "ada", "2026-11-23T08:00:00Z")
    other = {**READ, "check": "clock"}
    waivers.keep(tmp_path, [other], "r2", "ada", "2026-11-23T09:00:00Z")
    assert waivers.load(tmp_path, said.append) == [other]
    assert said == []
    text = (tmp_path / waivers.FILE).read_text()
    for damaged in (text.replace("clock", "rm"), text[:-20], "[]"):
        (tmp_path / waivers.FILE).write_text(damaged)
        assert waivers.load(tmp_path, said.append) == []


def test_a_kept_waiver_that_is_not_valid_is_left_out_and_the_others_apply(tmp_path: Path) -> None:
    gone = {**READ, "check": "check-of-older-scripts"}
    waivers.keep(tmp_path, [gone, READ], "r1", "ada", "2026-11-23T08:00:00Z")
    said: list[str] = []
    assert waivers.load(tmp_path, said.append) == [READ]
    assert said == [
        "waivers.json: waivers[0]: no check is called check-of-older-scripts: it does not apply"
    ]


def test_groups() -> None:
    rows = [READ, {**READ, "groups": ["a"]}]
    assert waivers.of_group(rows, "a") == rows
    assert waivers.of_group(rows, "b") == rows[:1]
