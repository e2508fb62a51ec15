"""Where an account rule fails on EKS or ParallelCluster, the whole deployment fails.

`test_refusals_of_worlds.py` asks the APIs; here the synthesised stacks are created in the order of
`cdk deploy`, so that what the rule found is what CloudFormation reports, in AWS's words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from clusterwright.cli.main import main
from clusterwright_localaws import local_aws
from tests.stacks.deployment import Account, bootstrapped
from tests.support import specs
from tests.support.rich_specs import (
    ACCOUNT,
    EKS_MINIMAL,
    HYPERPOD_EKS_MINIMAL,
    PARALLELCLUSTER_MINIMAL,
    changed,
)
from tests.support.synthesis import Assembly

Synth = Callable[[str | Path], Assembly]
RESERVATION = "cr-0123456789abcdef0"
PLATFORMS: dict[str, dict[str, Any]] = {
    "eks": EKS_MINIMAL,
    "hyperpod-eks": HYPERPOD_EKS_MINIMAL,
    "parallelcluster": PARALLELCLUSTER_MINIMAL,
}
SMALL_SUBNET = {
    "id": "subnet-0a1b2c3d4e5f60718",
    "vpc_id": "vpc-0a1b2c3d4e5f60718",
    "vpc_cidr": "10.0.0.0/16",
    # Eleven addresses for instances.
    "cidr": "10.0.0.0/28",
    "zone_id": "use1-az6",
    "security_group_ids": ["sg-0a1b2c3d4e5f60718"],
}
IN_A_SMALL_SUBNET: dict[str, Any] = {
    "network": {
        "availability_zone_id": "use1-az6",
        "existing": {
            "vpc_id": SMALL_SUBNET["vpc_id"],
            "subnet_ids": [SMALL_SUBNET["id"]],
            "security_group_ids": SMALL_SUBNET["security_group_ids"],
        },
    },
    "compute": [
        PARALLELCLUSTER_MINIMAL["compute"][0],
        {**PARALLELCLUSTER_MINIMAL["compute"][1], "count": 16},
    ],
}
LUSTRE: dict[str, Any] = {"storage": {"lustre": [specs.LUSTRE]}}


def reserved(**changes: Any) -> dict[str, Any]:
    fits = {"id": RESERVATION, "instance_type": "p5.48xlarge", "instance_count": 4}
    return {"capacity_reservations": [{**fits, "zone_id": "use1-az6", **changes}]}


@dataclass(frozen=True)
class Case:
    """A rule that fails in a world, and the message with which a stack fails there."""

    rule: str
    platform: str
    words: str
    world: dict[str, Any] = field(default_factory=dict)
    capacity: str | None = None
    """Capacity of the workers, by the id above; on-demand without it."""

    spec: dict[str, Any] = field(default_factory=dict)


def on_ec2(rule: str, words: str, world: dict[str, Any], **more: Any) -> list[Case]:
    """The same on both platforms that launch instances."""
    return [Case(rule, platform, words, world, **more) for platform in ("eks", "parallelcluster")]


CASES = [
    *on_ec2("CW-Q020", "VcpuLimitExceeded", {"quotas": {"ec2/L-417A185B": 600}}),
    Case(
        "CW-C001",
        "eks",
        "not supported in your requested",
        {"not_offered": {"p5.48xlarge": ["use1-az6"]}},
    ),
    Case(
        "CW-C001",
        "hyperpod-eks",
        "is not available in the Availability Zones of its subnets",
        {"not_offered": {"p5.48xlarge": ["use1-az6"]}},
    ),
    Case("CW-C030", "parallelcluster", "InvalidCapacityReservationId", capacity="reservation"),
    Case(
        "CW-C033",
        "eks",
        "ReservationCapacityExceeded",
        reserved(zone_id="use1-az2"),
        capacity="reservation",
    ),
    Case(
        "CW-Q030",
        "eks",
        "ServiceLimitExceeded",
        {"quotas": {"fsx/L-8F1B9C74": 4000}},
        spec=LUSTRE,
    ),
    Case(
        "CW-N009",
        "parallelcluster",
        "InsufficientFreeAddressesInSubnet",
        {"subnets": [SMALL_SUBNET]},
        spec=IN_A_SMALL_SUBNET,
    ),
    Case("CW-Q060", "eks", "ServiceLimitExceeded", {"quotas": {"eks/L-1194D53C": 0}}),
    Case("CW-Q062", "eks", "Nodes per managed node group", {"quotas": {"eks/L-BD136A63": 3}}),
    Case(
        "CW-Q001",
        "hyperpod-eks",
        "account-level service limit .*ml.p5.48xlarge",
        {"quotas": {"sagemaker/L-8762A75F": 3}},
    ),
]
"""One case for each kind of refusal.

a quota, a type, a reservation, storage, addresses, a cluster.
"""


def _of(case: Case) -> dict[str, Any]:
    spec = changed(PLATFORMS[case.platform], protection="destroy", **case.spec)
    if case.capacity is not None:
        place = next(i for i, g in enumerate(spec["compute"]) if g["role"] == "compute")
        spec["compute"][place]["capacity"] = {"kind": case.capacity, "id": RESERVATION}
    return spec


@pytest.fixture(scope="module")
def assembly(
    synth: Synth, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Case], tuple[Path, Assembly]]:
    """The file of a case and its templates, created once per spec."""
    folder = tmp_path_factory.mktemp("refused")
    files: dict[str, Path] = {}

    def call(case: Case) -> tuple[Path, Assembly]:
        data = _of(case)
        text = json.dumps(data)
        if text not in files:
            files[text] = specs.write(folder / f"spec-{len(files)}.yaml", data)
        return files[text], synth(files[text])

    return call


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule}-{case.platform}")
def test_finding_fails_the_deployment(
    case: Case,
    assembly: Callable[[Case], tuple[Path, Assembly]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCOUNT)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    path, templates = assembly(case)
    with local_aws("generous", **case.world):
        account: Account = bootstrapped()
        main(["check", str(path), "--only", case.rule, "--format", "json"])
        answer = json.loads(capsys.readouterr().out)
        found = {f["rule"] for f in answer["findings"] if f["severity"] == "error"}
        assert found == {case.rule}, answer["unknown"]
        with pytest.raises(AssertionError, match="ROLLBACK") as raised:
            account.deploy(templates)
        # The failure is not in the rollback.
        assert "ROLLBACK_FAILED" not in str(raised.value)
        assert re.search(case.words, str(raised.value)), raised.value
        # The rollback of a stack leaves no nodes.
        running = [{"Name": "instance-state-name", "Values": ["running"]}]
        there = account.client("ec2").describe_instances(Filters=running)["Reservations"]
        assert there == []
