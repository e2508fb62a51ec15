"""Rules of security groups beside the deployed templates, as `status` reads them."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import Any, cast

import pytest

from clusterwright.aws.cloudformation.stacks import Stack, StackResource
from clusterwright.aws.ec2.vpc import SecurityGroup
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession
from clusterwright.cli.diff_drift import changed_rules
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_state.not_read import NotRead
from clusterwright.platforms.stack_names import stack_name
from tests.review.templates import resource

SESSION = cast(AwsSession, object())
CLUSTER = cast(
    Cluster,
    SimpleNamespace(
        environment="test", account="123456789012", region="us-east-1", partition="aws"
    ),
)
NETWORK = stack_name("test", "network")
GROUP = "AWS::EC2::SecurityGroup"
OWN: dict[str, Any] = {"Fn::GetAtt": ["Nodes", "GroupId"]}
TEMPLATE = {
    "Resources": {
        "Nodes": resource(GROUP, GroupDescription="nodes", VpcId="vpc-1"),
        "Own": resource(
            "AWS::EC2::SecurityGroupIngress",
            GroupId=OWN,
            IpProtocol="-1",
            SourceSecurityGroupId=OWN,
        ),
    }
}


def found(monkeypatch: pytest.MonkeyPatch, status: str | None) -> tuple[str, ...] | NotRead:
    """Of a group whose template has a rule that it does not have; None: the stack is refused."""

    def stack(_: object, name: str) -> Stack | None:
        if status is None:
            raise AwsUnavailable(
                service="cloudformation",
                operation="DescribeStacks",
                region="us-east-1",
                reason="denied",
                detail="no",
            )
        return Stack(name, status, None, protected=False) if name == NETWORK else None

    stacks = "clusterwright.aws.cloudformation.stacks"
    resources = (StackResource("Nodes", GROUP, "sg-1"),)
    monkeypatch.setattr(f"{stacks}.stack", stack)
    monkeypatch.setattr(f"{stacks}.template", lambda *_: TEMPLATE)
    monkeypatch.setattr(f"{stacks}.stack_resources", lambda *_: resources)
    monkeypatch.setattr(
        "clusterwright.aws.ec2.vpc.security_groups",
        lambda _: (SecurityGroup("sg-1", "vpc-1", (), ()),),
    )
    return changed_rules(SESSION, CLUSTER)


@pytest.mark.parametrize(
    "status", ["CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "IMPORT_COMPLETE"]
)
def test_missing_rule_of_a_settled_stack(monkeypatch: pytest.MonkeyPatch, status: str) -> None:
    assert found(monkeypatch, status) == (f"{NETWORK}/Nodes: all traffic from sg-1 is missing",)


@pytest.mark.parametrize(
    "status",
    [
        "CREATE_IN_PROGRESS",
        "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS",
        "DELETE_IN_PROGRESS",
        "ROLLBACK_COMPLETE",
        "DELETE_FAILED",
        "A_STATUS_OF_THE_FUTURE",
    ],
)
def test_other_stacks_are_not_compared(monkeypatch: pytest.MonkeyPatch, status: str) -> None:
    read = found(monkeypatch, status)
    assert isinstance(read, NotRead)
    assert (read.what, read.reason) == (
        "the rules of security groups",
        f"{NETWORK} is {status}",
    )
    assert (read.hint is not None) == status.endswith("_IN_PROGRESS")


@pytest.mark.parametrize("status", ["DELETE_COMPLETE", "REVIEW_IN_PROGRESS"])
def test_a_stack_that_does_not_exist(monkeypatch: pytest.MonkeyPatch, status: str) -> None:
    assert found(monkeypatch, status) == ()


def test_a_refusal_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AwsUnavailable):
        found(monkeypatch, None)


PROGRAM = """
import threading
from types import SimpleNamespace

from clusterwright.aws.cloudformation import stacks
from clusterwright.cli import diff_drift
from clusterwright.cluster_state.parallel import read_together

cluster = SimpleNamespace(environment="test", account="", region="", partition="aws")
begun, never = threading.Event(), threading.Event()
stacks.stack = lambda *_: (begun.set(), never.wait())
diff_drift._live_rules = lambda _: {}
reads = {"rules": lambda: diff_drift.changed_rules(None, cluster)}
print(read_together(reads, deadline_seconds=0.1)["rules"].reason)
begun.wait()
"""


def test_the_program_ends_while_a_read_never_does() -> None:
    """The limit only ends the test where the program waits for the read, for ever."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True, timeout=300
    )
    assert done.stdout == "AWS did not answer within 0.1 s\n"
