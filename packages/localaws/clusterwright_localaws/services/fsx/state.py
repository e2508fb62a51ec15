"""State of FSx in one account and region."""

from __future__ import annotations

import secrets
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.client_tokens import once
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.core.timers import Timers
from clusterwright_localaws.services.ec2.network import Network, network_of
from clusterwright_localaws.services.ec2.zones import partition_of

_MOUNT_LETTERS = string.ascii_lowercase + string.digits


@dataclass(kw_only=True)
class Resource:
    """What every resource has."""

    id: str
    created_at: datetime
    lifecycle: str = "CREATING"
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def arn(self) -> str:
        raise NotImplementedError


@dataclass(kw_only=True)
class FileSystem(Resource):
    """One file system: `request` is the creation's parameters with defaults."""

    kind: str
    account: str
    region: str
    vpc_id: str
    request: dict[str, Any]
    interface_ids: list[str]
    mount_name: str | None = None
    root_volume_id: str | None = None
    actions: list[dict[str, Any]] = field(default_factory=list)

    @property
    def arn(self) -> str:
        return self.arn_of("file-system", self.id)

    def arn_of(self, *path: str) -> str:
        partition = partition_of(self.region)
        return f"arn:{partition}:fsx:{self.region}:{self.account}:{'/'.join(path)}"

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


@dataclass(kw_only=True)
class Association(Resource):
    """A data repository association."""

    file_system: FileSystem
    request: dict[str, Any]
    failure: str | None = None

    @property
    def arn(self) -> str:
        return self.file_system.arn_of("association", self.file_system.id, self.id)


@dataclass(kw_only=True)
class Volume(Resource):
    """An OpenZFS volume."""

    file_system: FileSystem
    name: str
    path: str
    configuration: dict[str, Any]

    @property
    def arn(self) -> str:
        return self.file_system.arn_of("volume", self.file_system.id, self.id)


@dataclass(kw_only=True)
class Snapshot(Resource):
    """A snapshot of an OpenZFS volume."""

    volume: Volume
    name: str

    @property
    def arn(self) -> str:
        return self.volume.file_system.arn_of("snapshot", self.volume.id, self.id)


@dataclass(kw_only=True)
class Backup(Resource):
    """A backup of a file system; it remains when the file system is deleted."""

    file_system: FileSystem
    snapshot: dict[str, Any]
    request: dict[str, Any]

    @property
    def arn(self) -> str:
        return self.file_system.arn_of("backup", self.id)


@dataclass(kw_only=True)
class Task(Resource):
    """A data repository task."""

    file_system: FileSystem
    request: dict[str, Any]
    started_at: datetime | None = None
    ended_at: datetime | None = None
    lifecycle: str = "PENDING"

    @property
    def arn(self) -> str:
        return self.file_system.arn_of("task", self.id)


R = TypeVar("R", bound=Resource)
Filters = Mapping[str, Callable[[R], str]]
"""The value that a filter compares, by the name of the filter; others match no resource."""


class Collection(dict[str, R]):
    """The resources of one kind, by id, with what their operations have in common."""

    def __init__(self, noun: str, code: str) -> None:
        super().__init__()
        self._noun = noun
        self._code = code

    def find(self, resource_id: str) -> R:
        """Return a resource by id.

        Raises
        ------
        AwsError
            There is none.
        """
        found = self.get(resource_id)
        if found is None:
            raise AwsError(self._code, f"{self._noun} '{resource_id}' does not exist.")
        return found

    def find_available(self, resource_id: str) -> R:
        """Return a resource by id; like `find`, and refuse it unless it is AVAILABLE."""
        found = self.find(resource_id)
        if found.lifecycle != "AVAILABLE":
            raise bad_request(f"{self._noun} {found.id} is {found.lifecycle}.")
        return found

    def described(
        self,
        call: Call,
        member: str,
        ids: str,
        view: Callable[[R], dict[str, Any]],
        filters: Filters[R],
        *,
        default: int = 100,
        maximum: int | None = None,
    ) -> dict[str, Any]:
        """Return the answer of a describe operation: a page of the requested resources.

        `member` and `ids` are the names of the answer's list and of the request's ids.
        """
        requested = call.parameters.get(ids)
        found = [self.find(each) for each in requested] if requested else [*self.values()]
        for entry in call.parameters.get("Filters", ()):
            value_of, values = filters.get(entry.get("Name")), entry.get("Values", ())
            found = [each for each in found if value_of and value_of(each) in values]
        return paged(
            call,
            member,
            found,
            view,
            default=default,
            maximum=maximum,
            stale_page_code="BadRequest",
        )

    def create(self, call: Call, make: Callable[[], R]) -> R:
        """Create a resource, or return that of an earlier call with its ClientRequestToken.

        A token whose resource does not exist any more creates a new one.

        Raises
        ------
        AwsError
            IncompatibleParameterError: the token was used before with other parameters.
        """
        token = call.parameters.get("ClientRequestToken")
        if not token:
            return make()
        return once(
            call.runtime,
            ("fsx", call.account, call.region),
            (call.operation, token),
            {k: v for k, v in call.parameters.items() if k != "ClientRequestToken"},
            make,
            mismatch=token_mismatch,
            is_kept=lambda made: made.id in self,
        )[0]


class Store(Timers):
    """The resources of one account and region."""

    def __init__(self, runtime: Runtime, account: str, region: str) -> None:
        super().__init__(runtime.clock)
        self.runtime = runtime
        self.account = account
        self.region = region
        self.file_systems = Collection[FileSystem]("File system", "FileSystemNotFound")
        self.associations = Collection[Association](
            "Data repository association", "DataRepositoryAssociationNotFound"
        )
        self.volumes = Collection[Volume]("Volume", "VolumeNotFound")
        self.snapshots = Collection[Snapshot]("Snapshot", "SnapshotNotFound")
        self.backups = Collection[Backup]("Backup", "BackupNotFound")
        self.tasks = Collection[Task]("Data repository task", "DataRepositoryTaskNotFound")

    @property
    def network(self) -> Network:
        return network_of(self.runtime, self.account, self.region)

    def add(self, kept: Collection[R], resource: R, delay_s: float) -> R:
        """Store a new resource, which is AVAILABLE after the delay."""
        kept[resource.id] = resource
        self.after(delay_s, lambda: setattr(resource, "lifecycle", "AVAILABLE"))
        return resource

    def of_file_system(self, file_system: FileSystem) -> list[Association]:
        return [a for a in self.associations.values() if a.file_system is file_system]


def store_of(call: Call) -> Store:
    """Return the caller's store, with its timers advanced."""
    found = store(call.runtime, call.account, call.region)
    found.advance()
    return found


def store(runtime: Runtime, account: str, region: str) -> Store:
    return runtime.store("fsx", account, region, lambda: Store(runtime, account, region))


def token_mismatch() -> AwsError:
    return incompatible(
        "ClientRequestToken", "The ClientRequestToken was used before with different parameters."
    )


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
