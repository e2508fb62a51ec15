"""The `hyp` CLI of the package sagemaker-hyperpod."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.programs import ACCOUNT, Done, Server
from tests.clients.sites import create_cluster, site_in

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]

Hyp = Callable[..., Done]


@pytest.fixture(scope="module")
def server(world: Callable[[str], Server]) -> Server:
    # An hour until a node is running: clusters are listed without nodes, also on a slow machine.
    return world("extends: generous\ndelays: {cluster: 3600, node: 3600}\n")


@pytest.fixture(scope="module")
def hyp(programs: Callable[[str], Path], server: Server) -> Hyp:
    def run(*words: str, code: int = 0) -> Done:
        # After each command it sends telemetry to a bucket of AWS, which fails without egress.
        nowhere = "http://127.0.0.1:9"
        return server.run(
            programs("hyp"), *words, code=code, PYTHONWARNINGS="ignore", HTTPS_PROXY=nowhere
        )

    return run


def test_clusters_are_listed_and_described(hyp: Hyp, server: Server) -> None:
    """`list-cluster` finds the clusters through STS and SageMaker and shows clusters in creation,
    still without instances; `describe cluster` shows a cluster, and reports that another name does
    not exist.
    """
    site = site_in(server)
    for name in ("one", "two"):
        create_cluster(server, site, name, 4)
    found = json.loads(hyp("list-cluster").out)
    nodes = {
        row["Cluster"]: [instance["TotalNodes"] for instance in row["Instances"]] for row in found
    }
    assert nodes == {"one": [0], "two": [0]}
    arn = f"arn:aws:sagemaker:us-east-1:{ACCOUNT}:cluster/"
    assert arn in hyp("describe", "cluster", "one").out
    assert "Cluster 'missing' not found" in hyp("describe", "cluster", "missing", code=1).out


def test_stacks_are_listed_and_described(hyp: Hyp, server: Server) -> None:
    """`list cluster-stack` and `describe cluster-stack` show a CloudFormation stack."""
    template = {"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}
    cloudformation = server.client("cloudformation")
    cloudformation.create_stack(StackName="hyp-stack", TemplateBody=json.dumps(template))
    cloudformation.get_waiter("stack_create_complete").wait(
        StackName="hyp-stack", WaiterConfig={"Delay": 1, "MaxAttempts": 30}
    )
    assert "hyp-stack" in hyp("list", "cluster-stack", "--region", "us-east-1").out
    shown = hyp("describe", "cluster-stack", "hyp-stack", "--region", "us-east-1").out
    assert "Status: CREATE_COMPLETE" in shown
