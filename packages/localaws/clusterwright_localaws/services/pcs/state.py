"""State of AWS PCS in one account and region.

Shapes, states and error codes are the API model's (botocore 1.44.5, `pcs` 2023-02-10). AWS does
not publish the texts of its errors: those without a named source are ours.
"""

from __future__ import annotations

import copy
import secrets
import string
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.core.timers import Timers
from clusterwright_localaws.iam.inside import acting_as
from clusterwright_localaws.services.ec2.network import Network, network_of
from clusterwright_localaws.services.ec2.zones import partition_of
from clusterwright_localaws.worlds.model import moment_of

# The code of a ServiceQuotaExceededException is not published; IAM's prefix is used.
SERVICE_CODE: Final = "pcs"
CLUSTER: Final = "cluster"
GROUP: Final = "computenodegroup"
QUEUE: Final = "queue"
_LETTERS: Final = string.ascii_lowercase + string.digits


@dataclass
class Resource:
    """A cluster, a compute node group or a queue.

    `members` are those of the API's answer that a request gives.
    """

    name: str
    id: str
    arn: str
    created_at: datetime
    members: dict[str, Any]
    modified_at: datetime = field(init=False)
    status: str = "CREATING"
    tags: dict[str, str] = field(default_factory=dict)
    errors: list[dict[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.modified_at = self.created_at

    def summary(self) -> dict[str, Any]:
        """Return the members that lists answer."""
        return {
            "name": self.name,
            "id": self.id,
            "arn": self.arn,
            "createdAt": self.created_at,
            "modifiedAt": self.modified_at,
            "status": self.status,
        }

    def view(self) -> dict[str, Any]:
        """Return the API's answer."""
        errors = {"errorInfo": copy.deepcopy(self.errors)} if self.errors else {}
        return {**self.summary(), **copy.deepcopy(self.members), **errors}

    def fail(self, status: str, code: str, message: str) -> None:
        """Set a failed state, with the error that the API answers."""
        self.status = status
        self.errors = [{"code": code, "message": message}]


@dataclass
class Node:
    """An instance that PCS launched; `number` is its place in the group, from 1."""

    instance_id: str
    number: int
    bootstrap_id: str | None = None


@dataclass
class ChildResource(Resource):
    """A compute node group or a queue of a cluster."""

    cluster_id: str = ""
    nodes: list[Node] = field(default_factory=list)

    def summary(self) -> dict[str, Any]:
        """Return the members that lists answer."""
        return {**super().summary(), "clusterId": self.cluster_id}


@dataclass
class PcsCluster(Resource):
    """One cluster, with what PCS keeps for its controller."""

    vpc_id: str = ""
    interface_id: str | None = None
    address: str | None = None
    groups: dict[str, ChildResource] = field(default_factory=dict)
    queues: dict[str, ChildResource] = field(default_factory=dict)

    @property
    def version(self) -> str:
        """The Slurm version: 25.11."""
        return str(self.members["scheduler"]["version"])

    @property
    def children(self) -> list[ChildResource]:
        """The compute node groups and queues."""
        return [*self.groups.values(), *self.queues.values()]


class Store(Timers):
    """Every cluster of one account and region, by id."""

    def __init__(self, runtime: Runtime, account: str, region: str) -> None:
        super().__init__(runtime.clock)
        self.runtime = runtime
        self.account = account
        self.region = region
        self.clusters: dict[str, PcsCluster] = {}
        now = runtime.clock.now()
        # What a driver is applying, and what completes it.
        self.at_work: list[tuple[Future[None], Callable[[], None]]] = []
        # Slurm version -> when its clusters are suspended.
        self.suspensions: dict[str, datetime] = {
            version: moment_of(text, now)
            for version, text in runtime.world.suspended_slurm_versions.items()
        }

    @property
    def network(self) -> Network:
        return network_of(self.runtime, self.account, self.region)

    def client(self, service: str) -> Any:
        """Return an in-process client of another service, in this account and region."""
        from clusterwright_localaws.core.boto_clients import client

        return client(service, account=self.account, region=self.region)

    def arn(self, *parts: str) -> str:
        """Return the ARN with `parts` after the account (Service Authorization Reference)."""
        partition = partition_of(self.region)
        return f"arn:{partition}:pcs:{self.region}:{self.account}:{'/'.join(parts)}"

    def everything(self) -> Iterator[Resource]:
        """Yield every cluster, group and queue."""
        for cluster in self.clusters.values():
            yield cluster
            yield from cluster.children


# What looks at the store before each call of PCS.
_BEFORE_CALLS: list[Callable[[Store], None]] = []


def before_calls(look: Callable[[Store], None]) -> Callable[[Store], None]:
    """Register a function that looks at a store before each call of PCS."""
    _BEFORE_CALLS.append(look)
    return look


def store_in(runtime: Runtime, account: str, region: str) -> Store:
    """Return the store of an account and region."""
    return runtime.store("pcs", account, region, lambda: Store(runtime, account, region))


def store_of(call: Call) -> Store:
    """Return the store of a call, after everything that is due has happened."""
    found = store_in(call.runtime, call.account, call.region)
    with acting_as(None):  # no caller's permissions apply to what is due
        found.advance()
        for look in _BEFORE_CALLS:
            look(found)
    return found


def find_cluster(store: Store, named: str) -> PcsCluster | None:
    """Return the cluster with this id or name, or None."""
    for cluster in store.clusters.values():
        if named in (cluster.id, cluster.name):
            return cluster
    return None


def find_child(children: Mapping[str, ChildResource], named: str) -> ChildResource | None:
    """Return the group or queue with this id or name, or None."""
    for child in children.values():
        if named in (child.id, child.name):
            return child
    return None


def cluster_of(call: Call) -> PcsCluster:
    """Return the cluster that a call names.

    Raises
    ------
    AwsError
        ResourceNotFoundException.
    """
    named = str(call.parameters["clusterIdentifier"])
    found = find_cluster(store_of(call), named)
    if found is None:
        raise not_found(CLUSTER, named)
    return found


def new_id() -> str:
    """Return an id as AWS draws them: pcs_ and ten characters.

    https://docs.aws.amazon.com/pcs/latest/userguide/working-with_clusters_secrets_find_pcs.html
    """
    return "pcs_" + "".join(secrets.choice(_LETTERS) for _ in range(10))


def token_mismatch() -> AwsError:
    return invalid("clientToken", "The clientToken was used with other parameters before.")


def invalid(member: str, message: str) -> AwsError:
    """Return the refusal of a member of a request, named by its path."""
    return AwsError(
        "ValidationException",
        message,
        reason="fieldValidationFailed",
        fieldList=[{"name": member, "message": message}],
    )


def conflict(kind: str, resource_id: str, message: str) -> AwsError:
    """Return the refusal of a call that conflicts with a resource's state."""
    return AwsError("ConflictException", message, resourceId=resource_id, resourceType=kind)


def not_found(kind: str, named: str) -> AwsError:
    """Return the refusal of a call that names a missing resource."""
    return AwsError(
        "ResourceNotFoundException",
        f"The {kind} {named} does not exist.",
        resourceId=named,
        resourceType=kind,
    )


def over_quota(message: str, kind: str, resource_id: str | None = None) -> AwsError:
    """Return the refusal of a call that exceeds a quota; no quota of PCS has a published code."""
    named: dict[str, Any] = {"resourceId": resource_id} if resource_id is not None else {}
    return AwsError(
        "ServiceQuotaExceededException",
        message,
        serviceCode=SERVICE_CODE,
        resourceType=kind,
        **named,
    )
