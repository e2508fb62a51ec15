"""Outcomes of checks."""

from __future__ import annotations

import pytest
from clusterwright_acceptance.outcome import Outcome, against_floor, failed, from_json, passed


def test_value_is_compared_with_the_floor() -> None:
    assert against_floor(452.0, "GB/s", 452.0, "NVIDIA") == Outcome(
        "pass", "", 452.0, 452.0, "GB/s", "NVIDIA"
    )
    found = against_floor(451.9, "GB/s", 452.0, "NVIDIA", what="GPU 0")
    assert found.reason == "GPU 0: 451.9 GB/s, the floor is 452 GB/s"
    assert (found.verdict, found.action) == ("fail", "check")


def test_without_a_floor_it_is_unknown() -> None:
    found = against_floor(600.0, "GB/s", None, "B200 was not measured")
    assert (found.verdict, found.value) == ("unknown", 600.0)
    assert found.reason == "no floor is known: B200 was not measured"


def test_json_has_the_contracts_keys_and_is_read_back() -> None:
    outcome = failed(
        "slow", "replace", value=1.0, floor=2.0, unit="GB/s", source="s", facts={"a": 1}
    )
    row = outcome.to_json("nvlink")
    assert {"id", "verdict", "value", "floor", "unit", "source"} <= set(row)
    assert from_json(row) == outcome
    assert from_json(passed().to_json("a")) == passed()


@pytest.mark.parametrize("change", [{"verdict": "fine"}, {"action": "pray"}, {"value": "fast"}])
def test_other_values_are_refused(change: dict[str, str]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - float() and ours
        from_json({**passed().to_json("a"), **change})
