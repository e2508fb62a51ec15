"""Names that the catalogue must know: instance types, regions, zones."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.platforms import catalog_names
from tests.support.specs import SMALL
from tests.support.validation import cluster, found


def test_names_of_the_catalogue_pass() -> None:
    assert found(catalog_names.problems, base=SMALL) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message", "hint"),
    [
        (
            {"compute.1.instance_type": "ml.p5.48xlarge"},
            ("compute", 1, "instance_type"),
            "ml.p5.48xlarge: use EC2's name; `ml.` is added where an API requires it",
            "instance_type: p5.48xlarge",
        ),
        (
            {"compute.1.instance_type": "p5.48xlrge"},
            ("compute", 1, "instance_type"),
            "unknown instance type p5.48xlrge",
            "did you mean p5.48xlarge?",
        ),
        (
            {"network.availability_zone_id": "use1-az9"},
            ("network", "availability_zone_id"),
            "the catalogue has no zone use1-az9 in us-east-1",
            None,
        ),
        (
            {"network.second_availability_zone_id": "use2-az1"},
            ("network", "second_availability_zone_id"),
            "the catalogue has no zone use2-az1 in us-east-1",
            None,
        ),
    ],
)
def test_unknown_names(
    changes: dict[str, Any], path: tuple[str | int, ...], message: str, hint: str | None
) -> None:
    (problem,) = catalog_names.problems(cluster(changes, SMALL))
    assert (problem.path, problem.message) == (path, message)
    assert problem.hint is not None
    assert problem.hint == hint if hint else problem.hint.startswith("known: us-east-1-")


def test_zones_of_an_unknown_region_are_not_reported() -> None:
    (problem,) = catalog_names.problems(cluster({"region": "us-east-9"}, SMALL))
    assert problem.message == "the catalogue has no region us-east-9"
    assert problem.hint is not None
    assert "us-east-" in problem.hint
