"""Facts and specs for the tests of training plans."""

from __future__ import annotations

from typing import Any

from clusterwright.preflight.facts import network
from tests.preflight.capacity import ZONES
from tests.support import specs

TYPES = ("m5.4xlarge", "p5.48xlarge")


def offered(*pairs: tuple[str, str]) -> dict[Any, Any]:
    return {network.Offerings(TYPES): frozenset(pairs), network.Zones(): ZONES}


PLAN = {"compute.1.capacity": {"kind": "training-plan", "arn": specs.PLAN}}

PLAN_RULES = ("CW-C010", "CW-C011", "CW-C012", "CW-C013", "CW-C014", "CW-C015", "CW-C016")
