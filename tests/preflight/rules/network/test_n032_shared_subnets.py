"""Tests of CW-N032."""

from __future__ import annotations

import dataclasses
from typing import Any

from clusterwright.preflight.facts.network import Subnets
from tests.preflight.existing_network import EXISTING, HERE, SUBNET
from tests.preflight.harness import Harness
from tests.support import specs

OWNER = "222233334444"


def owned(account: str) -> dict[Any, Any]:
    return {Subnets(): (dataclasses.replace(HERE, owner=account),)}


def naming(account: str) -> dict[str, Any]:
    network = EXISTING["network"]
    existing = {**network["existing"], "owner_account": account}
    return {"network": {**network, "existing": existing}}


def test_own_subnets_pass(rule: Harness) -> None:
    rule.passes("CW-N032", EXISTING, owned(specs.ACCOUNT))
    rule.passes("CW-N032", EXISTING, owned(""))
    rule.passes("CW-N032", {}, tested=False)


def test_shared_subnet_needs_its_owner_in_the_spec(rule: Harness) -> None:
    finding = rule.fails(
        "CW-N032",
        EXISTING,
        owned(OWNER),
        path="network.existing.subnet_ids",
        message=f"{OWNER} shares {SUBNET}, but the roles of the nodes may use subnets of "
        f"{specs.ACCOUNT} only",
        severity="error",
    )
    assert finding.hint == f'owner_account: "{OWNER}"'
    rule.passes("CW-N032", naming(OWNER), owned(OWNER))
    rule.fails("CW-N032", naming("333344445555"), owned(OWNER),
               path="network.existing.owner_account", message="of 333344445555 only")  # fmt: skip


def test_owner_of_own_subnets_is_reported(rule: Harness) -> None:
    rule.fails("CW-N032", naming(OWNER), owned(specs.ACCOUNT),
               path="network.existing.owner_account",
               message=f"belong to this account, not to {OWNER}")  # fmt: skip
    rule.passes("CW-N032", naming(OWNER), {Subnets(): ()})


def test_parallelcluster_cannot_use_shared_subnets(rule: Harness) -> None:
    rule.fails(
        "CW-N032",
        {**EXISTING, "platform": "parallelcluster"},
        owned(OWNER),
        path="network.existing.subnet_ids",
        message="ParallelCluster's head node may launch nodes only in subnets of",
    )


def test_shared_subnets_are_not_documented_for_pcs(rule: Harness) -> None:
    login = {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1}
    workers = {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 2}
    spec = {
        **EXISTING,
        "platform": "pcs",
        "compute": [login, workers],
        "slurm": {"accounting": {"kind": "none"}},
    }
    rule.fails(
        "CW-N032",
        spec,
        owned(OWNER),
        path="network.existing.subnet_ids",
        message="is not documented",
    )
