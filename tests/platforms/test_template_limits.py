"""What no template can express is refused before synthesis."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.platforms import template_limits
from tests.support.specs import SMALL
from tests.support.validation import cluster, found

RESERVATION = {"kind": "reservation", "id": "cr-0a1b2c3d4e5f60718"}


def test_a_spec_that_templates_express_passes() -> None:
    assert found(template_limits.problems, base=SMALL) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {"compute.1.capacity": RESERVATION},
            "compute[1].capacity.kind",
            "compute[1].capacity: hyperpod-slurm does not support reservation: ",
        ),
        (
            {"compute.1.placement_group": True},
            "compute[1].placement_group",
            "compute[1].placement_group: ",
        ),
        (
            {
                "slurm.configuration": "scripted",
                "compute.1.instance_type": "p6e-gb300.36xlarge",
            },
            "compute[1].instance_type",
            "compute[1].instance_type: the number of cores and the memory of "
            "p6e-gb300.36xlarge are unknown, and slurm.conf requires both in scripted mode",
        ),
    ],
)
def test_what_is_refused(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(template_limits.problems, changes, SMALL)
    assert problems[path].startswith(message)


def test_a_network_that_is_too_small_is_refused() -> None:
    changes = {"network.cidr": "10.0.0.0/24", "compute.1.count": 64}
    (problem,) = template_limits.problems(cluster(changes, SMALL))
    assert problem.path[0] == "network"
