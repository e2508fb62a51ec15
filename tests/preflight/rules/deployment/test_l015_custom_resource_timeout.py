"""Tests of CW-L015."""

from __future__ import annotations

from typing import Any

import pytest

from tests.preflight.harness import Harness
from tests.preflight.rules.support.platforms import PARALLELCLUSTER_WHOLE


@pytest.mark.parametrize(
    ("group", "key", "said"),
    [
        ({"count": 201}, "count", "201 nodes start with the cluster and may take 3,900 s"),
        ({"count": 900, "min_count": 400}, "min_count", "400 nodes start with the cluster"),
        ({"count": 200}, "count", None),
        ({"count": 900, "min_count": 200}, "min_count", None),
    ],
)
def test_creation_time_of_static_nodes_is_compared_with_the_timeout(
    rule: Harness, group: dict[str, Any], key: str, said: str | None
) -> None:
    changes = {f"compute.1.{name}": value for name, value in group.items()}
    spec = {**PARALLELCLUSTER_WHOLE, **changes}
    if said is None:
        rule.passes("CW-L015", spec)
    else:
        rule.fails(
            "CW-L015",
            spec,
            path=f"compute[1].{key}",
            message=said,
            severity="warning",
            numbers=(int(said.split()[0]), None, 200),
        )
    rule.passes("CW-L015", changes, tested=False)
