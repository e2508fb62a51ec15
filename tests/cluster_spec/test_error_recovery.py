"""Completion of an invalid spec so that it can be validated further."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.error_recovery import mended, untouched
from clusterwright.cluster_spec.problems import Path, Problem
from tests.support.rich_specs import BUILT, value_at


def recovered(
    path: Path, data: dict[str, Any] = BUILT, **more: Any
) -> tuple[dict[str, Any], list[Path]]:
    result = mended(data, [Problem("wrong", path, **more)])
    assert result is not None
    return result


def test_invalid_value_with_a_default_is_removed() -> None:
    data, touched = recovered(("network", "egress"))
    assert "egress" not in data["network"]
    assert touched == [("network", "egress")]


def test_invalid_required_value_is_replaced_by_its_example() -> None:
    data, touched = recovered(("account",))
    assert data["account"] == "111122223333"
    assert touched == [("account",)]


def test_invalid_required_option_is_replaced_by_the_first() -> None:
    assert recovered(("compute", 2, "role"))[0]["compute"][2]["role"] == "controller"


def test_invalid_required_mapping_is_built_from_its_required_keys() -> None:
    assert recovered(("network",))[0]["network"] == {"availability_zone_id": "use1-az6"}


def test_list_entry_is_not_replaced_separately() -> None:
    data, touched = recovered(("storage", "lustre", 0, "repositories", 0, "import", 1))
    assert "import" not in data["storage"]["lustre"][0]["repositories"][0]
    assert touched == [("storage", "lustre", 0, "repositories", 0, "import")]


def test_invalid_tag_removes_all_tags() -> None:
    data, touched = recovered(("tags", "owner"))
    assert "tags" not in data
    assert touched == [("tags",)]


def test_unknown_key_is_removed_and_the_suggested_key_added() -> None:
    data = {**BUILT, "acount": "x"}
    del data["account"]
    fixed, touched = recovered(("acount",), data, on_key=True, other_path=("account",))
    assert "acount" not in fixed
    assert fixed["account"] == "111122223333"
    assert touched == [("acount",), ("account",)]


def test_input_is_not_modified() -> None:
    data: dict[str, Any] = {**BUILT}
    recovered(("slurm", "users"), data)
    assert value_at(data, ("slurm", "users", 0, "name")) == "ada"


@pytest.mark.parametrize("path", [("compute",), ()])
def test_value_without_a_known_replacement_cannot_be_recovered(path: Path) -> None:
    assert mended(BUILT, [Problem("wrong", path)]) is None


def test_replaced_value_can_be_removed() -> None:
    problems = [Problem("wrong", ("network",)), Problem("wrong", ("network", "egress"))]
    result = mended({**BUILT, "network": 5}, problems)
    assert result is not None
    assert result[0]["network"] == {"availability_zone_id": "use1-az6"}


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (Problem("x", ("a", "b")), False),
        (Problem("x", ("a", "b", "c")), False),
        (Problem("x", ("a",)), False),
        (Problem("x", ("z",)), True),
        (Problem("x", ("z",), other_path=("a", "b")), False),
        (Problem("x", ("z",), rests_on=(("a", "b"),)), False),
        (Problem("x", ("z",), rests_on=(("a", "b", "c"),)), False),
        (Problem("x", ("z",), rests_on=(("a",),)), True),
    ],
)
def test_problems_caused_by_a_replaced_value_are_omitted(problem: Problem, said: bool) -> None:
    assert bool(untouched([problem], [("a", "b")])) is said
