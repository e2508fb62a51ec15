"""Tests of CW-C034."""

from __future__ import annotations

import pytest

from tests.preflight.harness import Harness
from tests.preflight.rules.support.reservations import RESERVED, fact, on_ec2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"platform": "Windows"}, "has platform Windows, the nodes have Linux/UNIX"),
        ({"tenancy": "dedicated"}, "has tenancy dedicated, the nodes have default"),
    ],
)
def test_reservation_of_another_platform_is_reported(
    rule: Harness, changes: dict[str, str], message: str
) -> None:
    rule.fails(
        "CW-C034",
        None,
        fact(RESERVED, **changes),
        spec=on_ec2(rule),
        path="compute[1].capacity.id",
        message=message,
    )
    rule.passes("CW-C034", None, fact(RESERVED), spec=on_ec2(rule))
    rule.unsure(
        "CW-C034",
        None,
        fact(RESERVED, platform=""),
        spec=on_ec2(rule),
        path="compute[1].capacity.id",
        message="has no platform",
    )


@pytest.mark.parametrize(
    ("system", "platform", "wanted"),
    [
        ("rhel9", "Linux/UNIX", "Red Hat Enterprise Linux"),
        ("rhel8", "Red Hat Enterprise Linux", None),
        ("alinux2023", "Red Hat Enterprise Linux", "Linux/UNIX"),
        ("ubuntu2404", "Linux/UNIX", None),
    ],
)
def test_reservation_platform_follows_the_image(
    rule: Harness, system: str, platform: str, wanted: str | None
) -> None:
    spec = on_ec2(rule, {"parallelcluster": {"os": system}})
    facts = fact(RESERVED, platform=platform)
    if wanted is None:
        rule.passes("CW-C034", None, facts, spec=spec)
    else:
        rule.fails(
            "CW-C034",
            None,
            facts,
            spec=spec,
            path="compute[1].capacity.id",
            message=f"has platform {platform}, the nodes have {wanted}",
        )
