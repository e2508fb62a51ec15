"""The quota for a use of an instance type, found by AWS's quota names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from clusterwright.catalog.facts import Fact, Known, Unknown
from clusterwright.catalog.model import Quota, QuotaUse

_SAGEMAKER_NAMES: Final[dict[str, str]] = {
    "hyperpod-cluster": "ml.{} for cluster usage",
    "hyperpod-spot": "ml.{} for cluster spot instance usage",
    "reserved-capacity": (
        "Number of ml.{} instances in reserved capacity across training plans per Region"
    ),
}
_EC2_NAMES: Final[dict[str, re.Pattern[str]]] = {
    "ec2-on-demand": re.compile(r"Running On-Demand (.+) instances"),
    "ec2-spot": re.compile(r"All (.+) Spot Instance Requests"),
}
_CAPACITY_BLOCK_NAME: Final = re.compile(r"Concurrent (\w+) Capacity Blocks per account")
_LISTED: Final = re.compile(r"Standard \((.+)\)")
_LETTERS: Final = re.compile(r"[a-z]+")


def find(instance_type: str, use: QuotaUse, quotas: Iterable[Quota]) -> Fact[Quota]:
    """The quota, with its source; unknown if no documented name matches."""
    if use in _SAGEMAKER_NAMES:
        wanted = _SAGEMAKER_NAMES[use].format(instance_type)
        for quota in quotas:
            if quota.service == "sagemaker" and quota.name == wanted:
                return Known(quota, quota.source, quota.date)
        return Unknown(f'no quota "{wanted}" is in the sources')
    if use == "capacity-block":
        return _capacity_block(instance_type, quotas)
    letters = _LETTERS.match(instance_type)
    family = letters.group() if letters else ""
    for quota in quotas:
        named = _EC2_NAMES[use].fullmatch(quota.name) if quota.service == "ec2" else None
        if named and family in _families(named.group(1)):
            return Known(quota, quota.source, quota.date)
    return Unknown(f"no documented quota names the family of {instance_type}")


def _capacity_block(instance_type: str, quotas: Iterable[Quota]) -> Fact[Quota]:
    family = instance_type.partition(".")[0]
    for quota in quotas:
        named = _CAPACITY_BLOCK_NAME.fullmatch(quota.name) if quota.service == "ec2" else None
        if named and named.group(1).lower() == family:
            return Known(quota, quota.source, quota.date)
    return Unknown(f"the documentation has no Capacity Block quota for {family}")


def _families(words: str) -> frozenset[str]:
    """`P`, `G and VT`, `Standard (A, C, ...)`: the families a quota's name lists, in lower case.

    "High Memory" names none by letters, so it matches none.
    """
    listed = _LISTED.fullmatch(words)
    if listed:
        return frozenset(part.strip().lower() for part in listed.group(1).split(","))
    return frozenset(part.lower() for part in words.split(" and "))
