"""A cluster deployed to the local AWS, and the state that its controller publishes."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket
from clusterwright.platforms.loading import load_cluster
from clusterwright_localaws import local_aws
from tests.stacks.deployment import Account
from tests.support.rich_specs import ACCOUNT
from tests.support.synthesis import Assembly


@dataclass(frozen=True)
class Deployed:
    """A deployed cluster and its spec's file."""

    path: Path
    account: Account

    @property
    def bucket(self) -> str:
        return lifecycle_bucket(load_cluster(self.path).cluster)

    def nodes(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.account.client("sagemaker").list_cluster_nodes(
            ClusterName="test", MaxResults=100
        )["ClusterNodeSummaries"]
        return found

    def publish(self, **changes: Any) -> None:
        """Write what a controller would publish; every node is idle and accepted."""
        nodes = [
            {
                "name": node_name(node),
                "group": node["InstanceGroupName"],
                "instance_id": node["InstanceId"],
                "states": ["IDLE"],
            }
            for node in self.nodes()
        ]
        publish(self.account, self.bucket, nodes, **changes)

    @contextmanager
    def deep_health_check_failed(self, instance: str, text: str) -> Iterator[None]:
        """HyperPod's line about a faulty instance, in the log group of the cluster."""
        logs = self.account.client("logs")
        prefix = "/aws/sagemaker/Clusters/test/"
        groups = logs.describe_log_groups(logGroupNamePrefix=prefix)["logGroups"]
        group = next((one["logGroupName"] for one in groups), f"{prefix}abcdefghijkl")
        if not groups:
            logs.create_log_group(logGroupName=group)
        where = {
            "logGroupName": group,
            "logStreamName": f"DeepHealthCheckResults/{instance}",
        }
        with suppress(logs.exceptions.ResourceAlreadyExistsException):
            logs.create_log_stream(**where)
        line = f"Encountered FaultyInstance. Replace the Instance. ERROR:{text}"
        at = int(dt.datetime.now(dt.UTC).timestamp() * 1000)
        logs.put_log_events(**where, logEvents=[{"timestamp": at, "message": line}])
        try:
            yield
        finally:
            logs.delete_log_stream(**where)


def publish(account: Account, bucket: str, there: list[dict[str, Any]], **changes: Any) -> None:
    """Write the state of the cluster `test`; every node is accepted."""
    state = {
        "schema_version": 1,
        "environment": "test",
        "written_at": dt.datetime.now(dt.UTC).isoformat(),
        "controller": "ip-10-0-0-1",
        "daemons": {"slurmctld": "up", "slurmdbd": "up", "munge": "up"},
        "nodes": [node for node in there if node["group"] != "controller"],
        "jobs": {"RUNNING": 3},
        "partitions": [{"name": "dev", "state": "UP", "nodes": []}],
        "acceptance": {node["name"]: {"state": "accepted"} for node in there},
        **changes,
    }
    account.client("s3").put_object(
        Bucket=bucket, Key="state/scheduler.json", Body=json.dumps(state).encode()
    )


def node_name(node: dict[str, Any]) -> str:
    """Slurm's name of a node of ListClusterNodes."""
    return str(node["PrivateDnsHostname"]).partition(".")[0]


@contextmanager
def deployed_cluster(path: Path, assembly: Assembly, **world: Any) -> Iterator[Deployed]:
    """Deploy an assembly of the spec at `path` to a new local AWS."""
    with local_aws(**world):
        account = Account(ACCOUNT)
        account.bootstrap()
        account.deploy(assembly)
        yield Deployed(path, account)


class Controller:
    """Slurm's controller: answers requests with the node program's functions, and publishes.

    It takes the place of the module `time` of the command: each pause is a turn of the controller.
    """

    def __init__(self, deployed: Deployed, program: ModuleType) -> None:
        self.deployed, self.program = deployed, program
        self.now = 0.0
        self.answers = True
        self.drained: dict[str, str] = {}
        self.booted: dict[str, dt.datetime] = {}
        self.verbs: list[tuple[str, list[str]]] = []
        self.jobs: list[dict[str, Any]] = []
        self.acceptance: dict[str, Any] | None = None
        self._seen = set(self._keys())

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        if self.answers:
            self.turn()

    def turn(self) -> None:
        s3 = self.deployed.account.client("s3")
        for key in sorted(self._keys() - self._seen):
            self._seen.add(key)
            value = json.loads(s3.get_object(Bucket=self.deployed.bucket, Key=key)["Body"].read())
            request = self.program.read(value, value["id"], dt.datetime.now(dt.UTC))
            self.verbs.append((request.verb, list(request.nodes)))
            for name in request.nodes:
                if request.verb == "drain":
                    self.drained[name] = request.because
                else:
                    self.drained.pop(name, None)
            done = [{"node": name, "result": request.verb} for name in request.nodes]
            answer = self.program.answer_of(request.id, request.verb, done, [])
            s3.put_object(
                Bucket=self.deployed.bucket,
                Key=f"state/answers/{request.id}.json",
                Body=json.dumps(answer).encode(),
            )
        self.publish()

    def publish(self) -> None:
        nodes = [
            {
                "name": node_name(node),
                "group": node["InstanceGroupName"],
                "instance_id": node["InstanceId"],
                "states": ["IDLE", *(["DRAIN"] if node_name(node) in self.drained else [])],
                "reason": self.drained.get(node_name(node)),
                "boot_time": (dt.datetime.now(dt.UTC) + dt.timedelta(seconds=1)).isoformat(),
            }
            for node in self.deployed.nodes()
            if node["InstanceGroupName"] != "controller"
        ]
        more = {} if self.acceptance is None else {"acceptance": self.acceptance}
        self.deployed.publish(nodes=nodes, running=self.jobs, **more)

    def _keys(self) -> set[str]:
        found = self.deployed.account.client("s3").list_objects_v2(
            Bucket=self.deployed.bucket, Prefix="requests/"
        )
        return {entry["Key"] for entry in found.get("Contents", ())}
