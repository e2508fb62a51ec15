"""The section `acceptance`: checks, units, sizes and groups that do not exist are refused."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.platforms.acceptance_checks import check_ids, floor_units, problems
from tests.support.rich_specs import MINIMAL
from tests.support.validation import cluster, found

FLOOR = {"check": "nvlink-allreduce", "minimum": 440, "unit": "GB/s"}
SIZED = {**FLOOR, "check": "cluster-allreduce", "size_mib": 1024, "node_count": 8}
WAIVER = {"check": "nvlink", "reason": "the vendor replaces it", "expires": "2027-01-31"}


def refused(section: dict[str, Any]) -> dict[str, str]:
    return found(problems, {"acceptance": section}, MINIMAL)


def test_checks_of_the_program_are_accepted() -> None:
    assert refused({}) == {}
    assert refused({"floors": [FLOOR, SIZED], "waivers": [WAIVER]}) == {}
    for check, unit in floor_units().items():
        assert refused({"floors": [{"check": check, "minimum": 1.5, "unit": unit}]}) == {}
    for check in check_ids():
        assert refused({"waivers": [{**WAIVER, "check": check}]}) == {}
    assert "equal-versions" in check_ids()


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        ({"check": "nvlink-alreduce"}, "check", "no check is called nvlink-alreduce"),
        ({"check": "clock"}, "check", "clock compares no figure with a floor of your own"),
        ({"unit": "MB/s"}, "unit", "the figure of nvlink-allreduce is in GB/s, not MB/s"),
        ({"size_mib": 1024}, "size_mib", "`size_mib` applies only to cluster-allreduce"),
        ({"node_count": 8}, "node_count", "`node_count` applies only to cluster-allreduce"),
        ({"groups": ["controller"]}, "groups[0]", "no compute group is called controller"),
    ],
)
def test_what_no_check_has_is_refused(changes: dict[str, Any], path: str, message: str) -> None:
    assert refused({"floors": [{**FLOOR, **changes}]}) == {f"acceptance.floors[0].{path}": message}


def test_a_size_that_is_not_measured_is_refused() -> None:
    wrong = refused({"floors": [{**SIZED, "size_mib": 1000}]})
    text = "cluster-allreduce does not measure 1000 MiB"
    assert wrong == {"acceptance.floors[0].size_mib": text}


def test_two_floors_of_one_check_are_refused() -> None:
    one = {**FLOOR, "groups": ["workers"]}
    message = "nvlink-allreduce has two floors for group workers"
    assert refused({"floors": [FLOOR, one]}) == {"acceptance.floors[1]": message}
    assert refused({"floors": [SIZED, {**SIZED, "size_mib": 2048}]}) == {}


def test_a_waiver_of_an_unknown_check_or_group_is_refused() -> None:
    section = {"waivers": [{**WAIVER, "check": "nvlnk", "groups": ["worker"]}]}
    assert refused(section) == {
        "acceptance.waivers[0].check": "no check is called nvlnk",
        "acceptance.waivers[0].groups[0]": "no compute group is called worker",
    }
    hints = [problem.hint for problem in problems(cluster({"acceptance": section}, MINIMAL))]
    assert hints == ["did you mean `nvlink`?", "did you mean `workers`?"]
