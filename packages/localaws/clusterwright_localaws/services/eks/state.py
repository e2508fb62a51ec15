"""State of EKS in one account and region."""

from __future__ import annotations

import copy
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.core.timers import Timers
from clusterwright_localaws.services.ec2.network import Network, network_of
from clusterwright_localaws.services.ec2.zones import partition_of

# AWS requires six free addresses in every subnet of a cluster, and creates two to four interfaces
# ("Amazon EKS networking requirements for VPC and subnets", EKS user guide).
FREE_ADDRESSES_PER_SUBNET = 6
MIN_CONTROL_PLANE_INTERFACES = 2
MAX_CONTROL_PLANE_INTERFACES = 4


@dataclass
class ChildResource:
    """An add-on, a node group, an access entry or a pod identity association of a cluster.

    `members` are the stored members of the API's answer; `status` is its status, if any.
    """

    arn: str
    created_at: datetime
    members: dict[str, Any]
    status: str = "CREATING"
    modified_at: datetime | None = None
    tags: dict[str, str] = field(default_factory=dict)
    issues: list[dict[str, Any]] = field(default_factory=list)

    def view(self, arn_member: str, *hidden: str) -> dict[str, Any]:
        """Return the API's answer, without the members `hidden`."""
        state = {"status": self.status, "health": {"issues": list(self.issues)}}
        return {
            **copy.deepcopy({k: v for k, v in self.members.items() if k not in hidden}),
            arn_member: self.arn,
            "createdAt": self.created_at,
            "modifiedAt": self.modified_at,
            **(state if self.status else {}),
            "tags": dict(self.tags),
        }


@dataclass
class Update:
    """One update of a cluster, a node group or an add-on."""

    id: str
    kind: str
    parameters: list[dict[str, str]]
    created_at: datetime
    nodegroup: str | None = None
    addon: str | None = None
    status: str = "InProgress"
    errors: list[dict[str, Any]] = field(default_factory=list)

    def view(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "status": self.status,
            "type": self.kind,
            "params": self.parameters,
            "createdAt": self.created_at,
            "errors": self.errors,
        }


@dataclass
class EksCluster:
    """One EKS cluster; `members` are those of DescribeCluster that a request gives."""

    name: str
    account: str
    region: str
    created_at: datetime
    version: str
    members: dict[str, Any]
    vpc_id: str
    security_group_id: str
    id: str = field(default_factory=lambda: uuid.uuid4().hex.upper())
    status: str = "CREATING"
    tags: dict[str, str] = field(default_factory=dict)
    client_token: str | None = None
    addresses: list[tuple[str, list[tuple[int, int]]]] = field(default_factory=list)
    updates: dict[str, Update] = field(default_factory=dict)
    nodegroups: dict[str, ChildResource] = field(default_factory=dict)
    addons: dict[str, ChildResource] = field(default_factory=dict)
    access_entries: dict[str, ChildResource] = field(default_factory=dict)
    associations: dict[str, ChildResource] = field(default_factory=dict)
    capabilities: dict[str, ChildResource] = field(default_factory=dict)
    # The running update: EKS accepts one at a time.
    busy_with: str | None = None

    @property
    def arn(self) -> str:
        return self.arn_of("cluster", self.name)

    @property
    def authentication_mode(self) -> str:
        return str(self.members["accessConfig"]["authenticationMode"])

    def arn_of(self, kind: str, *parts: str) -> str:
        partition = partition_of(self.region)
        return f"arn:{partition}:eks:{self.region}:{self.account}:{kind}/{'/'.join(parts)}"


class Store(Timers):
    """Every cluster of one account and region."""

    def __init__(self, runtime: Runtime, account: str, region: str) -> None:
        super().__init__(runtime.clock)
        self.runtime = runtime
        self.account = account
        self.region = region
        self.clusters: dict[str, EksCluster] = {}

    @property
    def network(self) -> Network:
        return network_of(self.runtime, self.account, self.region)


def store_in(runtime: Runtime, account: str, region: str) -> Store:
    return runtime.store("eks", account, region, lambda: Store(runtime, account, region))


def store_of(call: Call) -> Store:
    found = store_in(call.runtime, call.account, call.region)
    found.advance()
    return found


def cluster_of(call: Call, name: str | None = None) -> EksCluster:
    """Return the cluster that a call names.

    Raises
    ------
    AwsError
        ResourceNotFoundException, with AWS's message.
    """
    requested = name or str(call.parameters.get("clusterName") or call.parameters.get("name"))
    found = store_of(call).clusters.get(requested)
    if found is None:
        raise not_found(f"No cluster found for name: {requested}.")
    return found


def active(cluster: EksCluster) -> EksCluster:
    """Return the cluster, if resources can be added to it.

    Raises
    ------
    AwsError
        InvalidRequestException.
    """
    if cluster.status not in ("ACTIVE", "UPDATING"):
        raise bad_request(
            f"Cluster '{cluster.name}' is not in a valid state: its status is {cluster.status}."
        )
    return cluster


def new_child(
    call: Call,
    cluster: EksCluster,
    kind: str,
    *path: str,
    status: str = "CREATING",
    **members: Any,
) -> ChildResource:
    """Return a new resource of a cluster, with the tags of the call.

    `kind` and `path` are those of its ARN; the cluster's name comes between.
    """
    return ChildResource(
        arn=cluster.arn_of(kind, cluster.name, *path),
        created_at=call.now,
        modified_at=call.now,
        status=status,
        tags=dict(call.parameters.get("tags", {})),
        members=members,
    )


def begin(
    store: Store,
    cluster: EksCluster,
    kind: str,
    parameters: Mapping[str, Any],
    now: datetime,
    *,
    nodegroup: str | None = None,
    addon: str | None = None,
) -> Update:
    """Store an update; `parameters` have the API's UpdateParamType names."""
    update = Update(
        id=str(uuid.uuid4()),
        kind=kind,
        parameters=[
            {"type": name, "value": value if isinstance(value, str) else json.dumps(value)}
            for name, value in parameters.items()
        ],
        created_at=now,
        nodegroup=nodegroup,
        addon=addon,
    )
    cluster.updates[update.id] = update
    return update


def token_mismatch() -> AwsError:
    return invalid("The clientRequestToken was used with other parameters before.")


def invalid(message: str) -> AwsError:
    return AwsError("InvalidParameterException", message, 400)


def bad_request(message: str) -> AwsError:
    return AwsError("InvalidRequestException", message, 400)


def in_use(message: str) -> AwsError:
    return AwsError("ResourceInUseException", message, 409)


def not_found(message: str) -> AwsError:
    return AwsError("ResourceNotFoundException", message, 404)


def over_limit(message: str) -> AwsError:
    return AwsError("ResourceLimitExceededException", message, 400)
