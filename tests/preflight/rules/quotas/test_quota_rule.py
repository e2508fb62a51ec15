"""Shared parts of the quota rules: demands, usage and the remainder."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import Unknown, load_catalog
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.account import AppliedQuota, QuotaState
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Fail
from clusterwright.preflight.rule import Unknown as NotKnown
from clusterwright.preflight.rules.quotas.quota_rule import (
    PER_RESOURCE,
    QuotaDemand,
    QuotaRule,
    QuotaUsage,
    ServiceQuota,
    Usage,
    instance_demand,
    whole,
)
from tests.support import specs

GATEWAYS = ServiceQuota("vpc", "L-1", "NAT gateways")


def results(
    folder: Path,
    state: QuotaState,
    usages: tuple[QuotaUsage, ...] = (),
    demand: QuotaDemand | None = None,
    changes: dict[str, Any] | None = None,
) -> list[Any]:
    context = Context(specs.load(folder, changes), load_catalog(), dt.date(2026, 11, 20))
    demand = demand or GATEWAYS.demand(2, "2 networks need")
    usage = Usage((), lambda *_: usages) if usages else PER_RESOURCE
    rule = QuotaRule(
        id="CW-Q999",
        title="t",
        prevents="p",
        source="s",
        demands=lambda _: [(("network",), demand)],
        usage=usage,
    )
    facts = FactValues({AppliedQuota(demand.service, "L-1"): state})
    (subject,) = rule.subjects(context)
    return list(rule.results(subject, context, facts))


@pytest.mark.parametrize(
    ("limit", "usages", "measured", "passes"),
    [
        (2, (), None, True),
        (1, (), None, False),
        (5, (QuotaUsage(3, ours=False),), None, True),
        (4, (QuotaUsage(3, ours=False),), None, False),
        # Existing instances of the cluster do not count as other usage.
        (2, (QuotaUsage(2, ours=True),), None, True),
        # AWS measures more than this identity can list.
        (5, (QuotaUsage(1, ours=False),), 4.0, False),
        (5, (QuotaUsage(1, ours=True),), 4.0, True),
        # Not compared for a limit per resource.
        (2, (), 4.0, True),
    ],
)
def test_the_usage_of_others_counts(
    tmp_path: Path,
    limit: float,
    usages: tuple[QuotaUsage, ...],
    measured: float | None,
    passes: bool,
) -> None:
    assert (results(tmp_path, QuotaState(limit, measured), usages) == []) is passes


def test_a_finding_states_the_numbers(tmp_path: Path) -> None:
    (found,) = results(tmp_path, QuotaState(4.0), (QuotaUsage(3, ours=False),))
    assert isinstance(found, Fail)
    assert found.message == '2 networks need 2 of "NAT gateways", 1 is free in us-east-1'
    assert (found.requested, found.used, found.limit) == (2, 3, 4)
    assert (found.where, found.quota_code) == ("vpc/L-1 in us-east-1", "L-1")
    assert found.hint is not None
    assert found.hint.startswith("request 5: `clusterwright check ")
    assert found.quota is not None
    assert found.quota.desired == 5.0


def test_a_quota_that_cannot_be_increased(tmp_path: Path) -> None:
    (found,) = results(tmp_path, QuotaState(1.0, adjustable=False))
    assert found.hint == (
        "AWS does not increase this quota on request: use less, or another region"
    )


IN_EUROPE = {"region": "eu-west-1", "network.availability_zone_id": "euw1-az1"}
ROLES = ServiceQuota("iam", "L-1", "Roles per account")


def test_a_quota_of_a_service_without_regions_is_that_of_its_home(tmp_path: Path) -> None:
    demand = ROLES.demand(2, "the stacks need")
    (found,) = results(tmp_path, QuotaState(1.0, adjustable=False), (), demand, IN_EUROPE)
    assert found.message.endswith('"Roles per account", 1 is free in us-east-1')
    assert found.where == "iam/L-1 in us-east-1"
    assert found.hint == "AWS does not increase this quota on request: use less"
    assert found.quota.region == "us-east-1"
    (ours,) = results(tmp_path, QuotaState(1.0), changes=IN_EUROPE)
    assert (ours.where, ours.quota.region) == ("vpc/L-1 in eu-west-1", "eu-west-1")


def test_without_a_code_it_is_unknown(tmp_path: Path) -> None:
    demand = QuotaDemand(1, "1 × p9 needs", "p9 quota", "ec2", None, reason="no source")
    (found,) = results(tmp_path, QuotaState(1.0), (), demand)
    assert isinstance(found, NotKnown)
    assert found.message == "1 × p9 needs a quota whose code is not known: no source"


def test_the_demand_of_one_setting(tmp_path: Path) -> None:
    context = Context(specs.load(tmp_path), load_catalog(), dt.date(2026, 11, 20))
    demands = GATEWAYS.at(("network", "egress"), "egress needs", lambda _: 1)
    assert demands(context) == [(("network", "egress"), GATEWAYS.demand(1, "egress needs"))]
    assert list(GATEWAYS.at(("a",), "b", lambda _: None)(context)) == []


@pytest.mark.parametrize(("number", "expected"), [(2.0, "2"), (2.5, "2.5"), (3, "3")])
def test_whole_numbers(number: float, expected: str) -> None:
    assert str(whole(number)) == expected


def test_demands_of_instances() -> None:
    label = "{name} for cluster usage"
    unknown: Any = Unknown("not listed")
    found = instance_demand("p5.48xlarge", 1, unknown, label)
    assert (found.needed_by, found.code, found.service) == (
        "1 × ml.p5.48xlarge needs",
        None,
        "sagemaker",
    )
    assert found.reason == '"ml.p5.48xlarge for cluster usage": not listed'
