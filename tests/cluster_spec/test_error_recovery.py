"""Making a spec with mistakes whole enough to be examined further."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.error_recovery import mended, untouched
from clusterwright.cluster_spec.problems import Path, Problem
from tests.support.rich_specs import BUILT, value_at


def mend(
    path: Path, data: dict[str, Any] = BUILT, **more: Any
) -> tuple[dict[str, Any], list[Path]]:
    result = mended(data, [Problem("wrong", path, **more)])
    assert result is not None
    return result


def test_a_value_with_a_default_is_taken_away() -> None:
    data, touched = mend(("network", "egress"))
    assert "egress" not in data["network"]
    assert touched == [("network", "egress")]


def test_a_required_value_gives_way_to_its_example() -> None:
    data, touched = mend(("account",))
    assert data["account"] == "111122223333"
    assert touched == [("account",)]


def test_a_required_option_gives_way_to_the_first() -> None:
    assert mend(("compute", 2, "role"))[0]["compute"][2]["role"] == "controller"


def test_a_required_mapping_is_put_together_from_its_required_keys() -> None:
    assert mend(("network",))[0]["network"] == {"availability_zone_id": "use1-az6"}


def test_an_entry_of_a_list_is_not_replaced_alone() -> None:
    data, touched = mend(("storage", "lustre", 0, "repositories", 0, "import", 1))
    assert "import" not in data["storage"]["lustre"][0]["repositories"][0]
    assert touched == [("storage", "lustre", 0, "repositories", 0, "import")]


def test_an_entry_of_the_tags_takes_all_of_them_along() -> None:
    data, touched = mend(("tags", "owner"))
    assert "tags" not in data
    assert touched == [("tags",)]


def test_an_unknown_key_goes_and_what_was_meant_counts_as_missing() -> None:
    data = {**BUILT, "acount": "x"}
    del data["account"]
    fixed, touched = mend(("acount",), data, on_key=True, other_path=("account",))
    assert "acount" not in fixed
    assert fixed["account"] == "111122223333"
    assert touched == [("acount",), ("account",)]


def test_the_original_is_not_changed() -> None:
    data: dict[str, Any] = {**BUILT}
    mend(("slurm", "users"), data)
    assert value_at(data, ("slurm", "users", 0, "name")) == "ada"


@pytest.mark.parametrize("path", [("compute",), ()])
def test_what_nobody_knows_a_valid_value_of_cannot_be_mended(path: Path) -> None:
    assert mended(BUILT, [Problem("wrong", path)]) is None


def test_what_was_replaced_as_a_whole_may_lose_parts_again() -> None:
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
def test_what_follows_from_a_replaced_value_is_not_said(problem: Problem, said: bool) -> None:
    assert bool(untouched([problem], [("a", "b")])) is said
