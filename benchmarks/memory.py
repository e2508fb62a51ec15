"""Memory of the local AWS while resources are created and deleted for a long time.

`python -m benchmarks.memory --seconds 3600` creates and deletes a stack, a HyperPod cluster and
objects in turn, so that equally many exist at each sample, and prints the server's resident memory
over time. `--pause` leaves the processor to others between two rounds.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.local_aws import Server
from benchmarks.local_calls import OTHER_ACCOUNT, SCRIPT, client_at, create_cluster

_SAMPLES = 12
_OBJECTS = 20
_NODES = 16
_TEMPLATE = json.dumps(
    {
        "Resources": {
            "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
            "Subnet": {
                "Type": "AWS::EC2::Subnet",
                "Properties": {
                    "VpcId": {"Ref": "Vpc"},
                    "CidrBlock": "10.0.0.0/24",
                    "AvailabilityZoneId": "use1-az6",
                },
            },
            "Bucket": {
                "Type": "AWS::S3::Bucket",
                "Properties": {"BucketName": "sagemaker-memory"},
            },
            "Role": {
                "Type": "AWS::IAM::Role",
                "Properties": {
                    "AssumeRolePolicyDocument": {
                        "Version": "2012-10-17",
                        "Statement": [
                            {
                                "Effect": "Allow",
                                "Principal": {"Service": "sagemaker.amazonaws.com"},
                                "Action": "sts:AssumeRole",
                            }
                        ],
                    }
                },
            },
            "Parameter": {
                "Type": "AWS::SSM::Parameter",
                "Properties": {"Name": "/memory/round", "Type": "String", "Value": "1"},
            },
        },
        "Outputs": {
            "subnet": {"Value": {"Ref": "Subnet"}},
            "source": {"Value": {"Fn::Sub": "s3://${Bucket}"}},
            "group": {"Value": {"Fn::GetAtt": ["Vpc", "DefaultSecurityGroup"]}},
            "role": {"Value": {"Fn::GetAtt": ["Role", "Arn"]}},
        },
    }
)


@dataclass(frozen=True)
class Sample:
    """What the server held after so many seconds and rounds."""

    seconds: float
    rounds: int
    resident_mib: float


def samples(server: Server, seconds: float, pause: float = 0.0) -> Iterator[Sample]:
    """One at the end of the first round, of the last, and at equal intervals between."""
    started = time.monotonic()
    due = 0.0
    for rounds in itertools.count(1):
        _create_and_delete(server.url)
        passed = time.monotonic() - started
        if passed >= min(due, seconds):
            yield Sample(passed, rounds, server.resident_mib)
            due += seconds / _SAMPLES
        if passed >= seconds:
            return
        time.sleep(pause)


def _create_and_delete(url: str) -> None:
    cloudformation, s3, sagemaker = (
        client_at(url, service, OTHER_ACCOUNT) for service in ("cloudformation", "s3", "sagemaker")
    )
    cloudformation.create_stack(
        StackName="memory", TemplateBody=_TEMPLATE, Capabilities=["CAPABILITY_IAM"]
    )
    cloudformation.get_waiter("stack_create_complete").wait(
        StackName="memory", WaiterConfig={"Delay": 1, "MaxAttempts": 120}
    )
    (stack,) = cloudformation.describe_stacks(StackName="memory")["Stacks"]
    site = {one["OutputKey"]: one["OutputValue"] for one in stack["Outputs"]}
    bucket = site["source"].removeprefix("s3://")
    keys = [SCRIPT, *(f"{number}.sh" for number in range(1, _OBJECTS))]
    for key in keys:
        s3.put_object(Bucket=bucket, Key=key, Body=b"#!/bin/sh\n" * 1000)
    _cluster(sagemaker, site)
    for key in keys:
        s3.delete_object(Bucket=bucket, Key=key)
    cloudformation.delete_stack(StackName="memory")
    cloudformation.get_waiter("stack_delete_complete").wait(
        StackName=stack["StackId"], WaiterConfig={"Delay": 1, "MaxAttempts": 120}
    )


def _cluster(sagemaker: Any, site: dict[str, str]) -> None:
    """Create a cluster of HyperPod, wait until it is in service, and delete it."""
    create_cluster(sagemaker, "memory", _NODES, site)
    while sagemaker.describe_cluster(ClusterName="memory")["ClusterStatus"] == "Creating":
        time.sleep(0.2)
    sagemaker.delete_cluster(ClusterName="memory")
    while sagemaker.list_clusters()["ClusterSummaries"]:
        time.sleep(0.2)


def main(arguments: list[str] | None = None) -> int:
    """Print a line for each sample."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds between two rounds")
    asked = parser.parse_args(arguments)
    server = Server()
    try:
        for one in samples(server, asked.seconds, asked.pause):
            print(
                f"{one.seconds:6.0f} s  {one.rounds:6,} rounds  {one.resident_mib:8.1f} MiB",
                flush=True,
            )
    finally:
        server.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
