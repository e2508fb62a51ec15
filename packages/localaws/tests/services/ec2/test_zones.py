"""Zones of an account: names, ids, groups, opting in."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.ec2.zones import (
    choices,
    group_of,
    opted_in,
    partition_of,
    zone_id_of,
    zone_name,
)
from clusterwright_localaws.worlds.model import World

ACCOUNT, REGION = "111122223333", "us-east-1"
LOCAL = SimpleNamespace(zone_type="local-zone", name="us-east-1-dfw-2a")


@pytest.mark.parametrize(
    ("region", "expected"),
    [("us-east-1", "aws"), ("cn-north-1", "aws-cn"), ("us-gov-west-1", "aws-us-gov")],
)
def test_partitions(region: str, expected: str) -> None:
    assert partition_of(region) == expected


def test_names_and_ids_belong_together() -> None:
    name = zone_name(REGION, "use1-az6")
    assert name is not None
    assert zone_id_of(REGION, name) == "use1-az6"
    assert zone_name("us-west-2", "use1-az6") is None
    assert zone_id_of(REGION, "us-east-1z") is None
    assert zone_name("mars-1", "use1-az6") is None


def test_the_group_of_a_local_zone() -> None:
    assert group_of("us-east-1-dfw-2a") == "us-east-1-dfw-2"


@pytest.mark.parametrize(
    ("world", "choice", "expected"),
    [
        ("opted-in", None, True),
        ("not-opted-in", None, False),
        ("not-opted-in", True, True),
        ("opted-in", False, False),
    ],
)
def test_opting_in_is_the_accounts_choice_then_the_worlds(
    world: str, choice: bool | None, expected: bool
) -> None:
    runtime = Runtime(World.model_validate({"local_zones": world}))
    if choice is not None:
        choices(runtime, ACCOUNT, REGION)["us-east-1-dfw-2"] = choice
    assert opted_in(runtime, ACCOUNT, REGION, LOCAL) is expected


def test_availability_zones_need_no_choice() -> None:
    runtime = Runtime(World())
    zone = SimpleNamespace(zone_type="availability-zone", name="us-east-1a")
    assert opted_in(runtime, ACCOUNT, REGION, zone)
