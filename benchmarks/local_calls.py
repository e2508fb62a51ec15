"""Calls of a local AWS with a cluster of 6,000 nodes, compared with the cheapest call.

And one template, made, changed and deleted, on the local AWS and on plain moto: it has only types
that plain moto creates and can delete. What dev.yaml needs besides (clusters, file systems, stacks
that export to each other), plain moto does not have at all.
"""

from __future__ import annotations

import atexit
import functools
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from benchmarks.compare import ROOT, Comparison, Timed, base_environment
from benchmarks.local_aws import Server

_REGION = "us-east-1"
_MOST = 6_000
_CALLS = 50
_ACCOUNT = "111122223333"
# Clusters come and go in an account of their own: 10,000 instances is the most of one account.
OTHER_ACCOUNT = "444455556666"
# The lifecycle script of every cluster.
SCRIPT = "on.sh"


def call_comparisons() -> list[Comparison]:
    """Requests, memory, creation and one stack."""
    cheapest = "sts GetCallerIdentity, the same server"
    sizes = [
        Comparison(
            f"CreateCluster of {count:,} nodes, per 1,000 nodes",
            functools.partial(_create, count),
            functools.partial(_create, 100),
            "the same with 100 nodes",
        )
        for count in (10, 1_000, _MOST)
    ]
    found = [
        Comparison(
            f"DescribeCluster, {_MOST:,} nodes, one call",
            _each(lambda: _sagemaker().describe_cluster(ClusterName="most")),
            _each(lambda: _client("sts").get_caller_identity()),
            cheapest,
        ),
        Comparison(
            f"ListClusterNodes, {_MOST:,} nodes, one page of 100",
            _page,
            _each(lambda: _client("sts").get_caller_identity()),
            cheapest,
        ),
        *sizes,
        Comparison(
            f"memory with a cluster of {_MOST:,} nodes",
            lambda: _listed().resident_mib,
            lambda: _empty().resident_mib,
            "a server that has answered one call",
            unit="MB",
            target_seconds=400,
        ),
        Comparison(
            "a stack of 40 resources: create, update, delete",
            lambda: _stack(_empty().url),
            lambda: _stack(plain_moto()),
            "plain moto_server, the same template",
        ),
    ]
    return [replace(each, ours=_said(each.ours), beside=_said(each.beside)) for each in found]


def _said(timed: Timed) -> Timed:
    """Measure; a refused call ends its comparison, not the run."""

    def once() -> float:
        try:
            return timed()
        except ClientError as error:
            raise RuntimeError(str(error)) from error

    return once


def _each(call: Callable[[], Any]) -> Timed:
    def once() -> float:
        call()  # what is made at the first use is not timed
        started = time.perf_counter()
        for _ in range(_CALLS):
            call()
        return (time.perf_counter() - started) / _CALLS

    return once


def _page() -> float:
    sagemaker = _sagemaker()
    started = time.perf_counter()
    pages = sagemaker.get_paginator("list_cluster_nodes")
    count = sum(1 for _ in pages.paginate(ClusterName="most", PaginationConfig={"PageSize": 100}))
    return (time.perf_counter() - started) / count


def _create(count: int) -> float:
    """Seconds for 1,000 nodes at this size."""
    _site(OTHER_ACCOUNT)
    name = f"c{count}-{time.monotonic_ns()}"
    started = time.perf_counter()
    _make(name, count, OTHER_ACCOUNT)
    seconds = time.perf_counter() - started
    _client("sagemaker", OTHER_ACCOUNT).delete_cluster(ClusterName=name)
    return seconds / count * 1000


def _listed() -> Server:
    _page()
    return _with_cluster()


@functools.cache
def _with_cluster() -> Server:
    server = Server()
    atexit.register(server.end)
    return server


@functools.cache
def _empty() -> Server:
    server = Server()
    atexit.register(server.end)
    client_at(server.url, "sts").get_caller_identity()
    return server


@functools.cache
def plain_moto() -> str:
    """The address of moto's own server."""
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"],
        cwd=ROOT,
        env=base_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    atexit.register(process.terminate)
    assert process.stderr is not None
    for line in process.stderr:
        if "Running on " in line:
            return line.rsplit("Running on ", 1)[1].strip()
    raise RuntimeError("moto_server did not start")


@functools.cache
def _client(service: str, account: str = _ACCOUNT) -> Any:
    return client_at(_with_cluster().url, service, account)


def client_at(
    url: str, service: str, account: str = _ACCOUNT, config: Config | None = None
) -> Any:
    """A client of an account at an address."""
    return boto3.client(
        service,
        _REGION,
        endpoint_url=url,
        aws_access_key_id=account,
        aws_secret_access_key="local",
        config=config,
    )


@functools.cache
def _sagemaker() -> Any:
    """A client of the server, after its cluster of 6,000 nodes was created."""
    _make("most", _MOST)
    return _client("sagemaker")


def with_cluster_of(count: int) -> tuple[str, str]:
    """The address of the server with a cluster of so many nodes, and the cluster's name."""
    name = f"load-{count}"
    _make(name, count, OTHER_ACCOUNT)
    return _with_cluster().url, name


@functools.cache
def _site(account: str) -> dict[str, str]:
    ec2, iam, s3 = (_client(service, account) for service in ("ec2", "iam", "s3"))
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/16", AvailabilityZoneId="use1-az6")[
        "Subnet"
    ]["SubnetId"]
    group = ec2.create_security_group(GroupName="n", Description="n", VpcId=vpc)["GroupId"]
    service = {"Service": "sagemaker.amazonaws.com"}
    trust = {"Effect": "Allow", "Principal": service, "Action": "sts:AssumeRole"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    role = iam.create_role(RoleName="n", AssumeRolePolicyDocument=document)["Role"]["Arn"]
    bucket = f"sagemaker-bench-{account}"
    s3.create_bucket(Bucket=bucket)
    s3.put_object(Bucket=bucket, Key=f"base/{SCRIPT}", Body=b"#!/bin/sh\n")
    return {"subnet": subnet, "group": group, "role": role, "source": f"s3://{bucket}/base"}


def _make(name: str, count: int, account: str = _ACCOUNT) -> None:
    create_cluster(_client("sagemaker", account), name, count, _site(account))


def create_cluster(client: Any, name: str, count: int, site: Mapping[str, str]) -> None:
    """Create a cluster of so many nodes; `site` has subnet, group, role and source (in S3)."""
    client.create_cluster(
        ClusterName=name,
        InstanceGroups=[
            {
                "InstanceGroupName": "workers",
                "InstanceType": "ml.c5.xlarge",
                "InstanceCount": count,
                "ExecutionRole": site["role"],
                "LifeCycleConfig": {"SourceS3Uri": site["source"], "OnCreate": SCRIPT},
            }
        ],
        VpcConfig={"Subnets": [site["subnet"]], "SecurityGroupIds": [site["group"]]},
    )


def _stack(url: str) -> float:
    def template(value: str) -> str:
        resources: dict[str, Any] = {}
        for number in range(10):
            resources |= {
                f"P{number}": {
                    "Type": "AWS::SSM::Parameter",
                    "Properties": {"Name": f"/b/{number}", "Type": "String", "Value": value},
                },
                f"T{number}": {
                    "Type": "AWS::SNS::Topic",
                    "Properties": {"TopicName": f"b-{number}"},
                },
                f"B{number}": {
                    "Type": "AWS::S3::Bucket",
                    "Properties": {"BucketName": f"bench-stack-{number}"},
                },
                f"R{number}": {
                    "Type": "AWS::IAM::Role",
                    "Properties": {
                        "RoleName": f"b-{number}",
                        "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": []},
                    },
                },
            }
        return json.dumps({"Resources": resources})

    cloudformation = client_at(url, "cloudformation")
    request: dict[str, Any] = {"StackName": "bench", "Capabilities": ["CAPABILITY_NAMED_IAM"]}
    started = time.perf_counter()
    cloudformation.create_stack(**request, TemplateBody=template("one"))
    _settle(cloudformation, "CREATE_COMPLETE")
    cloudformation.update_stack(**request, TemplateBody=template("two"))
    _settle(cloudformation, "UPDATE_COMPLETE")
    cloudformation.delete_stack(StackName="bench")
    _settle(cloudformation, None)
    return time.perf_counter() - started


def _settle(cloudformation: Any, wanted: str | None) -> None:
    while True:
        try:
            stack = cloudformation.describe_stacks(StackName="bench")["Stacks"][0]
        except ClientError:
            if wanted is None:
                return
            raise
        status = stack["StackStatus"]
        if status == wanted or (wanted is None and status == "DELETE_COMPLETE"):
            return
        if not status.endswith("_IN_PROGRESS"):
            raise RuntimeError(f"the stack is {status}: {stack.get('StackStatusReason')}")
        time.sleep(0.005)
