"""The bench of acceptance measures a run in which every node passes."""

from __future__ import annotations

import pytest

from benchmarks import acceptance
from benchmarks.acceptance import acceptance_comparisons


def test_a_run_is_measured_beside_the_checks_of_one_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acceptance, "CHECK_SECONDS", 0.01)
    (found,) = acceptance_comparisons()
    assert found.name == "acceptance, level quick, 32 nodes whose checks take 0.01 s"
    assert found.target_ratio == 1.5
    assert found.beside() >= 0.01
    assert found.ours() >= 0.01


def test_a_node_that_is_not_accepted_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acceptance, "CHECK_SECONDS", 0.0)
    good = acceptance._result

    def one_untested(name: str) -> dict[str, object]:
        return good(name) if name != "n7" else {**good(name), "checks": [], "verdict": "unknown"}

    monkeypatch.setattr(acceptance, "_result", one_untested)
    with pytest.raises(RuntimeError, match="not every node is accepted"):
        acceptance_comparisons()[0].ours()
