"""Failures shown by emulated nodes: real machines, HyperPod's agent, the message for the user."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from clusterwright_rehearsal import runs
from clusterwright_rehearsal.nodes import images
from clusterwright_rehearsal.prerequisites import nodes_unavailable
from clusterwright_rehearsal.worker_client import WorkerClient

pytestmark = [pytest.mark.slow, pytest.mark.slurm, pytest.mark.enable_socket]

_ACCOUNT, _REGION = "111122223333", "us-east-1"
_BUCKET = "sagemaker-lifecycle-of-somebody"
_FAILS = """#!/bin/bash
echo "installing the driver"
echo "E: Could not get lock /var/lib/dpkg/lock-frontend" >&2
exit 100
"""
_DIES = """#!/bin/bash
echo "switching the kernel"
systemctl --force --force poweroff
sleep 60
"""
_WORKS = """#!/bin/bash
echo ready
"""


class Account:
    """Clusters of other users with custom scripts, and what their owner can see."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.aws("s3").create_bucket(Bucket=_BUCKET)
        self._site = (*self._network(), self._role())

    def aws(self, service: str) -> Any:
        return boto3.client(
            service,
            _REGION,
            endpoint_url=self._url,
            aws_access_key_id=_ACCOUNT,
            aws_secret_access_key="local",
        )

    def create(self, name: str, scripts: dict[str, str]) -> None:
        """A cluster with one node per script; the first is the controller."""
        parameters = {
            "version": "1.0.0",
            "workload_manager": "slurm",
            "controller_group": next(iter(scripts)),
        }
        files = {f"{group}.sh": text for group, text in scripts.items()}
        files["provisioning_parameters.json"] = json.dumps(parameters)
        for file, text in files.items():
            self.aws("s3").put_object(Bucket=_BUCKET, Key=f"{name}/{file}", Body=text.encode())
        subnet, group_id, role = self._site
        self.aws("sagemaker").create_cluster(
            ClusterName=name,
            VpcConfig={"SecurityGroupIds": [group_id], "Subnets": [subnet]},
            NodeRecovery="None",
            InstanceGroups=[
                {
                    "InstanceGroupName": group,
                    "InstanceType": "ml.m5.large",
                    "InstanceCount": 1,
                    "ExecutionRole": role,
                    "LifeCycleConfig": {
                        "SourceS3Uri": f"s3://{_BUCKET}/{name}",
                        "OnCreate": f"{group}.sh",
                    },
                }
                for group in scripts
            ],
        )

    def _role(self) -> str:
        iam = self.aws("iam")
        role = iam.create_role(
            RoleName="nodes",
            AssumeRolePolicyDocument=json.dumps(
                {
                    "Version": "2012-10-17",
                    "Statement": [
                        {
                            "Effect": "Allow",
                            "Principal": {"Service": "sagemaker.amazonaws.com"},
                            "Action": "sts:AssumeRole",
                        }
                    ],
                }
            ),
        )["Role"]["Arn"]
        iam.attach_role_policy(
            RoleName="nodes",
            PolicyArn="arn:aws:iam::aws:policy/AmazonSageMakerClusterInstanceRolePolicy",
        )
        iam.put_role_policy(
            RoleName="nodes",
            PolicyName="scripts",
            PolicyDocument=json.dumps(
                {
                    "Version": "2012-10-17",
                    "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}],
                }
            ),
        )
        return str(role)

    def failure_of(self, name: str) -> str:
        ends = time.monotonic() + 120
        while True:
            found = self.aws("sagemaker").describe_cluster(ClusterName=name)
            if found["ClusterStatus"] in ("Failed", "RollingBack"):
                return str(found["FailureMessage"])
            assert found["ClusterStatus"] == "Creating", found["ClusterStatus"]
            assert time.monotonic() < ends, "neither failed nor ready"
            time.sleep(0.3)

    def log(self, group: str, *, ends_with: str) -> list[str]:
        """Return the log lines of the only node of a group in CloudWatch Logs, after the last one
        arrived.
        """
        logs = self.aws("logs")
        ends = time.monotonic() + 60
        found: list[str] = []
        while time.monotonic() < ends:
            for place in logs.describe_log_groups(logGroupNamePrefix="/aws/sagemaker/Clusters/")[
                "logGroups"
            ]:
                name = place["logGroupName"]
                for stream in logs.describe_log_streams(logGroupName=name)["logStreams"]:
                    if f"/{group}/" in stream["logStreamName"]:
                        events = logs.get_log_events(
                            logGroupName=name,
                            logStreamName=stream["logStreamName"],
                            startFromHead=True,
                        )["events"]
                        found = [event["message"] for event in events]
            if found and ends_with in found[-1]:
                break
            time.sleep(0.3)
        return found

    def _network(self) -> tuple[str, str]:
        ec2 = self.aws("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        subnet = ec2.create_subnet(
            VpcId=vpc, CidrBlock="10.0.0.0/20", AvailabilityZoneId="use1-az6"
        )["Subnet"]["SubnetId"]
        group = ec2.create_security_group(GroupName="n", Description="n", VpcId=vpc)["GroupId"]
        return subnet, group


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    """Failing clusters, whose machines are removed after the tests."""
    reason = nodes_unavailable()
    if reason is not None:
        pytest.skip(reason)
    image = images.image(runs.DEFAULT_STATE / "cache")
    state: Path = tmp_path_factory.mktemp("state")
    with runs.raised_inotify_limit(), contextlib.ExitStack() as stack:
        engine = WorkerClient(runs.new_run(state), image.root, world="generous", account=_ACCOUNT)
        stack.callback(lambda: _gone(engine))
        account = Account(engine.url)
        account.create("one", {"fails": _FAILS})
        account.create("two", {"dies": _DIES})
        # A group of a cluster that fails may lose its machine before its script writes.
        account.create("three", {"works": _WORKS})
        yield account


def test_awsome_189_logs_are_complete_after_nodes_failed(broken: Account) -> None:
    """Every line is in CloudWatch Logs, including standard error, until the machine is lost."""
    failed = broken.log("fails", ends_with="last line")
    assert failed[0] == "installing the driver"
    assert "E: Could not get lock /var/lib/dpkg/lock-frontend" in failed
    died = broken.log("dies", ends_with="last line")
    assert died[0] == "switching the kernel"
    assert "Exit code -9" in died[-1]
    assert broken.log("works", ends_with="ready") == ["ready"]


def test_parallelcluster_7265_failed_node_reports_its_reason(broken: Account) -> None:
    message = broken.failure_of("one")
    assert "Lifecycle scripts did not run successfully" in message
    assert message.endswith("last line: E: Could not get lock /var/lib/dpkg/lock-frontend")
    # A script that powers its node off has no further output; its last line is kept.
    said = broken.log("dies", ends_with="last line")
    assert broken.failure_of("two").endswith(f"last line: {said[-2]}")


def _gone(worker: WorkerClient) -> None:
    assert worker.close() == []
