"""A mixed load of several clients whose every answer is compared with what the client wrote.

`python -m benchmarks.load --seconds 180` puts it on the local AWS, which also has a HyperPod
cluster of 1,024 nodes, and ends with exit code 1 if an answer was wrong or lost.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import random
import statistics
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from benchmarks.compare import Comparison
from benchmarks.local_aws import Server
from benchmarks.local_calls import OTHER_ACCOUNT, client_at, plain_moto, with_cluster_of

CLIENTS = 8
STACKS_PER_CLIENT = 8
NODES = 1024
_SETTLES_WITHIN_S = 120.0


@dataclass
class Outcome:
    """What the clients saw; `seconds` are of each call."""

    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    most_stacks: int = 0

    def percentile(self, part: float) -> float:
        """Seconds that this part of the calls did not exceed."""
        return statistics.quantiles(self.seconds, n=1000)[round(part * 1000) - 1]


_COMPARED_SECONDS = 20.0


def load_comparisons() -> list[Comparison]:
    """Calls of the mixed load, without the cluster that moto does not have."""

    def compared(part: float) -> Comparison:
        return Comparison(
            f"mixed load of {CLIENTS} clients, p{100 * part:.0f} of a call",
            lambda: _ours().percentile(part),
            lambda: _of_moto().percentile(part),
            "plain moto_server, the same load",
            most_runs=1,
        )

    return [compared(0.5), compared(0.99)]


@functools.cache
def _ours() -> Outcome:
    server = Server()
    try:
        outcome = mixed_load(server.url, None, _COMPARED_SECONDS)
    finally:
        server.end()
    if outcome.wrong or outcome.lost:
        raise RuntimeError("; ".join([*outcome.wrong, *outcome.lost][:3]))
    return outcome


@functools.cache
def _of_moto() -> Outcome:
    """moto's answers are measured, not judged."""
    return mixed_load(plain_moto(), None, _COMPARED_SECONDS)


def mixed_load(
    url: str, cluster: str | None, seconds: float, *, clients: int = CLIENTS
) -> Outcome:
    """Run the clients for some seconds, after their stacks stand.

    `cluster` names a HyperPod cluster of NODES nodes, if there is one.
    """
    outcome = Outcome()
    found = [_Client(number, url, seconds, outcome, cluster) for number in range(clients)]
    threads = [threading.Thread(target=client.run) for client in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcome


class _Client:
    """One client with resources of its own; `outcome` is shared, and appending to it is atomic."""

    def __init__(
        self, number: int, url: str, seconds: float, outcome: Outcome, cluster: str | None
    ) -> None:
        self._number = number
        self._url = url
        self._seconds = seconds
        self._outcome = outcome
        self._cluster = cluster
        self._random = random.Random(number)
        self._services: dict[str, Any] = {}
        self._bucket = f"load-{number}"
        self._values: dict[str, str] = {}

    def run(self) -> None:
        try:
            self._call("s3", "create_bucket", Bucket=self._bucket)
            self._stacks()
            turns = [self._object, self._parameter, self._network, self._missing, self._update]
            if self._cluster is not None:
                turns.append(self._nodes)
            until = time.monotonic() + self._seconds
            for turn in itertools.cycle(turns):
                if time.monotonic() > until:
                    return
                turn()
        except _LostError:
            return
        except ClientError as error:
            self._outcome.wrong.append(f"client {self._number}: {error}")

    def _call(self, service: str, name: str, **parameters: Any) -> Any:
        client = self._services.get(service) or self._services.setdefault(
            service, _client(self._url, service)
        )
        started = time.perf_counter()
        try:
            return getattr(client, name)(**parameters)
        except ClientError:
            raise
        except BotoCoreError as error:
            self._outcome.lost.append(f"client {self._number}: {service} {name}: {error}")
            raise _LostError from error
        finally:
            self._outcome.seconds.append(time.perf_counter() - started)

    def _expect(self, what: str, found: Any, expected: Any) -> None:
        if found != expected:
            self._outcome.wrong.append(
                f"client {self._number}: {what}: {found!r}, expected {expected!r}"
            )

    def _stacks(self) -> None:
        """The stacks that stand while the load runs."""
        names = [f"load-{self._number}-{index}" for index in range(STACKS_PER_CLIENT)]
        for name in names:
            self._values[name] = "0"
            self._call(
                "cloudformation", "create_stack", StackName=name, TemplateBody=_template(name, "0")
            )
        for name in names:
            self._settled(name, "CREATE_COMPLETE")
        found = sum(
            stack["StackName"].startswith("load-")
            for page in _client(self._url, "cloudformation")
            .get_paginator("describe_stacks")
            .paginate()
            for stack in page["Stacks"]
        )
        self._outcome.most_stacks = max(self._outcome.most_stacks, found)

    def _update(self) -> None:
        name = self._random.choice(list(self._values))
        value = str(int(self._values[name]) + 1)
        self._call(
            "cloudformation", "update_stack", StackName=name, TemplateBody=_template(name, value)
        )
        self._settled(name, "UPDATE_COMPLETE")
        self._values[name] = value
        stored = self._call("ssm", "get_parameter", Name=f"/load/{name}")["Parameter"]["Value"]
        self._expect(f"parameter of {name}", stored, value)

    def _settled(self, name: str, expected: str) -> None:
        until = time.monotonic() + _SETTLES_WITHIN_S
        while True:
            (stack,) = self._call("cloudformation", "describe_stacks", StackName=name)["Stacks"]
            if not stack["StackStatus"].endswith("IN_PROGRESS") or time.monotonic() > until:
                break
            time.sleep(0.05)
        self._expect(f"status of {name}", stack["StackStatus"], expected)

    def _object(self) -> None:
        key, body = f"key-{self._random.randrange(20)}", self._random.randbytes(20_000)
        self._call("s3", "put_object", Bucket=self._bucket, Key=key, Body=body)
        found = self._call("s3", "get_object", Bucket=self._bucket, Key=key)["Body"].read()
        self._expect(f"object {key}", len(found) if found != body else body, body)

    def _parameter(self) -> None:
        name = f"/own/{self._number}"
        value = str(self._random.random())
        written = {"Name": name, "Value": value, "Type": "String", "Overwrite": True}
        version = self._call("ssm", "put_parameter", **written)["Version"]
        found = self._call("ssm", "get_parameter", Name=name)["Parameter"]
        self._expect(name, (found["Value"], found["Version"]), (value, version))

    def _network(self) -> None:
        vpc = self._call("ec2", "create_vpc", CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
        subnet = self._call("ec2", "create_subnet", VpcId=vpc, CidrBlock="10.9.1.0/24")["Subnet"]
        (found,) = self._call("ec2", "describe_subnets", SubnetIds=[subnet["SubnetId"]])["Subnets"]
        self._expect("subnet", (found["VpcId"], found["CidrBlock"]), (vpc, "10.9.1.0/24"))
        self._call("ec2", "delete_subnet", SubnetId=subnet["SubnetId"])
        self._call("ec2", "delete_vpc", VpcId=vpc)
        self._refused("InvalidVpcID.NotFound", "ec2", "describe_vpcs", VpcIds=[vpc])

    def _missing(self) -> None:
        name = f"none-{self._number}"
        self._refused("ParameterNotFound", "ssm", "get_parameter", Name=f"/{name}")
        self._refused("NoSuchBucket", "s3", "list_objects_v2", Bucket=name)

    def _refused(self, expected: str, service: str, name: str, **parameters: Any) -> None:
        try:
            self._call(service, name, **parameters)
        except ClientError as error:
            self._expect(f"{service} {name}", error.response["Error"]["Code"], expected)
        else:
            self._expect(f"{service} {name}", "accepted", expected)

    def _nodes(self) -> None:
        found: list[str] = []
        more: dict[str, Any] = {}
        while True:
            page = self._call(
                "sagemaker",
                "list_cluster_nodes",
                ClusterName=self._cluster,
                MaxResults=100,
                **more,
            )
            found += [node["InstanceId"] for node in page["ClusterNodeSummaries"]]
            if "NextToken" not in page:
                break
            more = {"NextToken": page["NextToken"]}
        self._expect("nodes", (len(found), len(set(found))), (NODES, NODES))


class _LostError(Exception):
    """A call had no answer."""


def _client(url: str, service: str) -> Any:
    return client_at(url, service, OTHER_ACCOUNT, Config(retries={"total_max_attempts": 1}))


def _template(name: str, value: str) -> str:
    return json.dumps(
        {
            "Resources": {
                "Parameter": {
                    "Type": "AWS::SSM::Parameter",
                    "Properties": {"Name": f"/load/{name}", "Type": "String", "Value": value},
                },
                "Topic": {"Type": "AWS::SNS::Topic", "Properties": {"TopicName": name}},
            }
        }
    )


def main(arguments: list[str] | None = None) -> int:
    """Print the figures; 1 if an answer was wrong or lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=180.0)
    asked = parser.parse_args(arguments)
    outcome = mixed_load(*with_cluster_of(NODES), asked.seconds)
    for text in [*outcome.wrong, *outcome.lost][:20]:
        print(text)
    half, most = (1000 * outcome.percentile(part) for part in (0.5, 0.99))
    print(
        f"{CLIENTS} clients, {outcome.most_stacks} stacks, {NODES} nodes, {asked.seconds:g} s: "
        f"{len(outcome.seconds)} calls, {len(outcome.wrong)} wrong, {len(outcome.lost)} lost; "
        f"p50 {half:.1f} ms, p99 {most:.1f} ms"
    )
    return 1 if outcome.wrong or outcome.lost else 0


if __name__ == "__main__":
    sys.exit(main())
