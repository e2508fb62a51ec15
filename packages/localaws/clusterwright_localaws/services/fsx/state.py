"""State of FSx in one account and region."""

from __future__ import annotations

import secrets
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.core.timers import Timers
from clusterwright_localaws.services.ec2.network import Network, network_of
from clusterwright_localaws.services.ec2.zones import partition_of

_MOUNT_LETTERS = string.ascii_lowercase + string.digits


@dataclass
class FileSystem:
    """One file system: `request` is the creation's parameters with defaults."""

    id: str
    kind: str
    account: str
    region: str
    created_at: datetime
    vpc_id: str
    request: dict[str, Any]
    interface_ids: list[str]
    mount_name: str | None = None
    root_volume_id: str | None = None
    lifecycle: str = "CREATING"
    actions: list[dict[str, Any]] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def arn(self) -> str:
        partition = partition_of(self.region)
        return f"arn:{partition}:fsx:{self.region}:{self.account}:file-system/{self.id}"

    @property
    def dns_name(self) -> str:
        suffix = "amazonaws.com.cn" if self.region.startswith("cn-") else "amazonaws.com"
        return f"{self.id}.fsx.{self.region}.{suffix}"

    @property
    def capacity_gib(self) -> int:
        return int(self.request.get("StorageCapacity") or 0)

    @property
    def storage_type(self) -> str:
        return str(self.request.get("StorageType") or "SSD")

    @property
    def lustre(self) -> dict[str, Any]:
        found: dict[str, Any] = self.request.setdefault("LustreConfiguration", {})
        return found

    @property
    def openzfs(self) -> dict[str, Any]:
        found: dict[str, Any] = self.request.setdefault("OpenZFSConfiguration", {})
        return found


@dataclass
class Association:
    """A data repository association."""

    id: str
    file_system: FileSystem
    created_at: datetime
    request: dict[str, Any]
    lifecycle: str = "CREATING"
    tags: dict[str, str] = field(default_factory=dict)
    failure: str | None = None

    @property
    def arn(self) -> str:
        owner = self.file_system
        return (
            f"arn:{partition_of(owner.region)}:fsx:{owner.region}:{owner.account}:association/"
            f"{owner.id}/{self.id}"
        )


@dataclass
class Volume:
    """An OpenZFS volume."""

    id: str
    file_system: FileSystem
    name: str
    path: str
    created_at: datetime
    configuration: dict[str, Any]
    lifecycle: str = "CREATING"
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def arn(self) -> str:
        owner = self.file_system
        return (
            f"arn:{partition_of(owner.region)}:fsx:{owner.region}:{owner.account}:volume/"
            f"{owner.id}/{self.id}"
        )


@dataclass
class Snapshot:
    """A snapshot of an OpenZFS volume."""

    id: str
    volume: Volume
    name: str
    created_at: datetime
    lifecycle: str = "CREATING"
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def arn(self) -> str:
        owner = self.volume.file_system
        return (
            f"arn:{partition_of(owner.region)}:fsx:{owner.region}:{owner.account}:snapshot/"
            f"{self.volume.id}/{self.id}"
        )


@dataclass
class Backup:
    """A backup of a file system; it remains when the file system is deleted."""

    id: str
    file_system: FileSystem
    snapshot: dict[str, Any]
    request: dict[str, Any]
    created_at: datetime
    lifecycle: str = "CREATING"
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def arn(self) -> str:
        owner = self.file_system
        return (
            f"arn:{partition_of(owner.region)}:fsx:{owner.region}:{owner.account}:backup/{self.id}"
        )


@dataclass
class Task:
    """A data repository task."""

    id: str
    file_system: FileSystem
    request: dict[str, Any]
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    lifecycle: str = "PENDING"
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def arn(self) -> str:
        owner = self.file_system
        return (
            f"arn:{partition_of(owner.region)}:fsx:{owner.region}:{owner.account}:task/{self.id}"
        )


class Store(Timers):
    """The resources of one account and region."""

    def __init__(self, runtime: Runtime, account: str, region: str) -> None:
        super().__init__(runtime.clock)
        self.runtime = runtime
        self.account = account
        self.region = region
        self.file_systems: dict[str, FileSystem] = {}
        self.associations: dict[str, Association] = {}
        self.volumes: dict[str, Volume] = {}
        self.snapshots: dict[str, Snapshot] = {}
        self.backups: dict[str, Backup] = {}
        self.tasks: dict[str, Task] = {}
        # client request token -> (operation and parameters, answer's id): creation is idempotent
        self.tokens: dict[str, tuple[str, str]] = {}

    @property
    def network(self) -> Network:
        return network_of(self.runtime, self.account, self.region)

    def file_system(self, file_system_id: str) -> FileSystem:
        """Return a file system by id.

        Raises
        ------
        AwsError
            FileSystemNotFound.
        """
        found = self.file_systems.get(file_system_id)
        if found is None:
            raise AwsError("FileSystemNotFound", f"File system '{file_system_id}' does not exist.")
        return found

    def of_file_system(self, file_system: FileSystem) -> list[Association]:
        return [a for a in self.associations.values() if a.file_system is file_system]


def store_of(call: Call) -> Store:
    """Return the caller's store, with its timers advanced."""
    found = store(call.runtime, call.account, call.region)
    found.advance()
    return found


def store(runtime: Runtime, account: str, region: str) -> Store:
    return runtime.store("fsx", account, region, lambda: Store(runtime, account, region))


def new_id(prefix: str) -> str:
    """Return `fs-` and 17 hexadecimal digits, FSx's format since 2018."""
    return f"{prefix}-{secrets.token_hex(9)[:17]}"


def new_mount_name() -> str:
    return "".join(secrets.choice(_MOUNT_LETTERS) for _ in range(8))


def bad_request(message: str) -> AwsError:
    return AwsError("BadRequest", message)


def incompatible(parameter: str, message: str) -> AwsError:
    return AwsError("IncompatibleParameterError", message, Parameter=parameter)


def tag_map(tags: object) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in tags or ()}  # type: ignore[attr-defined]


def tag_list(tags: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def idempotent(
    call: Call, what: str, make: Callable[[], str], existing: Mapping[str, object]
) -> str:
    """Create a resource, or return its id if the ClientRequestToken was used before.

    A token whose resource is not in `existing` any more creates a new one.

    Raises
    ------
    AwsError
        IncompatibleParameterError: the token was used before with other parameters.
    """
    found = store_of(call)
    token = call.parameters.get("ClientRequestToken")
    if not token:
        return make()
    requested = repr(
        sorted((k, v) for k, v in call.parameters.items() if k != "ClientRequestToken")
    )
    key = f"{what}:{token}"
    if key in found.tokens and found.tokens[key][1] in existing:
        before, created = found.tokens[key]
        if before != requested:
            raise incompatible(
                "ClientRequestToken",
                "The ClientRequestToken was used before with different parameters.",
            )
        return created
    created = make()
    found.tokens[key] = (requested, created)
    return created
