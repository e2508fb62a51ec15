"""Promises in the verdicts that pages show have the texts of the scenarios."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clusterwright_rehearsal.deployment import PROMISE_TEXT
from clusterwright_rehearsal.scenario_loader import scenarios
from tests.docs.shown import PAGES, ROOT

_PROMISE = re.compile(r"^  (?:passed|failed|unknown) +([a-z0-9-]+) +[\d.]+ s  (.+)$", re.MULTILINE)
_SHOWN = {path: _PROMISE.findall(path.read_text(encoding="utf-8")) for path in PAGES}


@pytest.mark.parametrize(
    "path", [path for path, found in _SHOWN.items() if found], ids=lambda p: p.name
)
def test_shown_promises_have_the_texts_of_their_scenarios(path: Path) -> None:
    known = {(name, text) for scenario in scenarios() for name, text in scenario.promises.items()}
    known.add(("deploys", PROMISE_TEXT))
    assert [row for row in _SHOWN[path] if row not in known] == []


def test_the_readme_shows_a_verdict() -> None:
    assert len(_SHOWN[ROOT / "README.md"]) > 5
