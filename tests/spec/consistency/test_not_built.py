"""What the contract has and nothing builds yet."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.spec.consistency import not_built
from tests.support.consistency import found
from tests.support.rich_specs import EXISTING, SCRIPTED


def test_consistent_specs_pass() -> None:
    assert found(not_built.problems) == {}
    assert found(not_built.problems, base=EXISTING) == {}
    assert found(not_built.problems, base=SCRIPTED) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        ({"platform": "hyperpod-eks"}, "platform", "platform hyperpod-eks is not built yet"),
        ({"platform": "parallelcluster"}, "platform", "not built yet"),
        ({"platform": "eks"}, "platform", "not built yet"),
    ],
)
def test_contradictions_are_found(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(not_built.problems, changes)
    assert list(problems) == [path]
    assert message in problems[path]
