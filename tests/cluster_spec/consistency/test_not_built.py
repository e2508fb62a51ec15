"""What the contract has and nothing builds yet."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.consistency import not_built
from tests.support.consistency import found
from tests.support.rich_specs import EXISTING, SCRIPTED


def test_consistent_specs_pass() -> None:
    assert found(not_built.problems) == {}
    assert found(not_built.problems, base=EXISTING) == {}
    assert found(not_built.problems, base=SCRIPTED) == {}


def test_a_platform_without_stacks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(not_built, "BUILT_PLATFORMS", ("hyperpod-slurm",))
    problems = found(not_built.problems, {"platform": "parallelcluster"})
    assert problems == {"platform": "platform parallelcluster is not built yet"}


def test_a_key_that_nothing_reads_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(not_built, "NOT_BUILT", ("tags",))
    changes: dict[str, Any] = {"tags": {"owner": "me"}}
    assert found(not_built.problems, changes) == {"tags": "`tags` is not built yet"}
    assert found(not_built.problems, {"tags": {}}) == {}
