"""Shared code of these tests: specs, checks in a world, deployments in a world."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clusterwright.aws.session import AwsSession
from clusterwright.catalog import load_catalog
from clusterwright.preflight import engine
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.reader import AwsFactReader
from clusterwright.preflight.registry import named, rule_files
from clusterwright.preflight.results import CheckResult
from clusterwright_localaws import local_aws
from clusterwright_localaws.testing import Runtime
from tests.support import specs
from tests.support.command_line import Answer, clusterwright

ACCOUNT = specs.ACCOUNT
REGION = "us-east-1"
ZONE = "use1-az6"


@dataclass(frozen=True)
class Checked:
    """Output of `clusterwright check --format json`."""

    exit_code: int
    answer: dict[str, Any]

    @property
    def findings(self) -> list[dict[str, Any]]:
        return list(self.answer["findings"])

    def of(self, rule: str) -> list[dict[str, Any]]:
        return [finding for finding in self.findings if finding["rule"] == rule]

    def one(self, rule: str) -> dict[str, Any]:
        """The only finding of a rule."""
        (finding,) = self.of(rule)
        return finding

    def messages(self, rule: str) -> list[str]:
        return [finding["message"] for finding in self.of(rule)]

    def status(self, rule: str) -> str:
        (status,) = [row["status"] for row in self.answer["rules"] if row["rule"] == rule]
        return str(status)

    def statuses(self) -> dict[str, str]:
        return {row["rule"]: row["status"] for row in self.answer["rules"]}


@contextmanager
def account(world: str = "generous", **changes: Any) -> Iterator[Runtime]:
    """A local AWS in this process; its caller is the account of the small specs."""
    with local_aws(world, account=ACCOUNT, **changes) as runtime:
        yield runtime


def spec_file(folder: Path, changes: Mapping[str, Any] | None = None, **base: Any) -> Path:
    """Write the small spec with changes at dotted paths to a file."""
    return specs.write(folder / "spec.yaml", specs.changed(changes or {}, **base))


def check(path: Path, *arguments: str) -> Checked:
    """Run `clusterwright check` against the enclosing local AWS, or with `--offline`."""
    answer = clusterwright("check", path, "--format", "json", *arguments)
    assert answer.exit_code in (0, 1, 2), answer.err
    return Checked(answer.exit_code, json.loads(answer.out))


def checked(folder: Path, changes: Mapping[str, Any] | None = None, *arguments: str) -> Checked:
    """Check the small spec with changes."""
    return check(spec_file(folder, changes), *arguments)


def refused(folder: Path, changes: Mapping[str, Any]) -> str:
    """Return the errors of an invalid spec: exit 3, empty standard output, a position for each."""
    path = spec_file(folder, changes)
    answer = clusterwright("check", path, "--offline")
    assert (answer.exit_code, answer.out) == (3, ""), answer
    assert f"{path}:" in answer.err
    return answer.err


def accepted(folder: Path, changes: Mapping[str, Any] | None = None) -> Answer:
    """Assert that the corrected spec passes."""
    answer = clusterwright("expand", spec_file(folder, changes))
    assert answer.exit_code == 0, answer.err
    return answer


def client(service: str, region: str = REGION) -> Any:
    """A client of the enclosing local AWS."""
    import boto3

    return boto3.client(service, region_name=region)


P5_USAGE = "sagemaker/L-8762A75F"


def run_rules(spec: Any, *rules: str) -> CheckResult:
    """Run rules on a spec that the command line refuses as not implemented."""
    context = Context(spec, load_catalog(), dt.date(2026, 11, 20))
    selection = engine.Selection(only=named(rules))
    return engine.run(rule_files(), context, AwsFactReader(AwsSession(REGION)), selection)


class House:
    """A network that another user created in the enclosing local AWS."""

    def __init__(self, *, zone: str = ZONE, cidr: str = "10.0.0.0/17") -> None:
        self.ec2 = client("ec2")
        self.vpc = self.ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        self.ec2.modify_vpc_attribute(VpcId=self.vpc, EnableDnsHostnames={"Value": True})
        self.subnet = self.add_subnet(self.vpc, cidr, zone)
        self.group = self.ec2.create_security_group(
            GroupName="nodes", Description="nodes", VpcId=self.vpc
        )["GroupId"]

    def add_subnet(self, vpc: str, cidr: str, zone: str = ZONE) -> str:
        found = self.ec2.create_subnet(VpcId=vpc, CidrBlock=cidr, AvailabilityZoneId=zone)
        return str(found["Subnet"]["SubnetId"])

    def allow(self, way: str) -> None:
        """All traffic of the group with itself, inbound or outbound."""
        rule = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": self.group}]}]
        call = {
            "inbound": self.ec2.authorize_security_group_ingress,
            "outbound": self.ec2.authorize_security_group_egress,
        }[way]
        call(GroupId=self.group, IpPermissions=rule)

    def spec(self, *subnets: str, **more: Any) -> dict[str, Any]:
        return {
            "network": {
                "availability_zone_id": ZONE,
                "existing": {
                    "vpc_id": self.vpc,
                    "subnet_ids": list(subnets) or [self.subnet],
                    "security_group_ids": [self.group],
                },
            },
            **more,
        }
